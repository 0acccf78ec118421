import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type BigIntStats, type Stats } from 'node:fs'
import { lstat, open, type FileHandle } from 'node:fs/promises'
import { hash } from 'node:crypto'
import { FileProblem, fileProblem } from '../path/file-problem'
import { isOpenedAt, replacedProblem } from './pinned-folder'
import { isPlaceholder } from './reserved-file'

// Windows has only the first flag; the others are undefined there, which `|` treats as 0, and no path is a FIFO or
// terminal there anyway.
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY

/** Identifies a file and its state, to detect changes after it was checked. */
export type FileStamp = Pick<BigIntStats, 'dev' | 'ino' | 'size' | 'mtimeNs' | 'ctimeNs'>

/** Whether the file was not touched between the two stamps. */
export function isSameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs
}

/** A file's content at one moment. `bytes` is missing above `LARGE_FILE_BYTES`. */
export interface LoadedFile {
  bytes: Buffer | undefined
  size: number
  mark: string
  stamp: FileStamp
  /** Number of names on disk; more than one if it has hard links. */
  links: number
}

/**
 * Opens the regular file at a real path for reading. Refuses folders and special files without opening them (opening a
 * FIFO waits for a writer, opening a device can have effects), and follows no symlink that has replaced the file or one
 * of its folders. Throws `FileProblem`.
 */
export async function openRegular(realPath: string, shown: string): Promise<{ handle: FileHandle; stat: BigIntStats }> {
  let handle: FileHandle | undefined
  try {
    refuseSpecial(await lstat(realPath), shown)
    handle = await open(realPath, OPEN_FLAGS)
    const stat = await handle.stat({ bigint: true })
    refuseSpecial(stat, shown)
    if (!isOpenedAt(handle.fd, realPath)) throw replacedProblem(shown)
    return { handle, stat }
  } catch (error) {
    await handle?.close()
    throw fileProblem(error, shown)
  }
}

/**
 * The content of a regular file of at most `limit` bytes, or undefined for anything else; then use `openRegular`. Small
 * files come from the kernel's cache in microseconds, while the five trips through the thread pool that are otherwise
 * needed take half a millisecond per file.
 */
export function readSmall(realPath: string, limit: number): Buffer | undefined {
  let fd: number | undefined
  try {
    const expected = lstatSync(realPath)
    if (!expected.isFile() || expected.size === 0 || expected.size > limit) return undefined
    fd = openSync(realPath, OPEN_FLAGS)
    const stat = fstatSync(fd)
    if (!stat.isFile() || stat.size > limit || !isOpenedAt(fd, realPath)) return undefined
    const buffer = Buffer.allocUnsafeSlow(stat.size + 1)
    // One byte more than expected: if it can be read, the file is growing.
    const length = readSync(fd, buffer, 0, buffer.length, 0)
    return length === stat.size ? buffer.subarray(0, length) : undefined
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** Throws a `FileProblem` that names the kind of anything but a regular file. */
export function refuseSpecial(stat: Stats | BigIntStats, shown: string): void {
  if (stat.isFile()) return
  if (stat.isDirectory()) throw new FileProblem(`${shown} is a folder, not a file.`)
  const kind = stat.isFIFO()
    ? 'a named pipe'
    : stat.isSocket()
      ? 'a socket'
      : stat.isSymbolicLink()
        ? 'a symbolic link that was just created'
        : 'a device'
  throw new FileProblem(`${shown} is ${kind}, not a regular file.`)
}

/** The same check before the file is opened, because opening a device can have effects; accepts folders. */
export async function refuseSpecialAt(realPath: string, shown: string): Promise<void> {
  const stat = await lstat(realPath)
  if (!stat.isDirectory()) refuseSpecial(stat, shown)
}

/** Loads the file at a real path; undefined if it does not exist. Throws `FileProblem`. */
export async function loadFile(realPath: string, shown: string): Promise<LoadedFile | undefined> {
  if (isPlaceholder(realPath)) return undefined
  let opened
  try {
    opened = await openRegular(realPath, shown)
  } catch (error) {
    if (error instanceof FileProblem && error.kind === 'missing') return undefined
    throw error
  }
  const { handle, stat } = opened
  try {
    const links = Number(stat.nlink)
    if (stat.size > LARGE_FILE_BYTES)
      return { bytes: undefined, size: Number(stat.size), mark: largeFileMark(stat), stamp: stat, links }
    const bytes = await readUpTo(handle, Number(stat.size), LARGE_FILE_BYTES)
    if (bytes === undefined)
      throw new FileProblem(`${shown} grows while it is being read. Try again when it is finished.`, 'changed')
    return { bytes, size: bytes.length, mark: contentMark(bytes), stamp: stat, links }
  } catch (error) {
    throw fileProblem(error, shown)
  } finally {
    await handle.close()
  }
}

/**
 * Reads from start to end; undefined if there is more than `limit`. A correct `expected` size saves reads (files in
 * /proc report 0).
 */
export async function readUpTo(handle: FileHandle, expected: number, limit: number): Promise<Buffer | undefined> {
  let buffer = Buffer.allocUnsafeSlow(Math.min(expected > 0 ? expected + 1 : 64 * 1024, limit + 1))
  let length = 0
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length)
    length += bytesRead
    // One byte more than expected was requested: not getting it means the end. A size of 0 means unknown.
    if (bytesRead === 0 || (expected > 0 && length === expected)) return buffer.subarray(0, length)
    if (length > limit) return undefined
    if (length === buffer.length) buffer = Buffer.concat([buffer], Math.min(buffer.length * 2, limit + 1))
  }
}

/** Above this size, a file is identified by its metadata instead of its hash, and is too large to be edited as text. */
export const LARGE_FILE_BYTES = 64 * 1024 * 1024

/** Identifies the version of a file: the SHA-256 of its bytes, in hex. */
export function contentMark(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex')
}

/**
 * The mark of a file above `LARGE_FILE_BYTES`: hashing gigabytes on each access would take too long. Size, modification
 * time and inode distinguish versions unless the time was reset on purpose.
 */
export function largeFileMark(stat: Pick<BigIntStats, 'size' | 'mtimeNs' | 'ino'>): string {
  return `large:${stat.size}:${stat.mtimeNs}:${stat.ino}`
}
