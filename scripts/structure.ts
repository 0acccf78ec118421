/**
 * Measures the structure of the sources and prints it as JSON: `node scripts/structure.ts`. Run it on two checkouts to
 * compare them. Sources are the .ts and .tsx files below src that are not tests; tests are `*.test.ts(x)`, test/ and
 * e2e/.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'

const root = join(import.meta.dirname, '..')

interface Source {
  path: string
  text: string
  lines: number
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
}

function read(path: string): Source {
  const text = readFileSync(join(root, path), 'utf8')
  return { path, text, lines: text.split('\n').length - 1 }
}

const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path)
const below = filesBelow('src').map(read)
const sources = below.filter(({ path }) => !isTest(path))
const tests = [...below.filter(({ path }) => isTest(path)), ...['test', 'e2e'].flatMap(filesBelow).map(read)]
const sizes = sources.map(({ lines }) => lines).toSorted((a, b) => a - b)
const sum = (all: readonly Source[]): number => all.reduce((total, { lines }) => total + lines, 0)
const share = (part: number): number => sizes[Math.floor(part * (sizes.length - 1))]!

const folders = new Map<string, number>()
for (const { path } of sources) folders.set(dirname(path), (folders.get(dirname(path)) ?? 0) + 1)
const byFiles = [...folders].toSorted((a, b) => b[1] - a[1])

/** Number of import statements and `import()` calls in a file. */
const importsOf = ({ text }: Source): number => [...text.matchAll(/^import\b|\bimport\(/gm)].length
const byImports = sources
  .map((source) => ({ file: source.path, imports: importsOf(source) }))
  .toSorted((a, b) => b.imports - a.imports)

/** Members of the interfaces that pass dependencies, by name. */
function contextsOf({ path, text }: Source): { name: string; file: string; members: number }[] {
  return [...text.matchAll(/^(?:export )?interface (\w+(?:Context|Deps))\b[^{]*\{\n([\s\S]*?)^\}/gm)].map(
    ([, name, body]) => ({
      name: name!,
      file: path,
      members: [...body!.matchAll(/^ {2}(?:readonly )?[\w#]+\??(?:[:(<])/gm)].length,
    }),
  )
}
const contexts = sources.flatMap(contextsOf).toSorted((a, b) => b.members - a.members)

console.log(
  JSON.stringify(
    {
      sources: {
        files: sources.length,
        lines: sum(sources),
        medianLines: share(0.5),
        p90Lines: share(0.9),
        maxLines: share(1),
        under40Lines: sizes.filter((lines) => lines < 40).length,
        linesWiderThan120: sources.reduce(
          (n, { text }) => n + text.split('\n').filter((line) => line.length > 120).length,
          0,
        ),
      },
      folders: {
        count: folders.size,
        withMoreThan12Files: byFiles.filter(([, files]) => files > 12).map(([folder, files]) => `${folder}: ${files}`),
        largest: byFiles.slice(0, 3).map(([folder, files]) => `${folder}: ${files}`),
        // src/main has depth 1.
        deepest: Math.max(...[...folders.keys()].map((folder) => folder.split('/').length - 1)),
      },
      contexts: { withMoreThan12Members: contexts.filter(({ members }) => members > 12), largest: contexts[0] },
      mostImports: byImports.slice(0, 3),
      tests: { files: tests.length, lines: sum(tests), toSourceLines: Number((sum(tests) / sum(sources)).toFixed(2)) },
      smallest: sources
        .toSorted((a, b) => a.lines - b.lines)
        .slice(0, 5)
        .map(({ path, lines }) => `${basename(path)}: ${lines}`),
    },
    null,
    2,
  ),
)
