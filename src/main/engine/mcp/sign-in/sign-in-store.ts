import { createHash } from 'node:crypto'
import { chmodSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { errorCode, errorText } from '../../../../shared/error-text'
import { lazySchema, type SchemaOutput } from '../../../../shared/lazy-schema'
import { writeFailure } from '../../config/write-failure'
import { NO_KEY_STORE, type KeyStore } from '../../config/key-store/key-store'
import { writePrivateFile } from '../../config/write-private-file'
import { withFileLock } from './file-lock'
import type { OAuthServer } from './mcp-auth'

const text = lazySchema(() => z.string().optional())

const signInSchema = lazySchema(() =>
  z.object({
    /** The authorization server. No part of the sign-in is ever sent to another one. */
    issuer: z.string(),
    client: z.object({ client_id: z.string(), client_secret: text(), token_endpoint_auth_method: text() }),
    /** The address to which the authorization server redirects the browser. */
    redirectUrl: z.string(),
    /** The requested scopes. */
    scopes: z.array(z.string()),
    /** The resource that the tokens are for (RFC 8707). */
    resource: z.string(),
    tokens: z
      .object({
        access: z.string(),
        refresh: text(),
        /** ms since the epoch. */ expiresAt: z.number().optional(),
        scope: text(),
      })
      .optional(),
    endpoints: z.object({
      token: z.string(),
      tokenAuth: z.array(z.string()).optional(),
      revocation: text(),
      revocationAuth: z.array(z.string()).optional(),
    }),
  }),
)

/** A sign-in with a server: everything needed to use, renew and end it. All of it is secret. */
export type SignIn = SchemaOutput<typeof signInSchema>

const entrySchema = lazySchema(() =>
  z.union([
    z.object({ key: z.string(), url: z.string(), plain: signInSchema() }),
    z.object({ key: z.string(), url: z.string(), sealed: z.string() }),
  ]),
)
const fileSchema = lazySchema(() => z.object({ version: z.literal(1), servers: z.array(entrySchema()) }))
type Entry = SchemaOutput<typeof entrySchema>

/** The sign-ins of a home, shared by every process on it. */
export interface SignInStore {
  get(server: OAuthServer): SignIn | undefined
  /**
   * Updates one sign-in based on its current value; `undefined` removes it. Other processes' changes to other sign-ins
   * are kept.
   */
  change(server: OAuthServer, edit: (now: SignIn | undefined) => SignIn | undefined): Promise<void>
  /** Runs `work` while no other process on this home renews or starts a sign-in with this server. */
  withLock<Result>(server: OAuthServer, work: () => Promise<Result>): Promise<Result>
}

/** Opens `$home/mcp-sign-ins.json` (mode 0600, and encrypted if there is a key store); the file need not exist. */
export function createSignInStore({
  home,
  keyStore = NO_KEY_STORE,
}: {
  home: string
  keyStore?: KeyStore
}): SignInStore {
  const file = join(home, 'mcp-sign-ins.json')
  let seen: { stamp: string; entries: Map<string, Entry>; open: Map<string, SignIn> } | undefined

  /**
   * Checks the file each time, so that writes by other processes take effect immediately; reads and decrypts only after
   * a change.
   */
  const read = (): NonNullable<typeof seen> => {
    const stat = statSync(file, { throwIfNoEntry: false })
    const stamp = stat ? `${stat.ino}:${stat.size}:${stat.mtimeMs}` : ''
    if (seen?.stamp === stamp) return seen
    return (seen = { stamp, entries: new Map(stat ? entriesOf(file) : []), open: new Map() })
  }
  const open = (entry: Entry | undefined): SignIn | undefined => {
    if (!entry) return undefined
    if ('plain' in entry) return entry.plain
    try {
      const opened = keyStore.open(entry.sealed)
      return opened === undefined ? undefined : signInSchema().parse(JSON.parse(opened))
    } catch {
      // Encrypted by another program or user, so unusable here.
      return undefined
    }
  }
  const get = (server: OAuthServer): SignIn | undefined => {
    const { entries, open: opened } = read()
    const key = keyOf(server)
    const known = opened.get(key) ?? open(entries.get(key))
    // It may become decryptable later, when the key store is unlocked.
    if (known) opened.set(key, known)
    return known
  }

  return {
    get,
    change: (server, edit) =>
      withFileLock(`${file}.lock`, async () => {
        await keyStore.unlock({ make: true })
        const [key, { url }] = [keyOf(server), server]
        const next = edit(get(server))
        const entries = new Map(read().entries)
        if (!next && !entries.has(key)) return
        const sealed = next && keyStore.seal(JSON.stringify(next))
        if (next) entries.set(key, sealed === undefined ? { key, url, plain: next } : { key, url, sealed })
        else entries.delete(key)
        try {
          writePrivateFile(file, `${JSON.stringify({ version: 1, servers: [...entries.values()] }, undefined, 2)}\n`)
        } catch (error) {
          const reason = errorText(error)
          throw writeFailure(`The sign-in could not be kept in ${file}: ${reason}`, error)
        }
        seen = undefined
      }),
    withLock: (server, work) => withFileLock(join(home, `mcp-sign-in-${keyOf(server)}.lock`), work),
  }
}

/** Sign-ins belong to an address and, if configured, to its client id, regardless of the server's name and file. */
export function keyOf({ url, oauth }: OAuthServer): string {
  const address = URL.canParse(url) ? new URL(url).href : url
  return createHash('sha256')
    .update(`${address}\n${oauth?.clientId ?? ''}`)
    .digest('hex')
    .slice(0, 16)
}

function entriesOf(file: string): [string, Entry][] {
  let content: string
  try {
    // A copied or restored file could be readable by others.
    if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
    content = readFileSync(file, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw writeFailure(`The sign-ins in ${file} cannot be read.`, error)
  }
  try {
    return fileSchema()
      .parse(JSON.parse(content))
      .servers.map((entry) => [entry.key, entry])
  } catch {
    // It cannot be repaired manually, so it is renamed and kept, and the user signs in again.
    renameSync(file, `${file}.damaged-${Date.now()}`)
    return []
  }
}
