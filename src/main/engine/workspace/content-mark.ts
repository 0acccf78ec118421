import { hash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'

/** Above this size a file is known by its metadata instead of its hash, and is too large to be edited as text. */
export const LARGE_FILE_BYTES = 64 * 1024 * 1024

/** Which version of a file this is: the SHA-256 of its bytes, in hex. */
export function contentMark(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex')
}

/**
 * The mark of a file above `LARGE_FILE_BYTES`: hashing gigabytes for every look would take longer than the look. Size, modification time and
 * inode tell versions apart unless somebody resets the time on purpose.
 */
export function largeFileMark(stat: Pick<BigIntStats, 'size' | 'mtimeNs' | 'ino'>): string {
  return `large:${stat.size}:${stat.mtimeNs}:${stat.ino}`
}
