const LF = 10
/** The offset of every line whose number is one more than a multiple of this is kept. */
const LINES_PER_MARK = 256
/** How much of the end of what was scanned is remembered, to recognize a file that has only grown. */
const TAIL_BYTES = 256

/** Where a line begins, as near as the index knows: line `line` begins at `offset`. */
export interface LineMark {
  line: number
  offset: number
}

/**
 * Offsets of lines in a text, built chunk by chunk from its beginning. Takes about 8 bytes for 256 lines, whatever
 * their length.
 */
export class LineIndex {
  /** Offset of line 1, 257, 513, … */
  readonly #marks: number[]
  #newlines = 0
  #scanned: number
  #endsWithNewline = true
  #isComplete = false
  #tail: Buffer = Buffer.alloc(0)

  /** `start`: where the first line begins, after a byte order mark. */
  constructor(start = 0) {
    this.#marks = [start]
    this.#scanned = start
  }

  /** Up to which offset the text was looked at. */
  get scanned(): number {
    return this.#scanned
  }

  /** Whether all of the text was looked at. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** Lines found so far; a last line without a newline counts. */
  get lines(): number {
    return this.#newlines + (this.#endsWithNewline ? 0 : 1)
  }

  /** The last bytes that were looked at. */
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

  /** The whole text was added. */
  complete(): void {
    this.#isComplete = true
  }

  /** The text has grown: more chunks follow. */
  reopen(): void {
    this.#isComplete = false
  }

  /** The nearest known line at or before this one; undefined while the scan has not come that far. */
  markBefore(line: number): LineMark | undefined {
    const at = Math.floor((line - 1) / LINES_PER_MARK)
    const offset = this.#marks[at]
    if (offset !== undefined) return { line: at * LINES_PER_MARK + 1, offset }
    if (!this.#isComplete) return undefined
    const last = this.#marks.length - 1
    return { line: last * LINES_PER_MARK + 1, offset: this.#marks[last] ?? 0 }
  }
}
