import { isUtf8 } from 'node:buffer'
import type { FileHandle } from 'node:fs/promises'
import { isSameStamp, openRegular, readUpTo, type FileStamp } from '../../workspace/file/open-file'
import { LineScan } from '../../workspace/file/line-scan'
import { decodeText, formatOf, MAX_UTF16_BYTES, notText, type NotText } from '../../workspace/file/text-file'
import { FileProblem, fileProblem } from '../../workspace/path/file-problem'
import { LineIndex } from './line-index'

const CHUNK_BYTES = 1024 * 1024
/** Number of bytes checked to decide whether a file is text. */
const SAMPLE_BYTES = 64 * 1024
/** Longer lines are truncated. */
export const MAX_LINE_CHARS = 10_000
/** Maximum number of characters in one answer. */
const MAX_CHARS = 4_000_000

/** Lines of a text. */
export interface TextLines {
  /** Number of the first line, from 1. */
  from: number
  lines: string[]
  /** Positions in `lines` of the truncated lines. */
  cut?: number[]
}

/** The encoding in which a file is read. */
export type TextEncoding = 'utf-8' | 'utf-8-bom' | 'utf-16le' | 'utf-16be' | 'windows-1252'

/**
 * One version of a text file. Its lines are read in ranges and indexed in the background, so that memory stays small
 * for files of any size.
 */
export class TextDocument {
  readonly stamp: FileStamp
  readonly encoding: TextEncoding
  /** Size of the text in bytes, as UTF-8. */
  readonly size: number
  readonly #realPath: string
  readonly #shown: string
  /** The text as UTF-8 if the file has another encoding. */
  readonly #converted: Buffer | undefined
  readonly #index: LineIndex
  #scan: Promise<void> | undefined
  #isClosed = false
  /** Called after each chunk of the scan. */
  #waiting: (() => void)[] = []

  constructor(file: OpenedText, index?: LineIndex) {
    this.stamp = file.stamp
    this.encoding = file.encoding
    this.#realPath = file.realPath
    this.#shown = file.shown
    this.#converted = file.converted
    this.size = file.converted?.length ?? Number(file.stamp.size)
    this.#index = index ?? new LineIndex(file.encoding === 'utf-8-bom' ? 3 : 0)
  }

  /** Lines of the whole text; undefined while they are being counted. */
  get totalLines(): number | undefined {
    return this.#index.isComplete ? this.#index.lines : undefined
  }

  /** The number of lines, estimated from the part that was scanned. */
  get estimatedLines(): number {
    const { scanned, lines, isComplete } = this.#index
    return isComplete || scanned === 0 ? lines : Math.max(lines, Math.round((lines / scanned) * this.size))
  }

  /** Counts the lines; resolves when done. Concurrent calls share one scan. */
  scan(): Promise<void> {
    this.#scan ??= this.#index.isComplete ? Promise.resolve() : this.#scanAll()
    return this.#scan
  }

  /** Stops counting. */
  close(): void {
    this.#isClosed = true
  }

  /** Up to `count` lines, starting at line `from`. Waits until the scan has got that far. Throws `FileProblem`. */
  async lines(from: number, count: number): Promise<TextLines> {
    let mark = this.#index.markBefore(from)
    while (!mark) {
      if (this.#isClosed) throw new FileProblem(`${this.#shown} has changed. Open it again.`, 'changed')
      const step = new Promise<void>((resolve) => this.#waiting.push(resolve))
      await Promise.race([this.scan(), step])
      mark = this.#index.markBefore(from)
    }
    const window = {
      start: { line: from - mark.line + 1 },
      maxLines: count,
      maxLineChars: MAX_LINE_CHARS,
      maxChars: MAX_CHARS,
    }
    const scan = new LineScan(window, mark.offset)
    const isWhole = await this.#chunks(mark.offset, (chunk) => {
      scan.push(chunk)
      return !scan.full
    })
    if (isWhole) scan.end()
    const cut: number[] = []
    const lines = scan.kept.map(({ raw, long }, n) => {
      const isCut = long || raw.length > MAX_LINE_CHARS
      if (isCut) cut.push(n)
      return isCut ? raw.slice(0, MAX_LINE_CHARS) : raw.endsWith('\r') ? raw.slice(0, -1) : raw
    })
    return { from, lines, ...(cut.length > 0 && { cut }) }
  }

  /** This document continued for a file that has only grown; undefined if it has changed in other ways. */
  async grownInto(file: OpenedText): Promise<TextDocument | undefined> {
    const { stamp } = file
    const index = this.#index
    const { ino, dev, size } = this.stamp
    const isSame = stamp.ino === ino && stamp.dev === dev && stamp.size > size && file.encoding === this.encoding
    if (!isSame || this.#converted || !index.isComplete || index.tail.length === 0) return undefined
    const { handle } = await openRegular(this.#realPath, this.#shown)
    try {
      const { length } = index.tail
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, index.scanned - length)
      if (bytesRead !== length || !buffer.equals(index.tail)) return undefined
    } finally {
      await handle.close()
    }
    index.reopen()
    return new TextDocument(file, index)
  }

  async #scanAll(): Promise<void> {
    const index = this.#index
    try {
      const isWhole = await this.#chunks(index.scanned, (chunk) => {
        index.push(chunk)
        this.#wake()
        return !this.#isClosed
      })
      if (isWhole) index.complete()
    } finally {
      this.#wake()
    }
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }

  /**
   * Passes the text from an offset to `use`, which returns whether it needs more. Returns whether the end was reached.
   */
  async #chunks(offset: number, use: (chunk: Buffer) => boolean): Promise<boolean> {
    if (this.#converted) {
      for (let at = offset; at < this.size; at += CHUNK_BYTES)
        if (!use(this.#converted.subarray(at, at + CHUNK_BYTES))) return false
      return true
    }
    const { handle } = await openRegular(this.#realPath, this.#shown)
    try {
      // The first chunk is small: a page of lines near a mark needs no more.
      let buffer = Buffer.allocUnsafeSlow(Math.min(SAMPLE_BYTES, Math.max(1, this.size - offset)))
      for (let at = offset; at < this.size;) {
        const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, this.size - at), at)
        if (bytesRead === 0) return true
        at += bytesRead
        if (!use(buffer.subarray(0, bytesRead))) return false
        if (buffer.length < CHUNK_BYTES) buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES)
      }
      return true
    } catch (error) {
      throw fileProblem(error, this.#shown)
    } finally {
      await handle.close()
    }
  }
}

/** A file that is text. */
export interface OpenedText {
  realPath: string
  shown: string
  stamp: FileStamp
  encoding: TextEncoding
  converted?: Buffer
}

/** A file that is not text. */
export interface OpenedOther {
  realPath: string
  stamp: FileStamp
  notText: NotText
}

/** Detects from the start of the file at a real path whether it is text, and its encoding. Throws `FileProblem`. */
export async function openText(realPath: string, shown: string): Promise<OpenedText | OpenedOther> {
  const { handle, stat: stamp } = await openRegular(realPath, shown)
  try {
    const size = Number(stamp.size)
    const sample = Buffer.alloc(Math.min(SAMPLE_BYTES, Math.max(1, size)))
    const { bytesRead } = await handle.read(sample, 0, sample.length, 0)
    const start = sample.subarray(0, bytesRead)
    const file = { realPath, shown, stamp }
    const { encoding, bom } = formatOf(start)
    if (encoding !== 'utf-8') return await openUtf16(handle, { ...file, encoding }, size)
    if (start.includes(0)) return { realPath, stamp, notText: notText(start) }
    if (isUtf8(withoutPartialCharacter(start, bytesRead < size)))
      return { ...file, encoding: bom ? 'utf-8-bom' : 'utf-8' }
    const known = notText(start)
    if (known.type || hasControls(start) || size > MAX_UTF16_BYTES) return { realPath, stamp, notText: known }
    const whole = await readUpTo(handle, size, MAX_UTF16_BYTES)
    if (!whole || whole.includes(0)) return { realPath, stamp, notText: known }
    const text = new TextDecoder('windows-1252').decode(whole)
    return { ...file, encoding: 'windows-1252', converted: Buffer.from(text) }
  } catch (error) {
    throw fileProblem(error, shown)
  } finally {
    await handle.close()
  }
}

async function openUtf16(handle: FileHandle, file: OpenedText, size: number): Promise<OpenedText | OpenedOther> {
  const { realPath, stamp } = file
  const whole = await readUpTo(handle, size, MAX_UTF16_BYTES)
  const tooLarge = `UTF-16 text larger than ${MAX_UTF16_BYTES / 1024 / 1024} MiB`
  if (!whole) return { realPath, stamp, notText: { reason: tooLarge, type: undefined } }
  const decoded = decodeText(whole)
  if ('notText' in decoded) return { realPath, stamp, notText: decoded.notText }
  return { ...file, converted: Buffer.from(decoded.text) }
}

/** Removes an incomplete character from the end of the bytes. */
function withoutPartialCharacter(bytes: Buffer, isCut: boolean): Buffer {
  if (!isCut) return bytes
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!
    if (byte < 0x80) return bytes
    if (byte >= 0xc0) return bytes.subarray(0, bytes.length - back)
  }
  return bytes
}

/** Whether there are characters that text does not contain: control characters other than white space and escapes. */
function hasControls(bytes: Buffer): boolean {
  return bytes.some((byte) => byte < 9 || (byte > 13 && byte < 27))
}

/** The open documents, by real path. Unused ones are closed after a while. */
export class TextDocuments {
  readonly #open = new Map<string, { document: TextDocument; timer: NodeJS.Timeout }>()
  readonly #keepMs: number
  readonly #most: number

  constructor({ keepMs = 60_000, most = 8 } = {}) {
    this.#keepMs = keepMs
    this.#most = most
  }

  /** The document of the current file, or the kind of file if it is not text. Throws `FileProblem`. */
  async get(realPath: string, shown: string): Promise<TextDocument | OpenedOther> {
    const file = await openText(realPath, shown)
    const known = this.#open.get(realPath)?.document
    if ('notText' in file) {
      this.#drop(realPath)
      return file
    }
    if (known && isSameStamp(known.stamp, file.stamp)) return this.#keep(realPath, known)
    const grown = known && (await known.grownInto(file))
    // A grown document continues with the same index, so the old one is not closed.
    if (known && !grown) known.close()
    return this.#keep(realPath, grown ?? new TextDocument(file))
  }

  close(): void {
    for (const path of this.#open.keys()) this.#drop(path)
  }

  #keep(realPath: string, document: TextDocument): TextDocument {
    clearTimeout(this.#open.get(realPath)?.timer)
    this.#open.delete(realPath)
    const timer = setTimeout(() => this.#drop(realPath), this.#keepMs).unref()
    this.#open.set(realPath, { document, timer })
    for (const old of this.#open.keys()) if (this.#open.size > this.#most) this.#drop(old)
    return document
  }

  #drop(realPath: string): void {
    const known = this.#open.get(realPath)
    if (!known) return
    clearTimeout(known.timer)
    known.document.close()
    this.#open.delete(realPath)
  }
}

/** Throws a `FileProblem` for a file that is not text. */
export function requireText(found: TextDocument | OpenedOther, shown: string): TextDocument {
  if (found instanceof TextDocument) return found
  throw new FileProblem(`${shown} is not text: ${found.notText.reason}.`)
}
