import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { packagedRuntime } from '../engine/runtime/plain-node'

/** Electron's binary with its first arguments, or why it is missing, as a sentence to follow a colon. */
export type FoundElectron = { path: string; args: readonly string[] } | { missing: string }

/** Timeout for downloading Electron's binary (about 110 MB). */
const DOWNLOAD_LIMIT_MS = 5 * 60_000
const MAX_ERROR_CHARS = 4_000
const MAX_REASON_CHARS = 200
const MIRROR_HINT = 'Behind a proxy set ELECTRON_GET_USE_PROXY=1 and HTTPS_PROXY; ELECTRON_MIRROR names another server.'

/**
 * Finds the program of the desktop app: the installed app this program belongs to, or Electron with our entry.
 * Downloads Electron if it is missing.
 */
export async function findElectron(env: NodeJS.ProcessEnv = process.env): Promise<FoundElectron> {
  if (process.platform === 'linux' && !env['DISPLAY'] && !env['WAYLAND_DISPLAY'])
    return { missing: 'there is no display.' }
  const packaged = packagedRuntime()
  if (packaged) return installedApp(dirname(dirname(packaged.node)))
  const args = [join(import.meta.dirname.replace(/([\\/])chunks$/, ''), 'index.js')]
  const override = env['ELECTRON_OVERRIDE_DIST_PATH']
  if (override !== undefined) {
    const path = join(override, binaryName())
    return existsSync(path) ? { path, args } : { missing: `ELECTRON_OVERRIDE_DIST_PATH has no Electron (${path}).` }
  }
  const folder = electronPackage()
  if (folder === undefined) return { missing: 'the electron package is not installed.' }
  const installed = installedBinary(folder)
  if (installed !== undefined) return { path: installed, args }
  process.stderr.write('Fetching the Electron binary, once ...\n')
  const problem = await download(folder)
  const fetched = installedBinary(folder)
  if (fetched !== undefined) return { path: fetched, args }
  return {
    missing: `Electron's binary could not be fetched${problem === undefined ? '' : `: ${problem}`}. ${MIRROR_HINT}`,
  }
}

function binaryName(): string {
  switch (process.platform) {
    case 'win32':
      return 'electron.exe'
    case 'darwin':
      return join('Electron.app', 'Contents', 'MacOS', 'Electron')
    default:
      return 'electron'
  }
}

/** The packaged app that contains this resources folder; it includes its own entry. */
function installedApp(resources: string): FoundElectron {
  const folder = dirname(resources)
  const candidates = [join(folder, 'trestle'), join(folder, 'Trestle.exe'), join(folder, 'MacOS', 'Trestle')]
  const path = candidates.find((candidate) => existsSync(candidate))
  return path === undefined ? { missing: `the app is not in ${folder}. Install Trestle again.` } : { path, args: [] }
}

function electronPackage(): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve('electron/package.json'))
  } catch {
    return undefined
  }
}

/** The electron package writes the location of its binary to path.txt once installed. */
function installedBinary(folder: string): string | undefined {
  const note = join(folder, 'path.txt')
  if (!existsSync(note)) return undefined
  const path = join(folder, 'dist', readFileSync(note, 'utf8'))
  return existsSync(path) ? path : undefined
}

/** Runs the package's installer. Returns the reason if it failed. */
function download(folder: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const installer = spawn(process.execPath, [join(folder, 'install.js')], {
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: DOWNLOAD_LIMIT_MS,
    })
    let printed = ''
    installer.stderr
      .setEncoding('utf8')
      .on('data', (text: string) => (printed = (printed + text).slice(0, MAX_ERROR_CHARS)))
    installer.once('error', (error) => resolve(error.message))
    installer.once('close', (code, signal) => {
      if (signal !== null) return resolve(`it took longer than ${DOWNLOAD_LIMIT_MS / 60_000} minutes`)
      resolve(code === 0 ? undefined : reasonIn(printed))
    })
  })
}

/** The line of an installer's output that names the error; its stack follows. */
function reasonIn(printed: string): string | undefined {
  const lines = printed.split('\n').map((line) => line.trim())
  const named = lines.find((line) => /^\w*Error\b/.test(line)) ?? lines.find((line) => line !== '')
  return named?.slice(0, MAX_REASON_CHARS).replace(/\.$/, '')
}
