import { isUtf8 } from 'node:buffer'
import { join } from 'node:path'

/**
 * A path as git prints it, each byte a character: names need not be UTF-8, and must come out as they went in. Relative to
 * the top, with `/`.
 */
export type RawPath = string

/** What git prints with `-z`. */
export function rawPaths(stdout: Buffer): RawPath[] {
  return stdout
    .toString('latin1')
    .split('\0')
    .filter((path) => path !== '')
}

/** The path on disk: text where possible, since only that works on every system. */
export function onDisk(top: string, path: RawPath): string | Buffer {
  const bytes = Buffer.from(path, 'latin1')
  return isUtf8(bytes) ? join(top, bytes.toString('utf8')) : Buffer.concat([Buffer.from(`${top}/`), bytes])
}

/** The path as text, for people. */
export function shownPath(path: RawPath): string {
  return Buffer.from(path, 'latin1').toString('utf8')
}

/** The path in quotes, as git reads it in a list with a line each. */
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
