import type { LineEndings } from './text-file'

/** Which lines to keep, starting from a line (from 1) or from the line that starts at a byte. */
export interface LineWindow {
  start: { line: number; byte?: undefined } | { byte: number }
  maxLines: number
  /** Kept lines can be slightly longer than this, which shows that they are too long. */
  maxLineChars: number
  /** Stops keeping once this many characters are kept. */
  maxChars: number
  /** Keeps lines from this character on (from 1); default: from the first. */
  firstChar?: number
}

/**
 * `raw` has no line feed, but includes a carriage return before it. `long`: the line continues beyond `raw`. If lines
 * are kept from a later character on, `chars` is the length of the whole line.
 */
export interface KeptLine {
  raw: string
  long: boolean
  chars?: number
}

const LF = 10
const CR = 13

/**
 * Splits UTF-8 into lines, keeps those of a window and counts all; memory stays bounded for any length of lines and
 * file. Chunks must not split characters; they may be reused after `push`.
 */
export class LineScan {
  readonly kept: KeptLine[] = []
  /** Number of the first kept line (from 1), counted from where scanning began. */
  firstLine: number | undefined
  private readonly window: LineWindow
  private readonly maxLineBytes: number
  private keptChars = 0
  private line = 1
  private lineStart: number
  private offset: number
  private keeping: boolean
  private pieces: Buffer[] = []
  private pieceBytes = 0
  private long = false
  /** For the line being kept: the characters still to skip, and its total so far. */
  private skip = 0
  private chars = 0
  private last = 0
  private feeds = 0
  private returns = 0
  private pairs = 0

  /** `offset`: where in the file the first chunk starts. */
  constructor(window: LineWindow, offset = 0) {
    this.window = window
    // A UTF-16 unit takes at most three bytes in UTF-8; one character more shows that a line is too long.
    this.maxLineBytes = window.maxLineChars * 3 + 4
    this.offset = offset
    this.lineStart = offset
    this.keeping = this.wants()
    this.skip = this.firstChar - 1
  }

  push(chunk: Buffer): void {
    let start = 0
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index]!
      if (byte > CR) continue
      if (byte === CR) this.returns++
      else if (byte === LF) {
        this.feeds++
        if ((index > 0 ? chunk[index - 1] : this.last) === CR) this.pairs++
        if (this.keeping) this.finishLine(chunk.subarray(start, index))
        start = index + 1
        this.line++
        this.lineStart = this.offset + start
        this.keeping = this.wants()
      }
    }
    if (this.keeping && start < chunk.length) this.addPiece(chunk.subarray(start))
    this.offset += chunk.length
    if (chunk.length > 0) this.last = chunk[chunk.length - 1]!
  }

  /** After the last chunk: an unfinished line is a line too. */
  end(): void {
    if (this.lineStart === this.offset) return
    if (this.keeping) this.finishLine(Buffer.alloc(0))
    this.line++
  }

  /** Whether nothing more will be kept. */
  get full(): boolean {
    return this.kept.length >= this.window.maxLines || this.keptChars >= this.window.maxChars
  }

  /** Lines so far; all of them after `end`. */
  get lines(): number {
    return this.line - 1
  }

  get endsWithNewline(): boolean {
    return this.last === LF
  }

  get endings(): LineEndings {
    if (this.returns === 0) return this.feeds === 0 ? 'none' : 'lf'
    return this.returns === this.pairs && this.feeds === this.pairs ? 'crlf' : 'mixed'
  }

  private wants(): boolean {
    if (this.full) return false
    const { start } = this.window
    return start.byte === undefined ? this.line >= start.line : this.lineStart >= start.byte
  }

  private get firstChar(): number {
    return this.window.firstChar ?? 1
  }

  private addPiece(whole: Buffer): void {
    const piece = this.firstChar === 1 ? whole : this.withoutSkipped(whole)
    const room = this.maxLineBytes - this.pieceBytes
    if (piece.length > room) this.long = true
    if (room <= 0) return
    const part = Buffer.from(piece.subarray(0, room))
    this.pieces.push(part)
    this.pieceBytes += part.length
  }

  /** Counts characters as strings do: those beyond the basic plane as two, and never split. */
  private withoutSkipped(piece: Buffer): Buffer {
    let from = this.skip > 0 ? piece.length : 0
    for (let index = 0; index < piece.length; index++) {
      const byte = piece[index]!
      if ((byte & 0xc0) === 0x80) continue
      const units = byte >= 0xf0 ? 2 : 1
      if (this.skip < units && from === piece.length) from = index
      this.skip = from === piece.length ? this.skip - units : 0
      this.chars += units
    }
    return piece.subarray(from)
  }

  private finishLine(rest: Buffer): void {
    let raw: string
    if (this.firstChar === 1 && this.pieces.length === 0 && rest.length <= this.maxLineBytes)
      raw = rest.toString('utf8')
    else {
      this.addPiece(rest)
      raw = Buffer.concat(this.pieces).toString('utf8')
    }
    this.kept.push({ raw, long: this.long, ...(this.firstChar > 1 && { chars: this.chars }) })
    this.skip = this.firstChar - 1
    this.chars = 0
    this.firstLine ??= this.line
    this.keptChars += Math.min(raw.length, this.window.maxLineChars) + 1
    this.pieces = []
    this.pieceBytes = 0
    this.long = false
  }
}

/**
 * Finds where the last `count` lines start by searching a file backwards: feed its parts from the end to the start
 * until `start` is known. A line feed at the very end ends the last line and doesn't start another.
 */
export class TailSearch {
  start: number | undefined
  private remaining: number
  private atEnd = true

  constructor(count: number) {
    this.remaining = count
  }

  /** `offset`: where in the file the part starts. */
  push(part: Uint8Array, offset: number): void {
    let from = part.length - 1
    if (this.atEnd && part.length > 0) {
      this.atEnd = false
      if (part[from] === LF) from--
    }
    while (this.start === undefined && from >= 0) {
      const found = part.lastIndexOf(LF, from)
      if (found < 0) break
      if (--this.remaining === 0) this.start = offset + found + 1
      from = found - 1
    }
    if (this.start === undefined && offset === 0) this.start = 0
  }
}
