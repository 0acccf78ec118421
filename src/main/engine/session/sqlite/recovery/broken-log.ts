import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { readLogFrames } from './log-frames'

/** The index of a log (`-shm`) begins with two copies of this many bytes; then follows how far the log was copied into the store. */
const INDEX_HEADER_BYTES = 48
const LOOKS = 3
/** Of a log that a long reader made large only so much is read: a start must not take minutes. */
const MOST_READ_BYTES = 64 * 1024 * 1024

/**
 * What is wrong with the log beside a store file, in words; undefined when nothing is. SQLite drops a log from its first bad frame on, and does not miss one that is
 * gone, without saying so. To be asked before the store is opened. Another process may be writing the log at this moment, so a problem counts only if it stays.
 */
export function brokenLog(file: string): string | undefined {
  let problem: string | undefined
  for (let look = 0; look < LOOKS; look += 1) {
    problem = problemOf(`${file}-wal`, `${file}-shm`)
    if (problem === undefined) return undefined
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
  }
  return problem
}

function problemOf(log: string, index: string): string | undefined {
  // First: a process that writes now adds to the log before it tells the index.
  const { last, copied } = framesIndexed(index)
  const bytes = statSync(log, { throwIfNoEntry: false })?.size ?? 0
  if (bytes === 0)
    return last > copied ? `its log is ${existsSync(log) ? 'empty' : 'missing'}, which held ${last - copied} pages` : undefined
  const { damage, frames } = readLogFrames(log, bytes > MOST_READ_BYTES ? MOST_READ_BYTES : bytes)
  if (damage !== undefined) return `its log: ${damage}`
  return last > Math.max(frames, copied) ? `its log was cut after ${frames} of ${last} pages` : undefined
}

/** The last frame that the index knows of, and the last that is in the store too, as a process left it. In the byte order of the machine. */
function framesIndexed(index: string): { last: number; copied: number } {
  const nothing = { last: 0, copied: 0 }
  if (!existsSync(index)) return nothing
  const bytes = Buffer.alloc(INDEX_HEADER_BYTES * 2 + 4)
  const fd = openSync(index, 'r')
  try {
    if (readSync(fd, bytes, 0, bytes.length, 0) < bytes.length) return nothing
  } finally {
    closeSync(fd)
  }
  const isWhole =
    bytes.subarray(0, INDEX_HEADER_BYTES).equals(bytes.subarray(INDEX_HEADER_BYTES, INDEX_HEADER_BYTES * 2)) && bytes[12] === 1
  // `mxFrame` is the fifth word of the header; `nBackfill` follows both copies.
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
  return isWhole ? { last: words[4]!, copied: words[INDEX_HEADER_BYTES / 2]! } : nothing
}
