import { hash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renameOverSync } from '../workspace/rename-over'

const HASH = /^[0-9a-f]{64}$/

/** Contents by the SHA-256 of their bytes, each once, whoever needs it. Readable for the user alone. */
export interface BlobStore {
  /** Keeps a content. It is there whole or not at all, also after a crash of this process. */
  put(bytes: Uint8Array): string
  has(hash: string): boolean
  /** The same, and it counts as used now: so it is not collected as old. */
  keeps(hash: string): boolean
  /** Undefined when it is not there, or is not what it was any more. */
  get(hash: string): Buffer | undefined
}

/** A content that is used again is as good as new: what is collected is old. */
const FRESH_AFTER_MS = 3_600_000

export function openBlobStore(folder: string): BlobStore {
  const pathOf = (name: string): string => join(folder, name.slice(0, 2), name.slice(2))
  const made = new Set<string>()
  const touched = new Map<string, number>()

  /** Whether it is there; it is marked as used. */
  const use = (name: string): boolean => {
    const now = Date.now()
    const last = touched.get(name)
    if (last !== undefined && now - last < FRESH_AFTER_MS) return existsSync(pathOf(name))
    try {
      utimesSync(pathOf(name), now / 1000, now / 1000)
    } catch {
      return false
    }
    if (touched.size > 100_000) touched.clear()
    touched.set(name, now)
    return true
  }

  return {
    put(bytes) {
      const name = hash('sha256', bytes, 'hex')
      if (use(name)) return name
      const place = name.slice(0, 2)
      if (!made.has(place)) mkdirSync(join(folder, place), { recursive: true, mode: 0o700 })
      made.add(place)
      const temporary = join(folder, place, `.${randomBytes(6).toString('hex')}.tmp`)
      try {
        writeFileSync(temporary, bytes, { mode: 0o600, flag: 'wx' })
        renameOverSync(temporary, pathOf(name))
      } catch (error) {
        made.delete(place)
        rmSync(temporary, { force: true })
        throw error
      }
      touched.set(name, Date.now())
      return name
    },
    keeps: (name) => HASH.test(name) && use(name),
    has: (name) => HASH.test(name) && existsSync(pathOf(name)),
    get(name) {
      if (!HASH.test(name)) return undefined
      let bytes: Buffer
      try {
        bytes = readFileSync(pathOf(name))
      } catch {
        return undefined
      }
      return hash('sha256', bytes, 'hex') === name ? bytes : undefined
    },
  }
}
