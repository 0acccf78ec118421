import { isUtf8 } from 'node:buffer'
import { hash, randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  type Stats,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { FileState } from '../../../../shared/model/session/checkpoint'
import { isOpenedAt } from '../../workspace/file/pinned-folder'
import { renameOverSync } from '../../workspace/file/atomic-write'
import { errorCode } from '../../../../shared/error-text'

/** Set-user and set-group bits are not restored: any write removes them too. */
const MODE_BITS = 0o1777
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW

export interface CaptureOptions {
  /** Where to store the content; without it, only its hash is computed. */
  keepIn?: BlobStore
  /** Larger files are not kept. */
  maxBytes: number
}

/** The current state of `path`. Links are not followed, and only regular files are opened. Never throws. */
export function captureFile(path: string, options: CaptureOptions, stat?: Stats): FileState {
  let found = stat
  try {
    found ??= lstatSync(path)
    if (found.isSymbolicLink()) return linkState(readlinkSync(path, 'buffer'), found)
    if (found.isDirectory()) return { kind: 'folder', mode: found.mode & MODE_BITS }
    if (!found.isFile()) return { kind: 'unkept', why: 'it is neither a file nor a folder', mark: versionStamp(found) }
    if (found.size > options.maxBytes)
      return { kind: 'unkept', why: tooLarge(found.size, options.maxBytes), mark: versionStamp(found) }
    return readContent(path, options)
  } catch (error) {
    const code = errorCode(error) ?? ''
    // A path behind circular links is absent too.
    if (code === 'ENOENT' || code === 'ENOTDIR' || (code === 'ELOOP' && !found)) return { kind: 'absent' }
    return {
      kind: 'unkept',
      why: `it cannot be read (${code || 'unknown reason'})`,
      mark: found ? versionStamp(found) : code,
    }
  }
}

/** States hold text: a target that is not UTF-8 could not be recreated. */
function linkState(target: Buffer, stat: Stats): FileState {
  if (isUtf8(target)) return { kind: 'link', target: target.toString('utf8') }
  return { kind: 'unkept', why: 'it is a link to a name that is not UTF-8', mark: versionStamp(stat) }
}

function readContent(path: string, { keepIn, maxBytes }: CaptureOptions): FileState {
  const fd = openSync(path, OPEN_FLAGS)
  try {
    const stat = fstatSync(fd)
    if (!isOpenedAt(fd, path))
      return {
        kind: 'unkept',
        why: 'something else was put in its place at this very moment',
        mark: versionStamp(stat),
      }
    if (!stat.isFile() || stat.size > maxBytes)
      return { kind: 'unkept', why: tooLarge(stat.size, maxBytes), mark: versionStamp(stat) }
    const buffer = Buffer.allocUnsafe(stat.size + 1)
    let length = 0
    for (;;) {
      const read = readSync(fd, buffer, length, buffer.length - length, null)
      length += read
      if (read === 0) break
      if (length === buffer.length)
        return { kind: 'unkept', why: 'it grows while it is read', mark: versionStamp(stat) }
    }
    const bytes = buffer.subarray(0, length)
    return {
      kind: 'file',
      hash: keepIn ? keepIn.put(bytes) : hash('sha256', bytes, 'hex'),
      size: length,
      mode: stat.mode & MODE_BITS,
    }
  } finally {
    closeSync(fd)
  }
}

/** The stat of a path, without following links; undefined when it does not exist or cannot be accessed. */
export function statAt(path: string): Stats | undefined {
  try {
    // Returns undefined for a missing entry, but throws if a parent is a file.
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** Whether two states are the same: content, kind and permissions. */
export function sameState(a: FileState, b: FileState): boolean {
  if (a.kind === 'absent') return b.kind === 'absent'
  if (a.kind === 'link') return b.kind === 'link' && a.target === b.target
  if (a.kind === 'folder') return b.kind === 'folder' && a.mode === b.mode
  if (a.kind === 'unkept') return b.kind === 'unkept' && a.mark === b.mark
  return b.kind === 'file' && a.hash === b.hash && a.mode === b.mode
}

/** Identifies a version of a file whose content is not kept. */
export function versionStamp(stat: Stats): string {
  return `${stat.size}:${stat.mtimeMs}:${stat.ino}`
}

function tooLarge(bytes: number, max: number): string {
  return `it is too large (${mebibytes(bytes)}, at most ${mebibytes(max)} are kept)`
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toLocaleString('en-US', { maximumFractionDigits: 1 })} MiB`
}

const HASH = /^[0-9a-f]{64}$/

/** Contents by their SHA-256, each stored once. Readable only by the user. */
export interface BlobStore {
  /** Stores content atomically; returns its hash. */
  put(bytes: Uint8Array): string
  has(hash: string): boolean
  /** Like `has`, and marks it as used now, so that it is not garbage-collected. */
  touch(hash: string): boolean
  /** Undefined when it is missing or damaged. */
  get(hash: string): Buffer | undefined
}

/** How long a mark as used is considered current, in ms. */
const FRESH_AFTER_MS = 3_600_000

export function openBlobStore(folder: string): BlobStore {
  const pathOf = (name: string): string => join(folder, name.slice(0, 2), name.slice(2))
  const made = new Set<string>()
  const touched = new Map<string, number>()

  /** Whether the content exists; marks it as used. */
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
      // Content truncated by a crash is written again.
      if (use(name) && statAt(pathOf(name))?.size === bytes.length) return name
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
    touch: (name) => HASH.test(name) && use(name),
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
