import { readFileSync, statSync } from 'node:fs'

/** The text of a plain file of at most `maxBytes`; undefined for anything else, such as a pipe, which would wait. */
export function readSmallFile(path: string, maxBytes: number): string | undefined {
  return readBytes(path, maxBytes)?.toString('utf8')
}

/** The same as bytes. */
export function readBytes(path: string, maxBytes: number): Buffer | undefined {
  try {
    const stat = statSync(path)
    return stat.isFile() && stat.size <= maxBytes ? readFileSync(path) : undefined
  } catch {
    return undefined
  }
}
