import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync, type Stats } from 'node:fs'
import { relative, sep } from 'node:path'
import { errorCode, errorText } from '../../../shared/error-text'
import { isOpenedAt } from './file/pinned-folder'
import { sensitiveRule } from './path/sensitive-file'

// Doesn't wait for a FIFO, take over a terminal, or follow a link that was created after the check.
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY

/** Requirements for text that enters a prompt or configures the engine. */
export interface TextGuard {
  /**
   * Real path of the folder that must contain it after links are resolved. Absent for the user's own files, which can
   * be links to anywhere.
   */
  within?: string
  /** Real path of TRESTLE_HOME: no text of a project can be in it. */
  home?: string
  mostBytes: number
}

/** A file that may be read as text, but has not been read yet. */
export interface GuardedFile {
  realPath: string
  stat: Stats
}

/** `problem` is a sentence about the file (`It is …`); `kind` lets callers use their own wording. */
interface Refused {
  problem: string
  kind?: 'special' | 'large'
}

export type GuardedText = { text: string; realPath: string } | { missing: true } | Refused

/**
 * Reads text that comes with a project or configures the engine: only a regular UTF-8 file of bounded size that is
 * really in the required folder and is not sensitive. Never waits for a pipe or a device, and never throws.
 */
export function readGuardedText(file: string, guard: TextGuard): GuardedText {
  const found = guardedFile(file, guard)
  return 'realPath' in found ? readGuarded(found, guard.mostBytes) : found
}

/** Checks whether the file may be read, without reading it. */
export function guardedFile(
  file: string,
  { within, home, mostBytes }: TextGuard,
): GuardedFile | { missing: true } | Refused {
  try {
    // Most of these files don't exist, and an exception costs more than this check.
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return { missing: true }
    const realPath = realpathSync.native(file)
    if (within !== undefined && !isIn(within, realPath))
      return { problem: `It is a link to ${realPath}, outside the project.` }
    if (within !== undefined && home !== undefined && isIn(home, realPath) && !isIn(home, within))
      return { problem: `It is a link to ${realPath}, in Trestle's own folder.` }
    const rule = within === undefined ? sensitiveRule(realPath) : (sensitiveRule(file) ?? sensitiveRule(realPath))
    if (rule !== undefined) return { problem: `It leads to ${realPath}, a sensitive file (${rule}).` }
    const stat = lstatSync(realPath)
    return problemOf(stat, mostBytes) ?? { realPath, stat }
  } catch (error) {
    return failure(error)
  }
}

function readGuarded({ realPath }: GuardedFile, mostBytes: number): GuardedText {
  let fd: number | undefined
  try {
    fd = openSync(realPath, OPEN_FLAGS)
    const stat = fstatSync(fd)
    const problem = problemOf(stat, mostBytes)
    if (problem) return problem
    if (!isOpenedAt(fd, realPath)) return { problem: 'It was replaced while it was being read.' }
    const buffer = Buffer.allocUnsafe(stat.size + 1)
    let length = 0
    for (let read = -1; read !== 0 && length < buffer.length; length += read)
      read = readSync(fd, buffer, length, buffer.length - length, null)
    if (length > stat.size) return { problem: 'It grows while it is being read.' }
    return {
      text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(buffer.subarray(0, length)),
      realPath,
    }
  } catch (error) {
    return failure(error)
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

function problemOf(stat: Stats, mostBytes: number): Refused | undefined {
  if (!stat.isFile()) return { problem: 'It is not a regular file.', kind: 'special' }
  if (stat.size > mostBytes) return { problem: `It is larger than ${Math.floor(mostBytes / 1024)} KB.`, kind: 'large' }
  return undefined
}

function failure(error: unknown): { missing: true } | Refused {
  const code = errorCode(error)
  // Treat a loop of links as missing.
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return { missing: true }
  if (error instanceof TypeError) return { problem: 'It is not UTF-8 text.' }
  return { problem: `It cannot be read: ${errorText(error)}` }
}

function isIn(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !/^[A-Za-z]:/.test(way)
}
