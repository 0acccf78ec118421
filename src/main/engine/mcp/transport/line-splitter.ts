/** What is known of a line that was too long to keep. */
export interface LongLine {
  bytes: number
  /** Its first and its last bytes. */
  head: string
  tail: string
}

const EXCERPT = 256

/**
 * Cuts a stream of bytes into lines, holding at most `maxBytes` of one: the rest of a longer line is counted and thrown away until it ends. Bytes that are no
 * UTF-8 become replacement characters.
 */
export class LineSplitter {
  readonly #maxBytes: number
  readonly #onLine: (line: string) => void
  readonly #onLong: (line: LongLine) => void
  #parts: Buffer[] = []
  #bytes = 0
  /** Set while a line is being thrown away. */
  #head: string | undefined
  #tail: Buffer = Buffer.alloc(0)

  constructor(maxBytes: number, onLine: (line: string) => void, onLong: (line: LongLine) => void) {
    this.#maxBytes = maxBytes
    this.#onLine = onLine
    this.#onLong = onLong
  }

  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) {
      const end = chunk.indexOf(0x0a, at)
      this.#take(chunk.subarray(at, end < 0 ? chunk.length : end))
      if (end < 0) return
      this.#finish()
      at = end + 1
    }
  }

  /** What stands after the last line break. */
  end(): void {
    if (this.#bytes > 0) this.#finish()
  }

  #take(bytes: Buffer): void {
    this.#bytes += bytes.length
    if (this.#head === undefined && this.#bytes <= this.#maxBytes) {
      this.#parts.push(bytes)
      return
    }
    if (this.#head === undefined) {
      const kept = Buffer.concat([...this.#parts, bytes])
      this.#head = kept.toString('utf8', 0, EXCERPT)
      this.#parts = []
      this.#tail = Buffer.from(kept.subarray(-EXCERPT))
      return
    }
    this.#tail = bytes.length >= EXCERPT ? Buffer.from(bytes.subarray(-EXCERPT)) : Buffer.concat([this.#tail, bytes]).subarray(-EXCERPT)
  }

  #finish(): void {
    const [parts, bytes, head, tail] = [this.#parts, this.#bytes, this.#head, this.#tail]
    this.#parts = []
    this.#bytes = 0
    this.#head = undefined
    this.#tail = Buffer.alloc(0)
    if (head === undefined) this.#onLine(Buffer.concat(parts).toString('utf8').replace(/\r$/, ''))
    else this.#onLong({ bytes, head, tail: tail.toString('utf8') })
  }
}
