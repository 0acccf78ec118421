const LF = 10
/** The distance of the lines whose offsets are kept: lines 1, 257, 513, … */
const LINES_PER_MARK = 256
/** How many of the last scanned bytes are kept, to recognize a file that has only grown. */
const TAIL_BYTES = 256

/** A known line start: line `line` starts at `offset`. */
export interface LineMark {
  line: number
  offset: number
}

/**
 * Offsets of lines in a text, built chunk by chunk from the start. Takes about 8 bytes for 256 lines, whatever their
 * length.
 */
export class LineIndex {
  /** Offset of line 1, 257, 513, … */
  readonly #marks: number[]
  #newlines = 0
  #scanned: number
  #endsWithNewline = true
  #isComplete = false
  #tail: Buffer = Buffer.alloc(0)

  /** `start`: where the first line starts, after a byte order mark. */
  constructor(start = 0) {
    this.#marks = [start]
    this.#scanned = start
  }

  /** The offset up to which the text was scanned. */
  get scanned(): number {
    return this.#scanned
  }

  /** Whether the whole text was scanned. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** Lines found so far; a last line without a newline counts. */
  get lines(): number {
    return this.#newlines + (this.#endsWithNewline ? 0 : 1)
  }

  /** The last bytes that were scanned. */
  get tail(): Buffer {
    return this.#tail
  }

  /** Adds the next bytes of the text. */
  push(chunk: Buffer): void {
    if (chunk.length === 0) return
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, at + 1)) {
      this.#newlines += 1
      if (this.#newlines % LINES_PER_MARK === 0) this.#marks.push(this.#scanned + at + 1)
    }
    this.#scanned += chunk.length
    this.#endsWithNewline = chunk[chunk.length - 1] === LF
    this.#tail =
      chunk.length >= TAIL_BYTES
        ? Buffer.from(chunk.subarray(-TAIL_BYTES))
        : Buffer.concat([this.#tail, chunk]).subarray(-TAIL_BYTES)
  }

  /** Call when the whole text was added. */
  complete(): void {
    this.#isComplete = true
  }

  /** Call when the text has grown and more chunks follow. */
  reopen(): void {
    this.#isComplete = false
  }

  /** The nearest known line at or before this one; undefined if the scan has not got that far. */
  markBefore(line: number): LineMark | undefined {
    const at = Math.floor((line - 1) / LINES_PER_MARK)
    const offset = this.#marks[at]
    if (offset !== undefined) return { line: at * LINES_PER_MARK + 1, offset }
    if (!this.#isComplete) return undefined
    const last = this.#marks.length - 1
    return { line: last * LINES_PER_MARK + 1, offset: this.#marks[last] ?? 0 }
  }
}
