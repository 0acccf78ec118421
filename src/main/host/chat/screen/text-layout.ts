import { displayWidth } from '../../../console/display-width'

export { displayWidth, lastColumns, truncateToWidth } from '../../../console/display-width'
export { oneLine, safeText } from '../../../console/output'

/**
 * Wraps streamed prose between words, so that narrow terminals do not split them. Lines of code (between fences) and
 * words longer than a line are left to the terminal, so that copied text equals the original.
 */
export class WordWrap {
  readonly #columns: () => number
  /** Used columns of the current line. */
  #used = 0
  /** An unfinished word, or the spaces before it. */
  #word = ''
  #blanks = ''
  /** The start of the current line, to detect a fence. */
  #lineStart = ''
  #isCode = false

  constructor(columns: () => number) {
    this.#columns = columns
  }

  /** Adds text; returns what can be written now. */
  add(text: string): string {
    let out = ''
    for (const piece of text.match(/\n|[^\S\n]+|[^\s]+/gu) ?? []) {
      if (piece === '\n') out += this.#takeWord() + this.#endLine()
      else if (/^\s/u.test(piece)) {
        out += this.#takeWord()
        this.#blanks += piece
      } else this.#word += piece
    }
    return out
  }

  /** Ends a text: returns what was held back. Text added later starts on a new line. */
  end(): string {
    const word = this.#takeWord()
    this.#endLine()
    this.#isCode = false
    return word
  }

  #takeWord(): string {
    if (this.#word === '') return ''
    const word = this.#word
    const blanks = this.#blanks.replaceAll('\t', '  ')
    this.#word = ''
    this.#blanks = ''
    if (this.#lineStart.length < 3) this.#lineStart += word
    const columns = displayWidth(blanks) + displayWidth(word)
    const max = this.#columns()
    const isOver = this.#used + columns > max
    // A word longer than a line is broken at any position.
    if (this.#used > 0 && !this.#isCode && isOver && displayWidth(word) <= max) {
      this.#used = displayWidth(word)
      return `\n${word}`
    }
    this.#used = isOver ? (this.#used + columns) % max : this.#used + columns
    return blanks + word
  }

  #endLine(): string {
    if (/^(```|~~~)/.test(this.#lineStart)) this.#isCode = !this.#isCode
    this.#lineStart = ''
    this.#blanks = ''
    this.#used = 0
    return '\n'
  }
}

/** Wraps a text to lines of at most this width, but not narrower than `min`. */
export function wrapText(text: string, columns: number, min = 10): string[] {
  const wrap = new WordWrap(() => Math.max(min, columns))
  return `${wrap.add(text)}${wrap.end()}`.split('\n')
}
