/**
 * Splits text that arrives in pieces into lines, which end at LF. Adding a piece costs no more than that piece, so a
 * line of many pieces is not searched and copied again for each of them.
 */
export class LineReader {
  readonly #onLine: (line: string) => void
  #pieces: string[] = []

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine
  }

  add(text: string): void {
    let at = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', at)) {
      const piece = text.slice(at, end)
      at = end + 1
      this.#onLine(this.#pieces.length === 0 ? piece : this.takeRest() + piece)
    }
    if (at < text.length) this.#pieces.push(at === 0 ? text : text.slice(at))
  }

  /** Removes the text after the last line end, and returns it. */
  takeRest(): string {
    const rest = this.#pieces.join('')
    this.#pieces = []
    return rest
  }
}
