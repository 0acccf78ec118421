import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
/** The last bit says whether checksums are made of big-endian words. */
const MAGIC = 0x377f0682

/** What a write-ahead log (`trestle.db-wal`) holds, read without SQLite. Format: https://sqlite.org/fileformat2.html#walformat */
export interface LogFrames {
  pageSize: number
  /** Where in the file the newest committed image of a page is, by page number. */
  pages: Map<number, number>
  /** How many pages there is room for in the file. */
  frames: number
  /** What is wrong with it; undefined when it is sound, or empty. A frame that was never committed is not damage. */
  damage?: string
}

/**
 * Reads a log. Each frame's checksum continues that of the frame before, and each frame stores it: so one frame that was overwritten costs only itself and, where
 * its header is hit, the next one. Frames beyond `mostBytes` are not looked at. SQLite itself ignores everything behind the first bad frame, silently.
 */
export function readLogFrames(file: string, mostBytes = Number.POSITIVE_INFINITY): LogFrames {
  const fd = openSync(file, 'r')
  try {
    const { size } = fstatSync(fd)
    // Shorter than its header: SQLite was stopped while it began the log, and nothing had been written.
    if (size < HEADER_BYTES) return { pageSize: 0, pages: new Map(), frames: 0 }
    const header = bytesAt(fd, 0, HEADER_BYTES)
    const magic = header?.readUInt32BE(0) ?? 0
    const pageSize = header?.readUInt32BE(8) ?? 0
    if (!header || (magic | 1) >>> 0 !== (MAGIC | 1) || !isPageSize(pageSize))
      return { pageSize: 0, pages: new Map(), frames: 0, damage: 'it does not begin like a log' }
    const sum = checksum({ bigEndian: (magic & 1) === 1 })
    const expected = sum([0, 0], header.subarray(0, 24))
    if (!isSame(expected, header, 24)) return { pageSize: 0, pages: new Map(), frames: 0, damage: 'its header is damaged' }
    return {
      pageSize,
      frames: Math.floor((size - HEADER_BYTES) / (FRAME_HEADER_BYTES + pageSize)),
      ...framesOf(fd, { size: Math.min(size, mostBytes), pageSize, header, sum, first: expected }),
    }
  } finally {
    closeSync(fd)
  }
}

type Sum = readonly [number, number]

function framesOf(
  fd: number,
  { size, pageSize, header, sum, first }: { size: number; pageSize: number; header: Buffer; sum: ReturnType<typeof checksum>; first: Sum },
): Pick<LogFrames, 'pages' | 'damage'> {
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
    const isGood = isOurs && isSame(sum(sum(before, frame.subarray(0, 8)), frame.subarray(FRAME_HEADER_BYTES)), frame, 16)
    before = [frame.readUInt32BE(16), frame.readUInt32BE(20)]
    if (!isGood) {
      firstBad ??= n
      continue
    }
    uncommitted.set(frame.readUInt32BE(0), at + FRAME_HEADER_BYTES)
    if (frame.readUInt32BE(4) === 0) continue
    // Something committed behind it: this is no end that was being written.
    if (firstBad !== undefined) damage = `frame ${firstBad + 1} is damaged`
    for (const [page, offset] of uncommitted) pages.set(page, offset)
    uncommitted = new Map()
  }
  return { pages, ...(damage !== undefined && { damage }) }
}

/** Two running sums over pairs of 32-bit words, as the format says. */
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
