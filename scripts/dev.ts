/**
 * `npm run dev`: with Electron's binary, electron-vite with hot reload; without it, a build that watches the sources
 * and the web host, restarted whenever the main process is rebuilt (reload the page for changes of the interface).
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import './build.ts'
import { spawnTogether } from './spawn-together.ts'

const root = join(import.meta.dirname, '..')
const electronVite = join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
const hasElectron =
  existsSync(join(root, 'node_modules', 'electron', 'path.txt')) ||
  process.env['ELECTRON_OVERRIDE_DIST_PATH'] !== undefined

const commands = hasElectron
  ? [[electronVite, 'dev']]
  : [
      [electronVite, 'build', '--watch', '--logLevel', 'warn'],
      ['--watch', join(root, 'out', 'main', 'cli.js'), 'serve'],
    ]
const children = commands.map((args) => spawnTogether(args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }))
for (const child of children) {
  child.on('exit', (code) => {
    for (const other of children) other.kill()
    process.exitCode = code ?? 0
  })
}
