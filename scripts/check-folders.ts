/**
 * Finds folders below src that import each other, directly or through other folders, and folders with too many files:
 * `node scripts/check-folders.ts [ROOT]`. Part of `npm run check`. A folder and its subfolder count as two; types count
 * as imports, tests do not. Move what both need to a folder below them.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const root = process.argv[2] ?? join(import.meta.dirname, '..')
/** Tests, and files that are not TypeScript, do not count. */
const MAX_FILES = 12
/** Includes programs that are started from a file: `new URL('./x.ts', import.meta.url)`. */
const IMPORT = /(?:\bfrom\s*|\bimport\s*\(\s*|^import\s+|\bnew\s+URL\s*\(\s*)['"](\.[^'"?]+)(?:\?\w+)?['"]/gm
/**
 * A block comment at the start of a line, or a comment at the end of a line; elsewhere the characters are parts of
 * strings.
 */
const COMMENT = /^[ \t]*\/\*[^]*?\*\/|(?<=^|[ \t])\/\/.*$/gm

const files = new Set(
  readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/')),
)

/** The file that an import in `file` refers to; undefined for anything that is not code in src. */
function imported(file: string, specifier: string): string | undefined {
  const path = join(dirname(file), specifier).replaceAll('\\', '/')
  return [path, `${path}.ts`, `${path}.tsx`, `${path}/index.ts`].find((candidate) => files.has(candidate))
}

/** Folder -> each folder that it imports from, with one import as the reason. */
const imports = new Map<string, Map<string, string>>()
for (const file of files) {
  const from = dirname(file)
  for (const [, specifier] of readFileSync(join(root, file), 'utf8').replaceAll(COMMENT, '').matchAll(IMPORT)) {
    const target = imported(file, specifier!)
    if (target === undefined || dirname(target) === from) continue
    const targets = imports.get(from) ?? new Map<string, string>()
    imports.set(from, targets)
    if (!targets.has(dirname(target))) targets.set(dirname(target), `${file} imports ${target}`)
  }
}

/** The shortest import path between two folders; undefined if they are not connected. */
function importPath(from: string, to: string): string[] | undefined {
  const before = new Map<string, string>()
  const open = [from]
  for (const folder of open) {
    for (const next of imports.get(folder)?.keys() ?? []) {
      if (before.has(next)) continue
      before.set(next, folder)
      open.push(next)
    }
  }
  if (!before.has(to)) return undefined
  const folders = [to]
  do folders.unshift(before.get(folders[0]!)!)
  while (folders[0] !== from)
  return folders
}

const reported = new Set<string>()
for (const folder of [...imports.keys()].toSorted()) {
  const circle = reported.has(folder) ? undefined : importPath(folder, folder)
  if (!circle) continue
  for (const each of circle) reported.add(each)
  console.log(`${circle.join(' -> ')}:`)
  for (const [index, from] of circle.slice(0, -1).entries())
    console.log(`  ${imports.get(from)!.get(circle[index + 1]!)}`)
}
if (reported.size > 0) console.log('Folders must not import each other.')

const crowded = [...Map.groupBy(files, (file) => dirname(file))].filter(([, inside]) => inside.length > MAX_FILES)
for (const [folder, inside] of crowded) console.log(`${folder}: ${inside.length} files, at most ${MAX_FILES}`)
if (crowded.length > 0) console.log('Move files that belong together into a folder of their own.')
process.exit(reported.size + crowded.length === 0 ? 0 : 1)
