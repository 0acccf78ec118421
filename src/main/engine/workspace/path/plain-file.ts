import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs'

const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)

/**
 * The bytes of a plain file of at most `maxBytes`, links followed; undefined for anything else. Reading a named pipe
 * would wait for a writer and block this whole process. A command or a repository can put a pipe where a file is
 * expected, even between checking and opening it.
 */
export function readPlainFile(path: string, maxBytes: number): Buffer | undefined {
  let fd: number | undefined
  try {
    // Opening a device can have effects.
    if (!statSync(path).isFile()) return undefined
    fd = openSync(path, FLAGS)
    const stat = fstatSync(fd)
    if (!stat.isFile() || stat.size > maxBytes) return undefined
    const bytes = readFileSync(fd)
    return bytes.length > maxBytes ? undefined : bytes
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** The same as text. */
export function readPlainText(path: string, maxBytes: number): string | undefined {
  return readPlainFile(path, maxBytes)?.toString('utf8')
}
