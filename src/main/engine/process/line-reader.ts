/**
 * Splits text that arrives in pieces into lines, which end at LF. Adding a piece costs time for that piece only:
 * earlier pieces of the line are not searched or copied again.
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

  /** Removes and returns the text after the last line end. */
  takeRest(): string {
    const rest = this.#pieces.join('')
    this.#pieces = []
    return rest
  }
}
