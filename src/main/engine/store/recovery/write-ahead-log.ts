import { closeSync, fstatSync, openSync, readSync, existsSync, statSync } from 'node:fs'
import { errorCode } from '../../../../shared/error-text'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
/** The last bit is set if checksums use big-endian words. */
const WAL_MAGIC = 0x377f0682

/**
 * The content of a write-ahead log (`trestle.db-wal`), read without SQLite. Format:
 * https://sqlite.org/fileformat2.html#walformat
 */
export interface WalFrames {
  pageSize: number
  /** File offset of the newest committed image of each page, by page number. */
  pages: Map<number, number>
  /** Number of frames that fit in the file. */
  frames: number
  /** What is damaged; undefined when the log is intact or empty. A frame that was never committed is not damage. */
  damage?: string
}

/**
 * Reads a log. Each frame's checksum continues that of the previous frame, and each frame stores it, so an overwritten
 * frame loses only itself and, if its header is damaged, the next one. Frames beyond `maxBytes` are not read. SQLite
 * itself silently ignores everything after the first bad frame.
 */
export function readWalFrames(file: string, maxBytes = Number.POSITIVE_INFINITY): WalFrames {
  const fd = openSync(file, 'r')
  try {
    const { size } = fstatSync(fd)
    // Shorter than its header: SQLite was stopped while creating the log, and nothing was lost.
    if (size < HEADER_BYTES) return { pageSize: 0, pages: new Map(), frames: 0 }
    const header = bytesAt(fd, 0, HEADER_BYTES)
    const magic = header?.readUInt32BE(0) ?? 0
    const pageSize = header?.readUInt32BE(8) ?? 0
    if (!header || (magic | 1) >>> 0 !== (WAL_MAGIC | 1) || !isPageSize(pageSize))
      return { pageSize: 0, pages: new Map(), frames: 0, damage: 'it does not begin like a log' }
    const sum = checksum({ bigEndian: (magic & 1) === 1 })
    const expected = sum([0, 0], header.subarray(0, 24))
    if (!isSame(expected, header, 24))
      return { pageSize: 0, pages: new Map(), frames: 0, damage: 'its header is damaged' }
    const read = (): Pick<WalFrames, 'pages' | 'damage'> =>
      framesOf(fd, { size: Math.min(size, maxBytes), pageSize, header, sum, first: expected })
    const found = read()
    return {
      pageSize,
      frames: Math.floor((size - HEADER_BYTES) / (FRAME_HEADER_BYTES + pageSize)),
      pages: found.pages,
      ...(found.damage !== undefined && isStill(found.damage) && { damage: found.damage }),
    }

    /**
     * A frame that another process was writing is complete a moment later, and a process that restarted the log has
     * overwritten its header.
     */
    function isStill(damage: string): boolean {
      return read().damage === damage && bytesAt(fd, 0, HEADER_BYTES)?.equals(header!) === true
    }
  } finally {
    closeSync(fd)
  }
}

type Sum = readonly [number, number]

function framesOf(
  fd: number,
  {
    size,
    pageSize,
    header,
    sum,
    first,
  }: { size: number; pageSize: number; header: Buffer; sum: ReturnType<typeof checksum>; first: Sum },
): Pick<WalFrames, 'pages' | 'damage'> {
  const pages = new Map<number, number>()
  let uncommitted = new Map<number, number>()
  let before = first
  let firstBad: number | undefined
  let damage: string | undefined
  const bytes = FRAME_HEADER_BYTES + pageSize
  for (let n = 0; HEADER_BYTES + (n + 1) * bytes <= size; n += 1) {
    const at = HEADER_BYTES + n * bytes
    const frame = bytesAt(fd, at, bytes)
    if (!frame) break
    const isOurs = frame.compare(header, 16, 24, 8, 16) === 0
    const isGood =
      isOurs && isSame(sum(sum(before, frame.subarray(0, 8)), frame.subarray(FRAME_HEADER_BYTES)), frame, 16)
    before = [frame.readUInt32BE(16), frame.readUInt32BE(20)]
    if (!isGood) {
      firstBad ??= n
      continue
    }
    uncommitted.set(frame.readUInt32BE(0), at + FRAME_HEADER_BYTES)
    if (frame.readUInt32BE(4) === 0) continue
    // A commit follows the bad frame, so it is not just an unfinished write at the end.
    if (firstBad !== undefined) damage = `frame ${firstBad + 1} is damaged`
    for (const [page, offset] of uncommitted) pages.set(page, offset)
    uncommitted = new Map()
  }
  return { pages, ...(damage !== undefined && { damage }) }
}

/** Two running sums over pairs of 32-bit words, as the format defines. */
function checksum({ bigEndian }: { bigEndian: boolean }): (start: Sum, bytes: Buffer) => Sum {
  return (start, bytes) => {
    const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    let [a, b] = start
    for (let at = 0; at + 8 <= bytes.length; at += 8) {
      a = (a + words.getUint32(at, !bigEndian) + b) >>> 0
      b = (b + words.getUint32(at + 4, !bigEndian) + a) >>> 0
    }
    return [a, b]
  }
}

function isSame([a, b]: Sum, bytes: Buffer, at: number): boolean {
  return bytes.readUInt32BE(at) === a && bytes.readUInt32BE(at + 4) === b
}

function bytesAt(fd: number, at: number, count: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(count)
  return readSync(fd, bytes, 0, count, at) === count ? bytes : undefined
}

/** Whether SQLite has pages of this size. */
export function isPageSize(bytes: number): boolean {
  return bytes >= 512 && bytes <= 65_536 && (bytes & (bytes - 1)) === 0
}

/**
 * The index of a log (`-shm`) starts with two copies of a header of this size, followed by how far the log was copied
 * into the store.
 */
const INDEX_HEADER_BYTES = 48
const ATTEMPTS = 3
/** Only this much of a large log is read, because a start must not take minutes. */
const MAX_READ_BYTES = 64 * 1024 * 1024

/**
 * The problem with a store file's log, as a message; undefined when it is intact. SQLite silently drops a log from its
 * first bad frame on, and does not notice a missing one, so call this before opening the store. Another process may be
 * writing the log, so a problem is reported only if it persists.
 */
export function walProblem(file: string): string | undefined {
  let problem: string | undefined
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    try {
      problem = problemOf(`${file}-wal`, `${file}-shm`)
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
      // Another process was the last one to close the store, which removed its log.
      problem = undefined
      continue
    }
    if (problem === undefined) return undefined
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
  }
  return problem
}

function problemOf(log: string, index: string): string | undefined {
  // Read the index first: a writing process appends to the log before it updates the index.
  const { last, copied } = framesIndexed(index)
  const bytes = statSync(log, { throwIfNoEntry: false })?.size ?? 0
  if (bytes === 0)
    return last > copied
      ? `its log is ${existsSync(log) ? 'empty' : 'missing'}, which held ${last - copied} pages`
      : undefined
  const { damage, frames } = readWalFrames(log, bytes > MAX_READ_BYTES ? MAX_READ_BYTES : bytes)
  if (damage !== undefined) return `its log: ${damage}`
  return last > Math.max(frames, copied) ? `its log was cut after ${frames} of ${last} pages` : undefined
}

/** The last frame in the index, and the last frame that was copied into the store. In the byte order of the machine. */
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
    bytes.subarray(0, INDEX_HEADER_BYTES).equals(bytes.subarray(INDEX_HEADER_BYTES, INDEX_HEADER_BYTES * 2)) &&
    bytes[12] === 1
  // `mxFrame` is the fifth word of the header; `nBackfill` follows both copies.
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
  return isWhole ? { last: words[4]!, copied: words[INDEX_HEADER_BYTES / 2]! } : nothing
}
