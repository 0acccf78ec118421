/** The beginning of a stream of bytes; however much comes, no more than `most` is kept. */
export class KeptOutput {
  readonly #most: number
  readonly #chunks: Buffer[] = []
  #kept = 0
  #total = 0

  constructor(most: number) {
    this.#most = most
  }

  add(bytes: Buffer): void {
    this.#total += bytes.length
    const room = this.#most - this.#kept
    if (room <= 0) return
    // A copy of what is cut off: the rest of its memory is not held.
    const piece = bytes.length > room ? Buffer.from(bytes.subarray(0, room)) : bytes
    this.#chunks.push(piece)
    this.#kept += piece.length
  }

  get text(): string {
    // Half a sign at the cut is left out.
    return new TextDecoder().decode(Buffer.concat(this.#chunks), { stream: this.cutBytes > 0 })
  }

  get cutBytes(): number {
    return this.#total - this.#kept
  }
}
