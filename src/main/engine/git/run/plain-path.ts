import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
} from 'node:fs'
import { join } from 'node:path'
import type { WorktreeRecord } from '../../config/worktree-record'
import { descriptorPath, pinFolder, replacedProblem } from '../../workspace/file/pinned-folder'

/** Does not follow a link, and does not block on a pipe without a writer. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const CHUNK_BYTES = 1024 * 1024

/**
 * Calls `work` with an alias of a path below `top`, in a folder that is kept open and not reached through a link.
 * `make`: creates missing folders. Throws if a parent folder is missing, a file or a link.
 */
export function inPlainFolder<Result>(
  top: string,
  path: RawPath,
  { make = false }: { make?: boolean },
  work: (place: string | Buffer) => Result,
): Result {
  const parts = path.split('/')
  const name = Buffer.from(parts.at(-1)!, 'latin1')
  const parents = parts.slice(0, -1).join('/')
  if (!isUtf8(Buffer.from(parents, 'latin1'))) {
    requirePlainParents(top, parts, make)
    return work(onDisk(top, path))
  }
  const options = { shown: shownPath(path), ...(make && { made: () => undefined }) }
  const folder = pinFolder(parents === '' ? top : join(top, shownPath(parents)), options)
  try {
    const at = folder.at('x').slice(0, -1)
    const result = work(isUtf8(name) ? folder.at(name.toString('utf8')) : Buffer.concat([Buffer.from(at), name]))
    folder.verify()
    return result
  } finally {
    folder.close()
  }
}

/** For names that are not UTF-8: the folders are checked, but not kept open. */
function requirePlainParents(top: string, parts: readonly string[], make: boolean): void {
  for (let count = 1; count < parts.length; count += 1) {
    const parent = parts.slice(0, count).join('/')
    const place = onDisk(top, parent)
    const stat = lstatSync(place, { throwIfNoEntry: false })
    if (!stat && make) mkdirSync(place)
    else if (!stat?.isDirectory()) throw replacedProblem(shownPath(parent))
  }
}

/** Opens a regular file without following a link. Undefined for any other entry, or no entry. */
function openPlain(top: string, path: RawPath): { handle: number; size: number; mode: number } | undefined {
  let handle: number
  try {
    handle = inPlainFolder(top, path, {}, (place) => openSync(place, READ_FLAGS))
  } catch {
    return undefined
  }
  const stat = fstatSync(handle)
  if (stat.isFile()) return { handle, size: stat.size, mode: stat.mode & 0o777 }
  closeSync(handle)
  return undefined
}

/** The content of a regular file, read without following a link. Undefined for other entries and larger files. */
export function readPlainFile(
  top: string,
  path: RawPath,
  maxBytes: number,
): { content: Buffer; mode: number } | undefined {
  const file = openPlain(top, path)
  if (!file) return undefined
  try {
    if (file.size > maxBytes) return undefined
    const content = readFileSync(file.handle)
    return content.length > maxBytes ? undefined : { content, mode: file.mode }
  } finally {
    closeSync(file.handle)
  }
}

/** Copies a regular file to a new place, without following a link to it; undefined for other entries. */
export function copyPlainFile(top: string, path: RawPath, to: string): { mode: number } | undefined {
  const file = openPlain(top, path)
  if (!file) return undefined
  try {
    copyFileSync(descriptorPath(file.handle, onDisk(top, path)), to, constants.COPYFILE_FICLONE)
    return { mode: file.mode }
  } finally {
    closeSync(file.handle)
  }
}

/**
 * The hash that `git hash-object` gives a regular file, read without following a link; `like`: any hash of the
 * repository, for its format.
 */
export function plainFileHash(top: string, path: RawPath, like: string): string | undefined {
  const file = openPlain(top, path)
  if (!file) return undefined
  try {
    const hash = createHash(like.length === 64 ? 'sha256' : 'sha1').update(`blob ${file.size}\0`)
    const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, file.size + 1))
    let total = 0
    for (;;) {
      const read = readSync(file.handle, chunk)
      if (read === 0) break
      total += read
      hash.update(chunk.subarray(0, read))
    }
    return total === file.size ? hash.digest('hex') : undefined
  } catch {
    return undefined
  } finally {
    closeSync(file.handle)
  }
}

/** Whether a path below the top is a folder, and no part of it is a link. */
export function isPlainFolder(top: string, inside: string): boolean {
  let place = top
  for (const part of inside.split('/').filter((one) => one !== '')) {
    place = join(place, part)
    if (part === '..' || !lstatSync(place, { throwIfNoEntry: false })?.isDirectory()) return false
  }
  return true
}

/** The folder to work in: the same folder as in the project, or the top if that is now missing or a link. */
export function workFolder({ folder, inside }: Pick<WorktreeRecord, 'folder' | 'inside'>): string {
  return isPlainFolder(folder, inside) ? join(folder, inside) : folder
}

/**
 * A path as git prints it, as latin1, because names need not be UTF-8 and must be preserved. Relative to the top, with
 * `/`.
 */
export type RawPath = string

/** Parses the output of git with `-z`. */
export function rawPaths(stdout: Buffer): RawPath[] {
  return stdout
    .toString('latin1')
    .split('\0')
    .filter((path) => path !== '')
}

/** The path on disk: text if possible, because only that works on every system. */
export function onDisk(top: string, path: RawPath): string | Buffer {
  const bytes = Buffer.from(path, 'latin1')
  return isUtf8(bytes) ? join(top, bytes.toString('utf8')) : Buffer.concat([Buffer.from(`${top}/`), bytes])
}

/** The path as text, for people. */
export function shownPath(path: RawPath): string {
  return Buffer.from(path, 'latin1').toString('utf8')
}

/** The path in quotes, as git reads it in a list with one per line. */
export function quoted(path: RawPath): string {
  let text = '"'
  for (const character of path) {
    const code = character.charCodeAt(0)
    if (character === '"' || character === '\\') text += `\\${character}`
    else if (code < 0x20 || code >= 0x7f) text += `\\${code.toString(8).padStart(3, '0')}`
    else text += character
  }
  return `${text}"`
}
