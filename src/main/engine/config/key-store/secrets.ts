import { chmodSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { errorCode, errorText } from '../../../../shared/error-text'
import { lazySchema, type SchemaOutput } from '../../../../shared/lazy-schema'
import { CodedError } from '../../../../shared/errors'
import { writeFailure } from '../write-failure'
import type { ProviderView } from '../../../../shared/configuration/settings'
import type { Settings } from '../settings/settings'
import { NO_KEY_STORE, type KeyStore, askKeyStoreProcess, createKeyStore, type LegacyCipher } from './key-store'
import { writePrivateFile } from '../write-private-file'
import { keepFolderPrivate } from '../home'

/** The keys typed into the app, per provider id. They are never in config.toml and never in a log. */
export interface Secrets {
  /** Problems found in the file and what was done about them. Grows. */
  readonly notices: readonly string[]
  /**
   * Unlocks the key store to open the stored keys, and seals again what an older version of the desktop app sealed.
   * Never rejects.
   */
  unlock(): Promise<void>
  /** The stored key; also undefined if it cannot be opened now. */
  get(providerId: string): string | undefined
  /** Whether a stored key cannot be opened because the system's key store is missing or locked. */
  isLocked(providerId: string): boolean
  /** Stores a key without surrounding spaces. Throws CodedError `config.write_failed`. */
  set(providerId: string, key: string): Promise<void>
  remove(providerId: string): void
  /**
   * The key to use: the stored one, otherwise the environment variable `api_key_env`, otherwise `api_key` in the file.
   */
  keyFor(providerId: string, settings: Settings): string | undefined
  /** Where `keyFor` finds it. */
  keyFrom(providerId: string, settings: Settings): ProviderView['keyFrom']
}

const entrySchema = lazySchema(() =>
  z.union([
    z.object({ provider: z.string(), plain: z.string() }),
    z.object({ provider: z.string(), sealed: z.string() }),
  ]),
)
const fileSchema = lazySchema(() => z.object({ version: z.literal(1), keys: z.array(entrySchema()) }))
type Entry = SchemaOutput<typeof entrySchema>

/**
 * Opens `$home/credentials.json` (0600), which need not exist. Every call reads the file, so other processes' changes
 * apply.
 */
export function createSecrets(options: {
  home: string
  keyStore?: KeyStore
  notices?: readonly string[]
  env?: NodeJS.ProcessEnv
  now?: () => number
}): Secrets {
  const { home, keyStore = NO_KEY_STORE, env = process.env, now = Date.now } = options
  const file = join(home, 'credentials.json')
  const notices: string[] = [...(options.notices ?? [])]

  const notice = (text: string): void => {
    if (!notices.includes(text)) notices.push(text)
  }
  /** Undefined if the file cannot be read now, although it may have keys. */
  const readFile = (): Map<string, Entry> | undefined => {
    let text: string
    try {
      if (repairMode(file))
        notice(`Other users of this computer could read the stored keys in ${file}. The permissions are fixed now.`)
      text = readFileSync(file, 'utf8')
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return new Map()
      notice(`The stored keys cannot be read: ${errorText(error)}`)
      return undefined
    }
    const parsed = fileSchema().safeParse(parseJson(text))
    if (parsed.success) return new Map(parsed.data.keys.map((key) => [key.provider, key]))
    const aside = `${file}.damaged-${new Date(now()).toISOString().replace(/[-:.]/g, '')}`
    renameSync(file, aside)
    notice(
      `The file with the stored keys could not be read and is kept as ${aside}. ` +
        'Enter the keys again, or fix the file and put it back.',
    )
    return new Map()
  }
  const read = (): Map<string, Entry> => readFile() ?? new Map<string, Entry>()
  const change = (edit: (keys: Map<string, Entry>) => void): void => {
    const keys = readFile()
    if (!keys)
      throw new CodedError(
        'config.write_failed',
        `The stored keys in ${file} cannot be read, so none can be added or removed.`,
      )
    try {
      edit(keys)
      writePrivateFile(file, `${JSON.stringify({ version: 1, keys: [...keys.values()] }, undefined, 2)}\n`)
    } catch (error) {
      const reason = errorText(error)
      throw writeFailure(`The key could not be stored in ${file}: ${reason}`, error)
    }
  }
  const open = (found: Entry | undefined): string | undefined => {
    if (!found) return undefined
    return 'plain' in found ? found.plain : keyStore.open(found.sealed)
  }
  const sealed = (provider: string, key: string): Entry => {
    const text = keyStore.seal(key)
    return text === undefined ? { provider, plain: key } : { provider, sealed: text }
  }
  /** What an older version sealed, sealed again, as far as possible. */
  const resealed = (entries: Iterable<Entry>): Entry[] =>
    [...entries].flatMap((found) => {
      const key = 'sealed' in found && keyStore.isLegacy(found.sealed) ? keyStore.open(found.sealed) : undefined
      return key === undefined ? [] : [sealed(found.provider, key)].filter((entry) => 'sealed' in entry)
    })
  const lookUp = (providerId: string, settings: Settings): { key?: string; from: ProviderView['keyFrom'] } => {
    const entry = read().get(providerId)
    const stored = open(entry)
    if (stored !== undefined) return { key: stored, from: 'stored' }
    const provider = settings.providers[providerId]
    const fromEnv = provider?.apiKeyEnv === undefined ? '' : (env[provider.apiKeyEnv]?.trim() ?? '')
    if (fromEnv !== '') return { key: fromEnv, from: 'environment' }
    const fromFile = provider?.apiKey?.trim() ?? ''
    if (fromFile !== '') return { key: fromFile, from: 'file' }
    return { from: entry ? 'locked' : 'none' }
  }

  return {
    notices,
    get: (providerId) => open(read().get(providerId)),
    isLocked(providerId) {
      const found = read().get(providerId)
      return found !== undefined && open(found) === undefined
    },
    async unlock() {
      const entries = [...read().values()]
      const isOld = entries.some((entry) => 'sealed' in entry && keyStore.isLegacy(entry.sealed))
      await keyStore.unlock({ make: isOld })
      if (!isOld) return
      const again = resealed(entries)
      try {
        if (again.length > 0) change((keys) => again.forEach((entry) => keys.set(entry.provider, entry)))
      } catch {
        // They are left unchanged and retried at the next start.
      }
    },
    async set(providerId, key) {
      await keyStore.unlock({ make: true })
      change((keys) => keys.set(providerId, sealed(providerId, key.trim())))
    },
    remove(providerId) {
      if (read().has(providerId)) change((keys) => keys.delete(providerId))
    },
    keyFor: (providerId, settings) => lookUp(providerId, settings).key,
    keyFrom: (providerId, settings) => lookUp(providerId, settings).from,
  }
}

/** Fixes the mode of a file that was copied or restored with permissions for others. Returns whether it had them. */
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

export interface OpenKeysOptions {
  home: string
  legacy?: (() => LegacyCipher | undefined) | undefined
}

/**
 * Opens the key store and the stored keys of a home. The key store is only asked if something is sealed.
 */
export async function openKeys({ home, legacy }: OpenKeysOptions): Promise<{ keyStore: KeyStore; secrets: Secrets }> {
  const keyStore = createKeyStore({ ask: askKeyStoreProcess(), ...(legacy && { legacy }) })
  const problem = await keepFolderPrivate(home)
  const secrets = createSecrets({ home, keyStore, ...(problem !== undefined && { notices: [problem] }) })
  if (['credentials.json', 'mcp-sign-ins.json'].some((name) => hasSealed(join(home, name)))) await secrets.unlock()
  return { keyStore, secrets }
}

function hasSealed(file: string): boolean {
  try {
    return readFileSync(file, 'utf8').includes('"sealed"')
  } catch {
    return false
  }
}
