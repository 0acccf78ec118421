import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Parsed } from './command-line/parse'
import { STARTED_BY_COMMAND } from './desktop-login-shell'

/** Fetching Electron's binary (about 110 MB) is given up after this long without an end. */
const DOWNLOAD_LIMIT_MS = 5 * 60_000

/**
 * `trestle desktop`: opens the desktop app and stays until it is closed. Where it cannot run, one line says why and the web host
 * opens instead. Returns the exit code.
 */
export async function desktopMain(parsed: Parsed, version: string): Promise<number> {
  const electron = await findElectron()
  if ('missing' in electron) {
    process.stderr.write(`The desktop app cannot open: ${electron.missing} Opening the web host instead.\n`)
    const { serveMain } = await import('./host/web/serve-main')
    return serveMain(parsed, version)
  }
  const app = spawn(electron.path, [join(dirname(fileURLToPath(import.meta.url)), 'index.js')], {
    stdio: 'inherit',
    env: { ...process.env, [STARTED_BY_COMMAND]: '1' },
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => app.kill(signal))
  return new Promise((resolve, reject) => {
    app.once('error', reject)
    app.once('exit', (code, signal) => resolve(signal ? 130 : (code ?? 1)))
  })
}

async function findElectron(): Promise<{ path: string } | { missing: string }> {
  if (process.platform === 'linux' && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY']) return { missing: 'there is no display.' }
  const override = process.env['ELECTRON_OVERRIDE_DIST_PATH']
  if (override !== undefined) {
    const path = join(
      override,
      process.platform === 'win32' ? 'electron.exe' : process.platform === 'darwin' ? 'Electron.app/Contents/MacOS/Electron' : 'electron',
    )
    return existsSync(path) ? { path } : { missing: `ELECTRON_OVERRIDE_DIST_PATH has no Electron (${path}).` }
  }
  const folder = electronPackage()
  if (folder === undefined) return { missing: 'the electron package is not installed.' }
  const installed = installedBinary(folder)
  if (installed !== undefined) return { path: installed }
  process.stderr.write('Fetching the Electron binary, once ...\n')
  await download(folder)
  const fetched = installedBinary(folder)
  return fetched === undefined ? { missing: "Electron's binary is not there and could not be downloaded." } : { path: fetched }
}

function electronPackage(): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve('electron/package.json'))
  } catch {
    return undefined
  }
}

/** The electron package notes in path.txt where its binary is, once it has one. */
function installedBinary(folder: string): string | undefined {
  const note = join(folder, 'path.txt')
  if (!existsSync(note)) return undefined
  const path = join(folder, 'dist', readFileSync(note, 'utf8'))
  return existsSync(path) ? path : undefined
}

/** Runs the package's own installer, quietly: what matters is whether the binary is there afterwards. */
function download(folder: string): Promise<void> {
  return new Promise((resolve) => {
    const installer = spawn(process.execPath, [join(folder, 'install.js')], { stdio: 'ignore', timeout: DOWNLOAD_LIMIT_MS })
    installer.once('error', () => resolve())
    installer.once('exit', () => resolve())
  })
}
