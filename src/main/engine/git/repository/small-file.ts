import { readFileSync, statSync } from 'node:fs'

/** The text of a plain file of at most `maxBytes`; undefined for anything else, such as a pipe, which would wait. */
export function readSmallFile(path: string, maxBytes: number): string | undefined {
  try {
    const stat = statSync(path)
    return stat.isFile() && stat.size <= maxBytes ? readFileSync(path, 'utf8') : undefined
  } catch {
    return undefined
  }
}
