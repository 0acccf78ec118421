import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { watchConfigFile } from '../../engine/config/watch-file'
import { writePrivateFile } from '../../engine/config/write-private-file'
import { CodedError } from '../../../shared/errors'
import { startWebHost, type WebHost, type WebHostOptions } from './web-host'

const TOKEN_FILE = 'web-token'
/** Readable or writable by somebody else. */
const OTHERS = 0o077

/**
 * The token of the web host, kept in the home folder so that a page, a bookmark or a link still works after a restart. A new one is made at the first start,
 * when `renew` asks for it, and when the file is damaged or others on the machine could have read it.
 */
export function webToken(home: string, { renew = false }: { renew?: boolean } = {}): string {
  const file = join(home, TOKEN_FILE)
  const kept = renew ? undefined : readToken(file)
  if (kept !== undefined) return kept
  const token = randomBytes(32).toString('hex')
  try {
    writePrivateFile(file, `${token}\n`)
  } catch (error) {
    // Without the file the app works, and the next start has another token. Only a rotation must not seem to have worked.
    if (renew) throw error
  }
  return token
}

/**
 * Tells of each new token that another start has made (`trestle serve --new-token`), so that a server that runs can shut out who has the old one. Returns
 * how to stop. A file that is gone or damaged changes nothing: the next start makes another.
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
 * Starts the web host where it was the last time, if it can be had: to a browser another port is another page, which knows nothing of the theme, the
 * drafts and the session that were open.
 */
export async function startOnSavedPort(options: Omit<WebHostOptions, 'port'>): Promise<WebHost> {
  const file = join(options.engine.home, PORT_FILE)
  const usual = readPort(file)
  if (usual !== undefined) {
    try {
      return await startWebHost({ ...options, port: usual })
    } catch (error) {
      // Another Trestle has it, or another program: this time any other will do, and the usual one stays what it is.
      if (!(error instanceof CodedError) || error.code !== 'host.port') throw error
      return startWebHost(options)
    }
  }
  const host = await startWebHost(options)
  try {
    writePrivateFile(file, `${host.port}\n`)
  } catch {
    // It is a convenience; the next start takes another port.
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
