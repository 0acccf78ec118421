import { chmodSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { CodedError } from '../../../shared/model/errors'
import type { ProviderView } from '../../../shared/model/settings'
import type { Settings } from './settings'
import { writePrivateFile } from './write-private-file'

/** Encrypts texts with a key only the system's keychain knows (Electron's safeStorage). Both may throw. */
export interface Cipher {
  /** Returns text that can be stored, e.g. base64. */
  encrypt(text: string): string
  decrypt(sealed: string): string
}

/** The keys typed into the app, per provider id. They are never in config.toml and never in a log. */
export interface Secrets {
  /** What was found wrong with the file and what was done about it. Grows. */
  readonly notices: readonly string[]
  /** The stored key; undefined also for one that this host cannot decrypt. */
  get(providerId: string): string | undefined
  /** Whether a key is stored that only the desktop app can decrypt. */
  isLocked(providerId: string): boolean
  /** Stores a key; blanks around it are dropped. CodedError `config.write_failed`. */
  set(providerId: string, key: string): void
  remove(providerId: string): void
  /** The key to use: the stored one, else the environment variable `api_key_env`, else `api_key` of the file. */
  keyFor(providerId: string, settings: Settings): string | undefined
  /** Where `keyFor` finds it. */
  keyFrom(providerId: string, settings: Settings): ProviderView['keyFrom']
}

const entry = z.union([z.object({ provider: z.string(), plain: z.string() }), z.object({ provider: z.string(), sealed: z.string() })])
const fileSchema = z.object({ version: z.literal(1), keys: z.array(entry) })
type Entry = z.infer<typeof entry>

/** Opens `$home/credentials.json` (0600), which need not exist. Every call looks at the file, so other processes' changes count. */
export function createSecrets(options: { home: string; cipher?: Cipher; env?: NodeJS.ProcessEnv; now?: () => number }): Secrets {
  const { home, cipher, env = process.env, now = Date.now } = options
  const file = join(home, 'credentials.json')
  const notices: string[] = []

  const notice = (text: string): void => {
    if (!notices.includes(text)) notices.push(text)
  }
  /** `undefined`: there may be keys, but the file cannot be read now. */
  const readFile = (): Map<string, Entry> | undefined => {
    let text: string
    try {
      if (repairMode(file)) notice(`Other users of this computer could read the stored keys in ${file}; that is mended now.`)
      text = readFileSync(file, 'utf8')
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Map()
      notice(`The stored keys cannot be read: ${error instanceof Error ? error.message : String(error)}`)
      return undefined
    }
    const parsed = fileSchema.safeParse(parseJson(text))
    if (parsed.success) return new Map(parsed.data.keys.map((key) => [key.provider, key]))
    const aside = `${file}.damaged-${new Date(now()).toISOString().replace(/[-:.]/g, '')}`
    renameSync(file, aside)
    notice(`The file with the stored keys could not be read and is kept as ${aside}. Type the keys in again, or mend it and put it back.`)
    return new Map()
  }
  const read = (): Map<string, Entry> => readFile() ?? new Map<string, Entry>()
  const change = (edit: (keys: Map<string, Entry>) => void): void => {
    const keys = readFile()
    if (!keys) throw new CodedError('config.write_failed', `The stored keys in ${file} cannot be read, so none can be added or removed.`)
    try {
      edit(keys)
      writePrivateFile(file, `${JSON.stringify({ version: 1, keys: [...keys.values()] }, undefined, 2)}\n`)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new CodedError('config.write_failed', `The key could not be stored in ${file}: ${reason}`, { cause: error })
    }
  }
  const open = (found: Entry | undefined): string | undefined => {
    if (!found) return undefined
    if ('plain' in found) return found.plain
    try {
      return cipher?.decrypt(found.sealed)
    } catch {
      // Another user's or machine's keychain: as good as no key, and `isLocked` says why.
      return undefined
    }
  }
  const lookUp = (providerId: string, settings: Settings): { key?: string; from: ProviderView['keyFrom'] } => {
    const stored = open(read().get(providerId))
    if (stored !== undefined) return { key: stored, from: 'stored' }
    const provider = settings.providers[providerId]
    const fromEnv = provider?.apiKeyEnv === undefined ? '' : (env[provider.apiKeyEnv]?.trim() ?? '')
    if (fromEnv !== '') return { key: fromEnv, from: 'environment' }
    const fromFile = provider?.apiKey?.trim() ?? ''
    return fromFile === '' ? { from: 'none' } : { key: fromFile, from: 'file' }
  }

  return {
    notices,
    get: (providerId) => open(read().get(providerId)),
    isLocked(providerId) {
      const found = read().get(providerId)
      return found !== undefined && open(found) === undefined
    },
    set(providerId, key) {
      const trimmed = key.trim()
      change((keys) =>
        keys.set(providerId, cipher ? { provider: providerId, sealed: cipher.encrypt(trimmed) } : { provider: providerId, plain: trimmed }),
      )
    },
    remove(providerId) {
      if (read().has(providerId)) change((keys) => keys.delete(providerId))
    },
    keyFor: (providerId, settings) => lookUp(providerId, settings).key,
    keyFrom: (providerId, settings) => lookUp(providerId, settings).from,
  }
}

/** A copied or restored file may have come with rights for others. Says whether it had. */
function repairMode(file: string): boolean {
  if (process.platform === 'win32' || (statSync(file).mode & 0o077) === 0) return false
  chmodSync(file, 0o600)
  return true
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
