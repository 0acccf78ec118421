import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { isUtf8 } from 'node:buffer'
import { contentMark, LARGE_FILE_BYTES, largeFileMark, openRegular, readUpTo, readSmall } from './open-file'
import { type EditorFiles, loadCurrentFile } from './editor-files'
import { FileProblem, fileProblem } from '../path/file-problem'
import { LineScan, TailSearch, type KeptLine, type LineWindow } from './line-scan'
import {
  decodeText,
  formatOf,
  lineEndings,
  MAX_UTF16_BYTES,
  notText,
  type LineEndings,
  type NotText,
  type TextFormat,
} from './text-file'

/** Files up to this size are read whole. */
const SMALL_BYTES = 256 * 1024
const CHUNK_BYTES = 1024 * 1024
/** In a large file, counting lines beyond the requested ones can take this long. */
const COUNT_MS = 500
/** A line that is not reached within this time is too deep. */
const REACH_MS = 20_000

/** What to read: `offset` is the first line from 1, or counts from the end if negative. */
export interface LinesWanted extends Omit<LineWindow, 'start'> {
  offset: number
  signal: AbortSignal
  /** The editor that may have the file open with unsaved text. */
  editor?: EditorFiles | undefined
}

/** Some lines of a text file, and what is known about the whole file. */
export interface LinesRead {
  lines: readonly KeptLine[]
  /** Number of the first line kept; negative if it is only known from the end. Undefined if no line was kept. */
  firstLine: number | undefined
  /** Undefined if the file is too large to count them. */
  totalLines: number | undefined
  /** Of the whole file, as far as it was read. */
  endings: LineEndings
  endsWithNewline: boolean
  format: TextFormat
  /** See `contentMark`. */
  mark: string
}

/**
 * Reads lines of the file at a real path. Time and memory are bounded for any size and line lengths. Returns `notText`
 * if it is not text. Throws `FileProblem`, also when stopped.
 */
export async function readLines(
  realPath: string,
  shown: string,
  wanted: LinesWanted,
): Promise<LinesRead | { notText: NotText }> {
  const held = wanted.editor?.read && (await loadCurrentFile(wanted.editor, realPath, shown, wanted.signal))
  if (held?.unsaved && held.bytes) return readWhole(held.bytes, wanted)
  const small = readSmall(realPath, SMALL_BYTES)
  if (small) return readWhole(small, wanted)
  const { handle, stat } = await openRegular(realPath, shown)
  try {
    const bytes = stat.size <= SMALL_BYTES ? await readUpTo(handle, Number(stat.size), SMALL_BYTES) : undefined
    if (bytes) return readWhole(bytes, wanted)
    const start = Buffer.alloc(512)
    const { bytesRead } = await handle.read(start, 0, start.length, 0)
    const format = formatOf(start.subarray(0, bytesRead))
    if (format.encoding === 'utf-8') return await readStream(handle, stat, shown, format, wanted)
    const whole = await readUpTo(handle, Number(stat.size), MAX_UTF16_BYTES)
    return whole
      ? readWhole(whole, wanted)
      : { notText: { reason: `UTF-16 text larger than ${MAX_UTF16_BYTES / 1024 / 1024} MiB`, type: undefined } }
  } catch (error) {
    throw fileProblem(error, shown)
  } finally {
    await handle.close()
  }
}

function readWhole(bytes: Buffer, { offset, maxLines, firstChar = 1 }: LinesWanted): LinesRead | { notText: NotText } {
  const decoded = decodeText(bytes)
  if ('notText' in decoded) return decoded
  const { text, format } = decoded
  const lines = text.split('\n')
  const endsWithNewline = lines.at(-1) === ''
  if (endsWithNewline) lines.pop()
  const first = offset > 0 ? offset - 1 : Math.max(0, lines.length + offset)
  const kept = lines.slice(first, first + maxLines).map((line): KeptLine => {
    if (firstChar === 1) return { raw: line, long: false }
    // Don't split a character beyond the basic plane.
    const from = /[\uDC00-\uDFFF]/.test(line[firstChar - 1] ?? '') ? firstChar - 2 : firstChar - 1
    return { raw: line.slice(from), long: false, chars: line.length }
  })
  return {
    lines: kept,
    firstLine: kept.length > 0 ? first + 1 : undefined,
    totalLines: lines.length,
    endings: lineEndings(text),
    endsWithNewline: endsWithNewline && text !== '',
    format,
    mark: contentMark(bytes),
  }
}

async function readStream(
  handle: FileHandle,
  stat: BigIntStats,
  shown: string,
  format: TextFormat,
  wanted: LinesWanted,
): Promise<LinesRead | { notText: NotText }> {
  const sizeUnknown = stat.size === 0n
  if (sizeUnknown && wanted.offset < 0)
    throw new FileProblem(
      `The size of ${shown} is not known before it is read, so its lines cannot be counted from the end.`,
    )
  const large = sizeUnknown || stat.size > LARGE_FILE_BYTES
  const start =
    wanted.offset > 0
      ? { line: wanted.offset }
      : { byte: await tailStart(handle, Number(stat.size), -wanted.offset, wanted.signal) }
  const bomBytes = format.bom ? 3 : 0
  const startedAt = performance.now()
  const digest = large ? undefined : createHash('sha256')
  const chunks = new Utf8Chunks(handle)
  let scan = new LineScan({ ...wanted, start }, bomBytes)
  let [counted, complete] = [true, false]
  for (;;) {
    if (wanted.signal.aborted) throw new FileProblem(`Stopped while reading ${shown}.`)
    const first = chunks.position === 0
    const chunk = await chunks.next()
    if (chunk === undefined) {
      complete = true
      break
    }
    if (chunk === 'not text') return { notText: notText(chunks.head) }
    digest?.update(chunk)
    scan.push(first ? chunk.subarray(bomBytes) : chunk)
    if (!large) continue
    const elapsed = performance.now() - startedAt
    if (scan.full && elapsed > COUNT_MS) break
    if (start.byte !== undefined && scan.firstLine === undefined && counted && elapsed > COUNT_MS) {
      counted = false
      scan = new LineScan({ ...wanted, start }, start.byte)
      chunks.jump(start.byte)
    }
    if (elapsed > REACH_MS && scan.firstLine === undefined)
      throw new FileProblem(
        `Line ${wanted.offset} of ${shown} is too far into this large file. Use Grep, or sed -n with Bash.`,
      )
  }
  if (complete) scan.end()
  const read = result(scan, format, digest ? digest.digest('hex') : largeFileMark(stat), complete && counted)
  return counted ? read : { ...read, firstLine: wanted.offset }
}

function result(scan: LineScan, format: TextFormat, mark: string, countIsWhole: boolean): LinesRead {
  const { kept: lines, firstLine, endings, endsWithNewline } = scan
  return { lines, firstLine, totalLines: countIsWhole ? scan.lines : undefined, endings, endsWithNewline, format, mark }
}

async function tailStart(handle: FileHandle, size: number, count: number, signal: AbortSignal): Promise<number> {
  const search = new TailSearch(count)
  const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, size))
  for (let end = size; end > 0 && search.start === undefined && !signal.aborted; end -= buffer.length) {
    const offset = Math.max(0, end - buffer.length)
    const { bytesRead } = await handle.read(buffer, 0, end - offset, offset)
    search.push(buffer.subarray(0, bytesRead), offset)
  }
  return search.start ?? 0
}

/**
 * Reads a file in chunks of whole UTF-8 characters, and checks that it is text. A chunk is valid until the next one is
 * requested.
 */
class Utf8Chunks {
  /** Where the next read starts. */
  position = 0
  private readonly buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  /** Bytes of a character that the last chunk cut, at `carryAt` of the buffer. */
  private carry = 0
  private carryAt = 0
  private length = 0
  private readonly handle: FileHandle

  constructor(handle: FileHandle) {
    this.handle = handle
  }

  /** The first bytes of the current chunk, for detecting the type. */
  get head(): Buffer {
    return this.buffer.subarray(0, Math.min(this.length, 512))
  }

  /** Continues at another position, which must be the start of a character. */
  jump(position: number): void {
    this.position = position
    this.carry = 0
  }

  /** Undefined at the end. */
  async next(): Promise<Buffer | 'not text' | undefined> {
    this.buffer.copyWithin(0, this.carryAt, this.carryAt + this.carry)
    const { bytesRead } = await this.handle.read(
      this.buffer,
      this.carry,
      this.buffer.length - this.carry,
      this.position,
    )
    if (bytesRead === 0) return this.carry === 0 ? undefined : 'not text'
    this.position += bytesRead
    this.length = this.carry + bytesRead
    this.carry = unfinishedBytes(this.buffer, this.length)
    this.carryAt = this.length - this.carry
    const chunk = this.buffer.subarray(0, this.carryAt)
    return chunk.includes(0) || !isUtf8(chunk) ? 'not text' : chunk
  }
}

/** How many bytes at the end belong to a character that is not complete. */
function unfinishedBytes(buffer: Buffer, length: number): number {
  for (let back = 1; back <= Math.min(3, length); back++) {
    const byte = buffer[length - back]!
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0
  }
  return 0
}
