import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..')

/** Imports that point up the layers, or into a folder that is not in any layer. */
const WRONG: readonly [from: string, to: string][] = [
  ['src/main/engine/process/a.ts', 'src/main/engine/task/b.ts'],
  ['src/main/engine/store/a.ts', 'src/main/engine/session/b.ts'],
  ['src/main/engine/config/a.ts', 'src/main/engine/model/b.ts'],
  ['src/main/engine/tool/a.ts', 'src/main/engine/approval/b.ts'],
  ['src/main/engine/session/a.ts', 'src/main/engine/turn/b.ts'],
  ['src/main/engine/mcp/a.ts', 'src/main/engine/agent/b.ts'],
  ['src/main/engine/approval/a.ts', 'src/main/engine/b.ts'],
  ['src/main/api/a.ts', 'src/main/host/web/b.ts'],
  ['src/renderer/state/a.ts', 'src/renderer/features/chat/b.ts'],
  ['src/shared/model/a.ts', 'src/main/engine/loop/b.ts'],
  ['src/main/engine/new-folder/a.ts', 'src/shared/model/b.ts'],
]
const RIGHT: readonly [from: string, to: string][] = [
  ['src/main/engine/turn/c.ts', 'src/main/engine/session/d.ts'],
  ['src/main/host/web/c.ts', 'src/main/api/d.ts'],
  ['src/renderer/features/chat/c.ts', 'src/renderer/state/d.ts'],
]

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trestle-layers-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

function writeImports(imports: readonly [from: string, to: string][]): void {
  for (const [from, to] of imports) {
    write(to, 'export const value = 1\n')
    const up = '../'.repeat(dirname(from).split('/').length)
    write(from, `import { value } from '${up}${to.replace(/\.ts$/, '')}'\nexport const used = value\n`)
  }
}

/** The imports that the rules of this repository refuse, as `from -> to`. */
function violations(imports: readonly [from: string, to: string][]): string[] {
  write('package.json', '{ "type": "module" }')
  writeImports(imports)
  const program = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs')
  const args = [program, 'src', '--config', join(root, '.dependency-cruiser.mjs'), '--output-type', 'json']
  const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', maxBuffer: 64 << 20 })
  const { summary } = JSON.parse(stdout) as { summary: { violations: { from: string; to: string }[] } }
  return [...new Set(summary.violations.map(({ from, to }) => `${from} -> ${to}`))]
}

test('every import that points up the layers is refused', () => {
  expect(violations(WRONG).toSorted()).toEqual(WRONG.map(([from, to]) => `${from} -> ${to}`).toSorted())
})

test('imports that point down the layers are allowed', () => {
  expect(violations(RIGHT)).toEqual([])
})

/** The output and exit code of the folder check for these imports. */
function circles(imports: readonly [from: string, to: string][]): { status: number | null; stdout: string } {
  writeImports(imports)
  const script = join(root, 'scripts/check-folders.ts')
  const { status, stdout } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' })
  return { status, stdout }
}

test('a folder and its subfolder that import each other are refused', () => {
  const { status, stdout } = circles([
    ['src/main/engine/git/a.ts', 'src/main/engine/git/state/b.ts'],
    ['src/main/engine/git/state/c.ts', 'src/main/engine/git/d.ts'],
  ])
  expect(status).toBe(1)
  expect(stdout).toContain('src/main/engine/git -> src/main/engine/git/state -> src/main/engine/git:')
  expect(stdout).toContain('src/main/engine/git/state/c.ts imports src/main/engine/git/d.ts')
})

test('folders that import each other over a third one are refused', () => {
  const { status, stdout } = circles([
    ['src/shared/a/one.ts', 'src/shared/b/two.ts'],
    ['src/shared/b/three.ts', 'src/shared/c/four.ts'],
    ['src/shared/c/five.ts', 'src/shared/a/six.ts'],
  ])
  expect(status).toBe(1)
  expect(stdout).toContain('src/shared/a -> src/shared/b -> src/shared/c -> src/shared/a:')
})

test('a type counts as an import, and a test does not', () => {
  write('src/shared/a/one.ts', "import type { Two } from '../b/two'\nexport type One = Two\n")
  write('src/shared/b/two.ts', 'export type Two = 2\n')
  write('src/shared/b/two.test.ts', "import '../a/one'\n")
  expect(circles([])).toEqual({ status: 0, stdout: '' })
  write('src/shared/b/three.ts', "import type { One } from '../a/one'\nexport type Three = One\n")
  expect(circles([]).status).toBe(1)
})

test('a file that is started by its URL counts as an import, and a comment does not', () => {
  write('src/shared/a/one.ts', "new Worker(new URL('../b/two.ts', import.meta.url))\n")
  write(
    'src/shared/b/two.ts',
    "/**\n * import '../a/one'\n */\n// import '../a/one'\nexport const two = 2 // from '../a/one'\n",
  )
  expect(circles([])).toEqual({ status: 0, stdout: '' })
  write('src/shared/b/three.ts', "import '../a/one'\n")
  expect(circles([]).stdout).toContain('src/shared/a/one.ts imports src/shared/b/two.ts')
})

test('a folder with more than twelve files is refused, not counting tests', () => {
  const names = (count: number, end: string): [string, string][] =>
    Array.from({ length: count }, (_, n) => [`src/shared/many/file-${n}${end}`, 'src/shared/one/used.ts'])
  expect(circles([...names(12, '.ts'), ...names(3, '.test.ts')]).status).toBe(0)
  const { status, stdout } = circles(names(13, '.ts'))
  expect(status).toBe(1)
  expect(stdout).toContain('src/shared/many: 13 files, at most 12')
})
