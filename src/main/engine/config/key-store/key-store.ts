import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { KeysView } from '../../../../shared/model/settings'
import type { AskKeyStore } from './ask-key-store'
import { isSealedHere, openText, sealText } from './sealed-text'

/** Decrypts what an older version encrypted (Electron's safeStorage). May throw. */
export interface LegacyCipher {
  decrypt(sealed: string): string
}

/**
 * Seals what must be secret on the disk, with a key that is kept in the key store of the system. Every host uses the same key, so that what one of them stores the others can read.
 * Where no key store can be reached, nothing is sealed, and files that only the user can read have to do.
 */
export interface KeyStore {
  /** Fetches the key, for what is sealed already; with `make` makes one if it has none yet. Answers within a time limit, and never rejects. */
  unlock(options?: { make?: boolean }): Promise<void>
  /** The text sealed; undefined where it has to be kept plain. */
  seal(text: string): string | undefined
  /** What was sealed; undefined as long as the key cannot be had. */
  open(sealed: string): string | undefined
  /** Whether this was sealed by an older version, and should be sealed again. */
  isLegacy(sealed: string): boolean
  status(): KeysView
}

export interface KeyStoreOptions {
  ask: AskKeyStore
  legacy?: () => LegacyCipher | undefined
  platform?: NodeJS.Platform
  env?: NodeJS.ProcessEnv
  limitMs?: number
  now?: () => number
}

/** A person may have to type a password meanwhile; a program that asks for none answers in a fraction of a second. */
const LIMIT_MS = 10_000
/** A key store that could not be asked is asked again after so long. */
const RETRY_MS = 30_000
const KEY_BYTES = 32

const NAMES: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'the macOS Keychain',
  win32: 'Windows Credential Manager',
  linux: 'the keyring of your desktop',
}

/** Nothing is asked before something has to be sealed or opened. */
export function createKeyStore({
  ask,
  legacy,
  platform = process.platform,
  env = process.env,
  limitMs = LIMIT_MS,
  now = Date.now,
}: KeyStoreOptions): KeyStore {
  const name = NAMES[platform]
  const without = name === undefined ? 'this system has no key store that Trestle knows' : whyNone(platform, env)
  let key: Buffer | undefined
  let problem: string | undefined = without
  let askedAt = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | undefined
  let old: { cipher: LegacyCipher | undefined } | undefined

  async function fetch(action: 'get' | 'make'): Promise<void> {
    askedAt = now()
    const { key: found, problem: why } = await ask(action, limitMs)
    const bytes = found === undefined ? undefined : Buffer.from(found, 'base64')
    if (bytes?.length === KEY_BYTES) key = bytes
    problem = why ?? (bytes && !key ? 'what it keeps for Trestle is not a key' : undefined)
  }

  async function unlock({ make = false } = {}): Promise<void> {
    if (without !== undefined) return
    // One question at a time: whoever makes a key waits for those who only look for one.
    const mine = (asking ?? Promise.resolve()).then(() => (key ? undefined : fetch(make ? 'make' : 'get')))
    asking = mine
    await mine
    if (asking === mine) asking = undefined
  }

  return {
    unlock,
    seal: (text) => key && sealText(text, key),
    open(sealed) {
      if (!isSealedHere(sealed)) {
        try {
          old ??= { cipher: legacy?.() }
          return old.cipher?.decrypt(sealed)
        } catch {
          // Sealed by another program or user: as good as nothing.
          return undefined
        }
      }
      if (key) return openText(sealed, key)
      // Another process may have stored it after this one looked, or the key store was locked then.
      if (!asking && now() - askedAt > RETRY_MS) void unlock()
      return undefined
    },
    isLegacy: (sealed) => !isSealedHere(sealed),
    status: () =>
      problem === undefined && name !== undefined
        ? { store: 'system', name }
        : { store: 'file', ...(problem !== undefined && { reason: problem }), ...(name !== undefined && { name }) },
  }
}

/** For hosts and tests without one: everything is kept plain. */
export const NO_KEY_STORE: KeyStore = createKeyStore({ ask: async () => ({}), env: { TRESTLE_KEY_STORE: 'file' } })

/** Why there is no key store to ask, without asking: on Linux a question without a session bus would start one. */
function whyNone(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string | undefined {
  if (env['TRESTLE_KEY_STORE'] === 'file') return 'TRESTLE_KEY_STORE says so'
  if (platform !== 'linux' || env['DBUS_SESSION_BUS_ADDRESS']) return undefined
  const runtime = env['XDG_RUNTIME_DIR']
  return runtime && existsSync(join(runtime, 'bus')) ? undefined : 'no desktop session with a keyring is running'
}
