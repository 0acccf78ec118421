import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { watchConfigFile } from '../../engine/config/watch-file'
import { writePrivateFile } from '../../engine/config/write-private-file'

const FILE = 'web-token'
/** Readable or writable by somebody else. */
const OTHERS = 0o077

/**
 * The token of the web host, kept in the home folder so that a page, a bookmark or a link still works after a restart. A new one is made at the first start,
 * when `renew` asks for it, and when the file is damaged or others on the machine could have read it.
 */
export function webToken(home: string, { renew = false }: { renew?: boolean } = {}): string {
  const file = join(home, FILE)
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
  const file = join(home, FILE)
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
