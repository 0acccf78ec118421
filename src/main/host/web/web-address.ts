import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { watchConfigFile } from '../../engine/config/watch-file'
import { writePrivateFile } from '../../engine/config/write-private-file'
import { CodedError } from '../../../shared/errors'
import { startWebHost, type WebHost, type WebHostOptions } from './web-host'

const TOKEN_FILE = 'web-token'
/** Mode bits of files that other users can read or write. */
const OTHERS = 0o077

/**
 * The token of the web host, saved in the home folder so that pages, bookmarks and links survive a restart. A new one
 * is created at the first start, when `renew` is set, and when the file is damaged or other users could have read it.
 */
export function webToken(home: string, { renew = false }: { renew?: boolean } = {}): string {
  const file = join(home, TOKEN_FILE)
  const kept = renew ? undefined : readToken(file)
  if (kept !== undefined) return kept
  const token = randomBytes(32).toString('hex')
  try {
    writePrivateFile(file, `${token}\n`)
  } catch (error) {
    // The app works without the file, and the next start creates another token. Only a rotation must not fail silently.
    if (renew) throw error
  }
  return token
}

/**
 * Calls back with each new token of another process (`trestle serve --new-token`), so that a running server can
 * disconnect clients with the old one. Returns a function that stops watching. A missing or damaged file is ignored:
 * the next start creates another.
 */
export function watchWebToken(home: string, onToken: (token: string) => void): () => void {
  const file = join(home, TOKEN_FILE)
  return watchConfigFile(file, () => {
    const token = readToken(file)
    if (token !== undefined) onToken(token)
  })
}

function readToken(file: string): string | undefined {
  try {
    if (process.platform !== 'win32' && (statSync(file).mode & OTHERS) !== 0) return undefined
    const token = readFileSync(file, 'utf8').trim()
    return /^[0-9a-f]{64}$/.test(token) ? token : undefined
  } catch {
    return undefined
  }
}

const PORT_FILE = 'web-port'

/**
 * Starts the web host on the last port, if it is free: to a browser another port is another origin, without the theme,
 * the drafts and the open session.
 */
export async function startOnSavedPort(options: Omit<WebHostOptions, 'port'>): Promise<WebHost> {
  const file = join(options.engine.home, PORT_FILE)
  const usual = readPort(file)
  if (usual !== undefined) {
    try {
      return await startWebHost({ ...options, port: usual })
    } catch (error) {
      // Another process has it: use any free port this time, and keep the saved one.
      if (!(error instanceof CodedError) || error.code !== 'host.port') throw error
      return startWebHost(options)
    }
  }
  const host = await startWebHost(options)
  try {
    writePrivateFile(file, `${host.port}\n`)
  } catch {
    // Saving the port is optional; the next start uses another port.
  }
  return host
}

function readPort(file: string): number | undefined {
  try {
    const port = Number(readFileSync(file, 'utf8'))
    return Number.isInteger(port) && port >= 1024 && port <= 65_535 ? port : undefined
  } catch {
    return undefined
  }
}
