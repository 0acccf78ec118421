/**
 * Builds what is stale: `node scripts/build.ts [--force]`. A build is stale when a source is newer than the stamp of
 * the last one.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const stamp = join(root, 'out', '.built')
const sources = [
  'src',
  'resources',
  'package.json',
  'package-lock.json',
  'electron.vite.config.ts',
  'LICENSE',
  'NOTICE',
]

function newest(path: string): number {
  if (!existsSync(path)) return 0
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newest(join(path, name))), stat.mtimeMs)
}

const fresh =
  existsSync(stamp) &&
  !process.argv.includes('--force') &&
  sources.every((source) => newest(join(root, source)) <= statSync(stamp).mtimeMs)
if (!fresh) {
  process.stderr.write('Building Trestle ...\n')
  const startedAt = new Date()
  const result = spawnSync(
    process.execPath,
    [join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js'), 'build', '--logLevel', 'error'],
    {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  if (result.status !== 0) {
    process.stderr.write('The build failed; see above.\n')
    process.exit(1)
  }
  for (const step of ['icons.ts', 'licenses/third-party-licenses.ts']) {
    const { status } = spawnSync(process.execPath, [join(root, 'scripts', step)], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    if (status !== 0) {
      process.stderr.write(`scripts/${step} failed; see above.\n`)
      process.exit(1)
    }
  }
  writeFileSync(stamp, '')
  // A source saved during the build counts as newer.
  utimesSync(stamp, startedAt, startedAt)
}
