import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { isPageSize, readWalFrames } from './write-ahead-log'

const MAGIC = Buffer.from('SQLite format 3\u0000')
/** The page size of every file Trestle creates, if the file's header is damaged. */
const DEFAULT_PAGE_SIZE = 4096

/**
 * The pages of a store file with its log applied, read without SQLite, so that damage to other pages does not matter.
 */
export interface StorePages {
  /** Bytes of a page that b-trees use. */
  usable: number
  count: number
  /** A page, counted from 1. Parts missing in the file are zeros; undefined for a page beyond the end. */
  page(n: number): Buffer | undefined
  /** Pages that SQLite has freed: their content was deleted. Empty when unknown. */
  free: ReadonlySet<number>
  close(): void
}

/** Opens a file and its log. Throws only when a file cannot be read at all. */
export function openPages(file: string): StorePages {
  const log = existsSync(`${file}-wal`) ? readWalFrames(`${file}-wal`) : undefined
  const fd = openSync(file, 'r')
  const logFd = log && log.pages.size > 0 ? openSync(`${file}-wal`, 'r') : undefined
  const { size } = fstatSync(fd)
  const start = Buffer.alloc(100)
  readSync(fd, start, 0, 100, 0)
  const pageSize = pageSizeOf(start, log?.pageSize)
  const count = [...(log?.pages.keys() ?? [])].reduce((max, n) => Math.max(max, n), Math.ceil(size / pageSize))
  const page = (n: number): Buffer | undefined => {
    if (n < 1 || n > count) return undefined
    const bytes = Buffer.alloc(pageSize)
    const inLog = log?.pages.get(n)
    if (inLog !== undefined && logFd !== undefined) readSync(logFd, bytes, 0, pageSize, inLog)
    else readSync(fd, bytes, 0, pageSize, (n - 1) * pageSize)
    return bytes
  }
  const first = page(1)
  const isWhole = first !== undefined && first.subarray(0, MAGIC.length).equals(MAGIC)
  return {
    usable: pageSize - (isWhole ? first.readUInt8(20) : 0),
    count,
    page,
    free: isWhole ? freePages(first, page, pageSize) : new Set(),
    close() {
      closeSync(fd)
      if (logFd !== undefined) closeSync(logFd)
    },
  }
}

function pageSizeOf(start: Buffer, ofLog: number | undefined): number {
  const stored = start.readUInt16BE(16)
  const inHeader = stored === 1 ? 65_536 : stored
  if (start.subarray(0, MAGIC.length).equals(MAGIC) && isPageSize(inHeader)) return inHeader
  return ofLog !== undefined && isPageSize(ofLog) ? ofLog : DEFAULT_PAGE_SIZE
}

/** The freed pages, as far as their list is readable. */
function freePages(first: Buffer, page: (n: number) => Buffer | undefined, pageSize: number): Set<number> {
  const free = new Set<number>()
  for (let trunk = first.readUInt32BE(32); trunk !== 0 && !free.has(trunk);) {
    const bytes = page(trunk)
    const leaves = bytes?.readUInt32BE(4) ?? 0
    if (!bytes || leaves > pageSize / 4 - 2) break
    free.add(trunk)
    for (let n = 0; n < leaves; n += 1) free.add(bytes.readUInt32BE(8 + 4 * n))
    trunk = bytes.readUInt32BE(0)
  }
  return free
}
