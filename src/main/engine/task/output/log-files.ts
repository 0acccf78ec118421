import { closeSync, ftruncate, mkdirSync, openSync, read, rmSync, write, writeSync } from 'node:fs'
import { basename, dirname, extname } from 'node:path'
import { promisify } from 'node:util'
import { open, type FileHandle } from 'node:fs/promises'
import { renameOverSync } from '../../workspace/file/atomic-write'
import type { TaskOutputPage } from '../../../../shared/model/task/task'

const COPY_BYTES = 256 * 1024
const readAsync = promisify(read)
const writeAsync = promisify(write)

/** Path of the newest output once a log has rotated: next to the file with the first part. */
export function newestPathOf(path: string): string {
  const end = extname(path)
  return `${path.slice(0, path.length - end.length)}.newest${end}`
}

/** The first line of the file with the newest output; it names the offset of its first byte in the whole output. */
export function newestHeader(from: number, firstPath: string): string {
  return (
    `[The output from byte ${from} on. Its beginning is in ${basename(firstPath)}; ` +
    'what is missing between the two was dropped to keep the log small.]\n'
  )
}

function readNewestHeader(line: string): number | undefined {
  const from = /^\[The output from byte (\d+) on\./.exec(line)?.[1]
  return from === undefined ? undefined : Number(from)
}

/**
 * The files of one log, which together take at most `maxBytes` (and an eighth more while they are rotated). Up to that
 * limit one file has everything. Beyond it that file keeps the first half, and a second one has the newest output:
 * never less than an eighth of the limit. Both are regular files at all times, readable by the owner only, because
 * output can contain secrets. The first is created with the first byte.
 */
export class LogFiles {
  readonly path: string
  private readonly maxBytes: number
  private readonly firstBytes: number
  private first: number | undefined
  private newest: { file: number; from: number; headerBytes: number } | undefined
  private written = 0

  constructor(path: string, maxBytes: number) {
    this.path = path
    this.maxBytes = maxBytes
    this.firstBytes = Math.ceil(maxBytes / 2)
  }

  /** Defined once the log has rotated. */
  get newestPath(): string | undefined {
    return this.newest && newestPathOf(this.path)
  }

  /**
   * Writes part of `data` on another thread; resolves with the number of bytes, at least one. Throws synchronously if
   * the file cannot be created.
   */
  write(data: Buffer): Promise<number> {
    const file = this.file()
    return this.room() > 0 ? this.writeTo(file, data) : this.rotate().then(() => this.writeTo(this.file(), data))
  }

  /** The same synchronously; returns 0 if the log must rotate first. */
  writeNow(data: Buffer): number {
    if (this.room() <= 0) return 0
    const part = data.subarray(0, this.room())
    const count = writeSync(this.file(), part, 0, part.length)
    this.written += count
    return count
  }

  close(): void {
    for (const file of [this.first, this.newest?.file]) if (file !== undefined) closeSync(file)
    this.first = undefined
  }

  private async writeTo(file: number, data: Buffer): Promise<number> {
    const part = data.subarray(0, this.room())
    const { bytesWritten } = await writeAsync(file, part, 0, part.length, null)
    if (bytesWritten === 0) throw new Error('nothing was written')
    this.written += bytesWritten
    return bytesWritten
  }

  private room(): number {
    return this.newest
      ? this.maxBytes - this.firstBytes - (this.written - this.newest.from)
      : this.maxBytes - this.written
  }

  private file(): number {
    return this.newest?.file ?? (this.first ??= openPrivate(this.path))
  }

  /** Copies the newest part, from the start of a line, into a second file, which replaces the previous one. */
  private async rotate(): Promise<void> {
    const { from: start, headerBytes: skip } = this.newest ?? { from: 0, headerBytes: 0 }
    const source = this.file()
    const buffer = Buffer.allocUnsafe(COPY_BYTES)
    const readAt = async (offset: number): Promise<Buffer> =>
      buffer.subarray(0, (await readAsync(source, buffer, 0, buffer.length, skip + offset - start)).bytesRead)
    let at = this.written - Math.floor(this.maxBytes / 8)
    // Stays at this offset if there is no line break nearby.
    at += (await readAt(at)).subarray(0, this.written - at).indexOf(0x0a) + 1
    const from = at
    const path = newestPathOf(this.path)
    const temporary = `${path}.tmp`
    const file = openPrivate(temporary)
    try {
      const headerBytes = writeSync(file, newestHeader(from, this.path))
      while (at < this.written) {
        const piece = await readAt(at)
        if (piece.length === 0) throw new Error('the log was shortened by another process')
        for (let done = 0; done < piece.length;) {
          done += (await writeAsync(file, piece, done, piece.length - done, null)).bytesWritten
        }
        at += piece.length
      }
      renameOverSync(temporary, path)
      if (this.newest) closeSync(source)
      else await promisify(ftruncate)(source, this.firstBytes)
      this.newest = { file, from, headerBytes }
    } catch (error) {
      closeSync(file)
      rmSync(temporary, { force: true })
      throw error
    }
  }
}

function openPrivate(path: string): number {
  try {
    return openSync(path, 'w+', 0o600)
  } catch {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    return openSync(path, 'w+', 0o600)
  }
}

/** Longer than any header line. */
const HEADER_ROOM = 4096

/** One of a log's files: it holds the output from byte `from` to `to`, starting at offset `skip`. */
interface Part {
  file: FileHandle
  from: number
  to: number
  skip: number
}

/**
 * A piece of at most `bytes` of the log at `path`, ending before byte `before` (default: the end), cut between
 * characters. Reads from disk, so it works for the log of any task in any process. Returns an empty page for a log that
 * was never written.
 */
export async function readOutput(path: string, page: { before?: number; bytes: number }): Promise<TaskOutputPage> {
  // Open the newest part first: it stays readable even if it is rotated away.
  const newest = await openPart(newestPathOf(path), true)
  const first = await openPart(path, false)
  try {
    const parts = [first, newest].filter((part) => part !== undefined)
    const total = parts.at(-1)?.to ?? 0
    const end = Math.min(page.before ?? total, total)
    // The bytes right before `newest.from` are at the end of the first part.
    const part = newest && end > newest.from ? newest : first
    if (!part) return { text: '', from: 0, to: 0, total, dropped: 0 }
    const to = Math.min(end, part.to)
    const { text, from, length } = await readPart(part, Math.max(part.from, to - page.bytes), to)
    const dropped = part === newest && from === newest.from ? Math.max(0, newest.from - (first?.to ?? 0)) : 0
    return { text, from, to: from + length, total, dropped }
  } finally {
    await first?.file.close()
    await newest?.file.close()
  }
}

/** Bytes of output in the log at `path`, including what was dropped. */
export async function outputSize(path: string): Promise<number> {
  return (await readOutput(path, { before: 0, bytes: 0 })).total
}

async function openPart(path: string, hasHeader: boolean): Promise<Part | undefined> {
  let file: FileHandle
  try {
    file = await open(path, 'r')
  } catch {
    return undefined
  }
  const { size } = await file.stat()
  if (!hasHeader) return { file, from: 0, to: size, skip: 0 }
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_ROOM), 0, HEADER_ROOM, 0)
  const skip = buffer.subarray(0, bytesRead).indexOf(0x0a) + 1
  const from = readNewestHeader(buffer.toString('utf8', 0, skip))
  if (from !== undefined) return { file, from, to: from + size - skip, skip }
  await file.close()
  return undefined
}

async function readPart(
  { file, from: start, skip }: Part,
  from: number,
  to: number,
): Promise<{ text: string; from: number; length: number }> {
  const bytes = Buffer.alloc(Math.max(0, to - from))
  const { bytesRead } = await file.read(bytes, 0, bytes.length, skip + from - start)
  const begin = from > start ? characterStart(bytes.subarray(0, bytesRead)) : 0
  const end = wholeLength(bytes.subarray(0, bytesRead))
  const text = bytes.toString('utf8', begin, Math.max(begin, end))
  return { text, from: from + begin, length: Math.max(0, end - begin) }
}

/** Where the first complete character starts; at most three bytes belong to the one before. */
export function characterStart(bytes: Uint8Array): number {
  let at = 0
  while (at < 3 && at < bytes.length && (bytes[at]! & 0xc0) === 0x80) at++
  return at
}

/** The length without an incomplete character at the end. */
export function wholeLength(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!
    if ((byte & 0xc0) === 0x80) continue
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return needs > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}
