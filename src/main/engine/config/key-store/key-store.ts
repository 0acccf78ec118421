import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { spawn } from 'node:child_process'
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { errorText } from '../../../../shared/error-text'
import type { KeysView } from '../../../../shared/configuration/settings'
import { plainNode, programFile } from '../../runtime/plain-node'
import { spawnedOrThrow } from '../../process/spawn'

/** Decrypts what an older version encrypted (Electron's safeStorage). May throw. */
export interface LegacyCipher {
  decrypt(sealed: string): string
}

/**
 * Encrypts ("seals") secrets on disk with a key in the system's key store. Every host uses the same key, so all can
 * read what one of them stores. Without a reachable key store, nothing is sealed, and secrets are in files that only
 * the user can read.
 */
export interface KeyStore {
  /**
   * Fetches the key for existing sealed texts; with `make`, creates one if it is missing. Resolves within a time
   * limit and never rejects.
   */
  unlock(options?: { make?: boolean }): Promise<void>
  /** The encrypted text; undefined if it must be stored as plain text. */
  seal(text: string): string | undefined
  /** The decrypted text; undefined while the key is unavailable. */
  open(sealed: string): string | undefined
  /** Whether an older version sealed this, so that it should be sealed again. */
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

/** The user may have to type a password; without one, the program answers in a fraction of a second. */
const LIMIT_MS = 10_000
/** A key store that could not be reached is asked again after this time. */
const RETRY_MS = 30_000
const KEY_BYTES = 32

const NAMES: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'the macOS Keychain',
  win32: 'Windows Credential Manager',
  linux: 'the keyring of your desktop',
}

/** The key store is not asked before something has to be sealed or opened. */
export function createKeyStore({
  ask,
  legacy,
  platform = process.platform,
  env = process.env,
  limitMs = LIMIT_MS,
  now = Date.now,
}: KeyStoreOptions): KeyStore {
  const name = NAMES[platform]
  const without =
    name === undefined ? 'this system has no key store that Trestle knows' : unavailableReason(platform, env)
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
    // One request at a time: creating a key waits for pending lookups.
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
          // Sealed by another program or user, so it is unusable.
          return undefined
        }
      }
      if (key) return openText(sealed, key)
      // Another process may have stored the key since, or the key store was locked then.
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

/** For hosts and tests without a key store: everything is stored as plain text. */
export const NO_KEY_STORE: KeyStore = createKeyStore({ ask: async () => ({}), env: { TRESTLE_KEY_STORE: 'file' } })

/** Why there is no key store, determined without asking it: on Linux, asking without a session bus would start one. */
function unavailableReason(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string | undefined {
  if (env['TRESTLE_KEY_STORE'] === 'file') return 'TRESTLE_KEY_STORE is set to file'
  if (platform !== 'linux' || env['DBUS_SESSION_BUS_ADDRESS']) return undefined
  const runtime = env['XDG_RUNTIME_DIR']
  return runtime && existsSync(join(runtime, 'bus')) ? undefined : 'no desktop session with a keyring is running'
}

export interface KeyStoreAnswer {
  /** Base64; absent: the key store has no key yet. */
  key?: string
  /** Why the key store could not be asked, as part of a sentence. */
  problem?: string
}

/**
 * Asks the system's key store for the key; `make` creates one if it is missing. Never rejects, and resolves within
 * `limitMs`.
 */
export type AskKeyStore = (action: 'get' | 'make', limitMs: number) => Promise<KeyStoreAnswer>

/** Asks in a separate process, which is killed after the time limit. */
export function askKeyStoreProcess(program: () => readonly string[] = keyStoreProgram): AskKeyStore {
  return (action, limitMs) =>
    new Promise((resolve) => {
      let printed = ''
      let child
      try {
        const [command = '', ...args] = program()
        child = spawnedOrThrow(
          spawn(command, [...args, action], {
            env: process.env,
            stdio: ['ignore', 'pipe', 'ignore'],
            windowsHide: true,
          }),
        )
      } catch (error) {
        return resolve({ problem: `it could not be asked (${errorText(error)})` })
      }
      const limit = setTimeout(() => {
        child.kill('SIGKILL')
        resolve({ problem: `it did not answer within ${Math.round(limitMs / 1000)} s` })
      }, limitMs)
      child.stdout.on('data', (bytes: Buffer) => (printed += bytes.toString('utf8')))
      child.once('error', (error) => {
        clearTimeout(limit)
        resolve({ problem: `it could not be asked (${error.message})` })
      })
      child.once('close', (code) => {
        clearTimeout(limit)
        resolve(parseAnswer(printed) ?? { problem: `the program that asks it ended with ${code ?? 'a signal'}` })
      })
    })
}

function parseAnswer(printed: string): KeyStoreAnswer | undefined {
  try {
    const { key, problem } = JSON.parse(printed) as Record<string, unknown>
    if (typeof key === 'string') return { key }
    return typeof problem === 'string' ? { problem } : {}
  } catch {
    return undefined
  }
}

/** The program that asks the key store, and its arguments; on a plain Node, which Electron's binary is not. */
export function keyStoreProgram(): string[] {
  const options = import.meta.filename.endsWith('.ts') ? process.execArgv : []
  return [plainNode(), ...options, programFile(import.meta.url, './key-store-process.ts')]
}

const ALGORITHM = 'aes-256-gcm'
const SEALED = /^trestle1\.([0-9a-f]{8})\.([\w-]+)$/
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Whether a text was sealed in this format, not by an older version. */
function isSealedHere(text: string): boolean {
  return SEALED.test(text)
}

/** Encrypts a text; the key's fingerprint is stored with it, to distinguish another key from damage. */
export function sealText(text: string, key: Buffer): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce)
  const bytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return `trestle1.${keyFingerprint(key)}.${Buffer.concat([nonce, cipher.getAuthTag(), bytes]).toString('base64url')}`
}

/** Decrypts a text; undefined if it was sealed with another key or modified. */
export function openText(sealed: string, key: Buffer): string | undefined {
  const [, name, data = ''] = SEALED.exec(sealed) ?? []
  if (name !== keyFingerprint(key)) return undefined
  const bytes = Buffer.from(data, 'base64url')
  try {
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES))
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

function keyFingerprint(key: Buffer): string {
  return createHash('sha256').update('trestle key ').update(key).digest('hex').slice(0, 8)
}
