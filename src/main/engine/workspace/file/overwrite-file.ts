import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
  type BigIntStats,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { errorCode, errorText } from '../../../../shared/error-text'
import { FileProblem, fileProblem } from '../path/file-problem'
import { isSameStamp, refuseSpecial, type FileStamp } from './open-file'

const FLAGS = constants.O_RDWR | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0) | (constants.O_NOCTTY ?? 0)
const CHUNK_BYTES = 1024 * 1024

export interface OverwriteOptions {
  /** How messages name the file. */
  shown: string
  /** Write only if the file still has this state; otherwise throws a `FileProblem` of kind `changed`. */
  expect?: FileStamp | undefined
  /** Folder for a copy of the old content while the new one is written; default: the folder for temporary files. */
  copies?: string
  /** Writes some bytes at a position; default: the system's. */
  write?: (fd: number, bytes: Uint8Array, at: number) => number
}

/**
 * Whether a file that could not be replaced may still be writable in place: it is a mount of its own (a file bound into
 * a container), or its folder is read-only or sticky.
 */
export function mayBeOverwritten(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EROFS', 'EBUSY'].includes(errorCode(error) ?? '')
}

/**
 * Writes new content into a file that must keep its identity (`atomicWrite` replaces files). No link is followed. The
 * write is not atomic: concurrent readers can see part of it. To limit the damage of a failure, the file is grown
 * first, so that a full disk is detected while the old content is intact, and a copy of the old content is kept until
 * the end. If writing fails, the old content is restored; if that fails too, the message says where the copy is.
 * Returns the stat; throws `FileProblem`.
 */
export function overwriteFile(target: string, bytes: Uint8Array, options: OverwriteOptions): BigIntStats {
  const { shown, expect, write = writeAt } = options
  try {
    const fd = openSync(target, FLAGS)
    try {
      const before = fstatSync(fd, { bigint: true })
      refuseSpecial(before, shown)
      let isTouched = false
      const copy = keepCopy(fd, Number(before.size), basename(target), options)
      try {
        // The last check: the next call of this process writes, so other processes have little time in between.
        if (!isSameStamp(fstatSync(fd, { bigint: true }), expect ?? before)) throw changedMeanwhile(shown)
        grow(fd, bytes, Number(before.size), write)
        isTouched = true
        writeOver(fd, bytes, Number(before.size), write)
      } catch (error) {
        if (isTouched) restoreOldContent(fd, Number(before.size), copy, { ...options, write }, error)
        copy.remove()
        throw error
      }
      copy.remove()
      // As any write does; the system doesn't do it for writes by root.
      if ((before.mode & 0o6000n) !== 0n) fchmodSync(fd, Number(before.mode) & 0o1777)
      return fstatSync(fd, { bigint: true })
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    throw fileProblem(error, shown)
  }
}

/** A `FileProblem` for a file that has changed since the change was planned. */
export function changedMeanwhile(shown: string): FileProblem {
  return new FileProblem(
    `${shown} was changed by something else at this very moment; nothing was written. Read it again.`,
    'changed',
  )
}

type Write = NonNullable<OverwriteOptions['write']>

function writeAt(fd: number, bytes: Uint8Array, at: number): number {
  return writeSync(fd, bytes, 0, bytes.length, at)
}

/** If this fails, the old content is intact. */
function grow(fd: number, bytes: Uint8Array, size: number, write: Write): void {
  if (bytes.length <= size) return
  try {
    writeAll(fd, bytes.subarray(size), size, write)
  } catch (error) {
    ftruncateSync(fd, size)
    throw error
  }
}

function writeOver(fd: number, bytes: Uint8Array, size: number, write: Write): void {
  writeAll(fd, bytes.subarray(0, size), 0, write)
  if (bytes.length < size) ftruncateSync(fd, bytes.length)
  fsyncSync(fd)
}

function writeAll(fd: number, bytes: Uint8Array, at: number, write: Write): void {
  for (let done = 0; done < bytes.length;) done += write(fd, bytes.subarray(done), at + done)
}

interface Copy {
  path: string
  remove(): void
}

function keepCopy(fd: number, size: number, name: string, { shown, copies = tmpdir() }: OverwriteOptions): Copy {
  let folder: string | undefined
  try {
    // Only the user can access it.
    folder = mkdtempSync(join(copies, 'trestle-before-'))
    const path = join(folder, name)
    const copy = openSync(path, 'wx', 0o600)
    try {
      copyBytes(fd, copy, size, writeAt)
    } finally {
      closeSync(copy)
    }
    return { path, remove: () => rmSync(folder!, { recursive: true, force: true }) }
  } catch (error) {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
    const why = fileProblem(error, copies)
    throw new FileProblem(
      `${shown} can only be written in place, and no copy of it could be made: ` +
        `${errorText(why)} Nothing was written.`,
      'other',
      error,
    )
  }
}

function copyBytes(from: number, to: number, size: number, write: Write): void {
  const buffer = Buffer.allocUnsafeSlow(Math.max(1, Math.min(CHUNK_BYTES, size)))
  for (let at = 0; at < size;) {
    const length = readSync(from, buffer, 0, Math.min(buffer.length, size - at), at)
    if (length === 0) break
    writeAll(to, buffer.subarray(0, length), at, write)
    at += length
  }
}

/** Throws if the old content cannot be restored; its copy is then kept. */
function restoreOldContent(
  fd: number,
  size: number,
  { path }: Copy,
  { shown, write }: OverwriteOptions & { write: Write },
  why: unknown,
): void {
  try {
    const copy = openSync(path, constants.O_RDONLY)
    try {
      copyBytes(copy, fd, size, write)
    } finally {
      closeSync(copy)
    }
    ftruncateSync(fd, size)
  } catch {
    const problem = fileProblem(why, shown)
    throw new FileProblem(
      `${errorText(problem)} It was written in part and could not be put back: its old content is in ${path}.`,
      'other',
      why,
    )
  }
}
