/**
 * The static checks, all of them even when one fails, two at a time: `npm run check [-- --all]`.
 *
 * A check whose files have not changed since it last passed is skipped, and lint reads only files that changed and the
 * files that import them.
 * `--all` (used by `npm test`) checks everything.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { spawnTogether } from './spawn-together.ts'
import { trackedFiles } from './tracked-files.ts'

const root = join(import.meta.dirname, '..')
const cacheFile = join(root, 'node_modules/.cache/check.json')
/** With more changed files, lint reads all of them: starting it for each part of the list would take longer. */
const MAX_CHANGED = 400

interface Check {
  name: string
  script: string
  args: readonly string[]
  /** The files that decide the result. */
  inputs: RegExp
}

const CODE = /\.(?:tsx?|mjs|json)$/
const checks: readonly Check[] = [
  { name: 'lint', script: 'node_modules/oxlint/bin/oxlint', args: ['--type-aware', '--deny-warnings'], inputs: CODE },
  {
    name: 'layers',
    script: 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs',
    args: ['src', '--config', '.dependency-cruiser.mjs'],
    inputs: /^src\/.*\.tsx?$|^\.dependency-cruiser\.mjs$|^package\.json$/,
  },
  { name: 'types', script: 'node_modules/typescript/bin/tsc', args: ['-b'], inputs: CODE },
  { name: 'unused code', script: 'node_modules/knip/bin/knip.js', args: ['--no-progress', '--cache'], inputs: CODE },
  {
    name: 'wire schema (node scripts/wire-schema.ts updates it)',
    script: 'scripts/wire-schema.ts',
    args: ['--check'],
    inputs: /^src\/shared\/|^src\/main\/engine\/|^scripts\/wire-schema\.ts$|^docs\/wire-schema\.json$/,
  },
  {
    name: 'settings in the docs (node scripts/setting-docs.ts updates them)',
    script: 'scripts/setting-docs.ts',
    args: ['--check'],
    inputs: /^src\/(?:shared|main\/engine\/config)\/|^scripts\/setting-docs\.ts$|^docs\/configuration\.md$/,
  },
  {
    name: 'format (npm run format fixes it)',
    script: 'node_modules/oxfmt/bin/oxfmt',
    args: ['--check', '.'],
    inputs: /./,
  },
  { name: 'words', script: 'scripts/check-words.ts', args: [], inputs: /\.(?:tsx?|mjs|md)$/ },
  {
    name: 'folders',
    script: 'scripts/check-folders.ts',
    args: [],
    inputs: /^src\/.*\.tsx?$|^scripts\/check-folders\.ts$/,
  },
  { name: 'width', script: 'scripts/check-width.ts', args: [], inputs: /\.(?:tsx?|mjs)$/ },
]

/** Path -> hash of the content, for each check at its last success. */
type Passed = Record<string, Record<string, string>>

function readCache(): Passed {
  if (process.argv.includes('--all') || !existsSync(cacheFile)) return {}
  try {
    return JSON.parse(readFileSync(cacheFile, 'utf8')) as Passed
  } catch {
    return {}
  }
}

function hashes(): Record<string, string> {
  return Object.fromEntries(
    trackedFiles(root).map((path) => [
      path,
      createHash('sha1')
        .update(readFileSync(join(root, path)))
        .digest('base64'),
    ]),
  )
}

/** The `changed` files, and those that import one of them by a relative path. */
function withImporters(changed: ReadonlySet<string>, all: readonly string[]): string[] {
  const bare = new Set([...changed].map((path) => path.replace(/(?:\/index)?\.tsx?$/, '')))
  return all.filter((path) => {
    if (changed.has(path)) return true
    const specifiers = readFileSync(join(root, path), 'utf8').matchAll(/(?:from |import\()'(\.[^']*)'/g)
    return [...specifiers].some(([, to]) => bare.has(join(dirname(path), to!).replace(/\.tsx?$/, '')))
  })
}

/** The arguments that select what lint reads; undefined if nothing has to be read. */
function lintedFiles(before: Record<string, string> | undefined, now: Record<string, string>): string[] | undefined {
  if (!before) return ['.']
  const changed = Object.keys(now).filter((path) => before[path] !== now[path])
  // Its own settings, the compiler's and the packages' types affect every file.
  if (changed.some((path) => path.endsWith('.json') && !path.includes('/'))) return ['.']
  const code = Object.keys(now).filter((path) => /\.tsx?$/.test(path) && !path.startsWith('evals/tasks/'))
  const files = withImporters(new Set(changed.filter((path) => /\.(?:tsx?|mjs)$/.test(path))), code)
  if (files.length > MAX_CHANGED) return ['.']
  return files.length === 0 ? undefined : files
}

const passed = readCache()
const contents = hashes()
const failures: string[] = []

async function run({ name, script, args, inputs }: Check): Promise<void> {
  const now = Object.fromEntries(Object.entries(contents).filter(([path]) => inputs.test(path)))
  const before = passed[name]
  const isSame = before && JSON.stringify(before) === JSON.stringify(now)
  const files = name === 'lint' ? lintedFiles(before, now) : []
  if (isSame || files === undefined) {
    process.stdout.write(`ok   ${name} (unchanged)\n`)
    passed[name] = now
    return
  }
  const child = spawnTogether([join(root, script), ...args, ...files], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  process.stdout.write(`${code === 0 ? 'ok  ' : 'FAIL'} ${name}\n`)
  if (code === 0) passed[name] = now
  else {
    failures.push(name)
    process.stdout.write(`${output}\n`)
  }
}

const queue = [...checks]
const work = async (): Promise<void> => {
  for (let check = queue.shift(); check; check = queue.shift()) await run(check)
}
await Promise.all([work(), work()])
mkdirSync(dirname(cacheFile), { recursive: true })
writeFileSync(cacheFile, JSON.stringify(passed))
process.exit(failures.length === 0 ? 0 : 1)
