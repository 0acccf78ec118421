/** The newest output of a terminal, in memory only: what the user's own programs print is not written to disk. */
export class TerminalHistory {
  readonly #maxBytes: number
  #chunks: Buffer[] = []
  #kept = 0
  /** Bytes printed so far. */
  total = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  append(bytes: Buffer): void {
    this.#chunks.push(bytes)
    this.#kept += bytes.length
    this.total += bytes.length
    while (this.#kept > this.#maxBytes) {
      const [first] = this.#chunks
      if (!first) break
      const extra = this.#kept - this.#maxBytes
      if (extra >= first.length) this.#chunks.shift()
      else this.#chunks[0] = first.subarray(extra)
      this.#kept -= Math.min(extra, first.length)
    }
    // Many small pieces cost more than their bytes.
    if (this.#chunks.length > MAX_CHUNKS) this.#chunks = [Buffer.concat(this.#chunks)]
  }

  /** What was printed after byte `from`, at most the newest `maxBytes`. */
  newest(from: number, maxBytes: number): Buffer {
    const wanted = Math.min(this.total - from, maxBytes, this.#kept)
    if (wanted <= 0) return Buffer.alloc(0)
    const parts: Buffer[] = []
    let found = 0
    for (let at = this.#chunks.length - 1; at >= 0 && found < wanted; at -= 1) {
      const chunk = this.#chunks[at]!
      const part = chunk.subarray(Math.max(0, chunk.length - (wanted - found)))
      parts.unshift(part)
      found += part.length
    }
    return Buffer.concat(parts)
  }
}

const MAX_CHUNKS = 2000
