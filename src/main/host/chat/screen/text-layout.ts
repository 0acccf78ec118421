import { stripVTControlCharacters } from 'node:util'
import { charWidth } from '../../../engine/task/output/char-width'

export { oneLine, safeText } from '../../../console/output'

/** Columns that safe text without line feeds takes, styled or not. */
export function displayWidth(text: string): number {
  let columns = 0
  for (const char of stripVTControlCharacters(text)) columns += charWidth(char)
  return columns
}

/** Cut to so many columns, with a sign that it was. */
export function truncateToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  let kept = ''
  let used = 0
  for (const char of text) {
    used += charWidth(char)
    if (used > columns - 1) break
    kept += char
  }
  return `${kept}…`
}

/** The end of it, cut to so many columns. */
export function lastColumns(text: string, columns: number): string {
  let kept = ''
  let used = 0
  for (const char of Array.from(text).toReversed()) {
    used += charWidth(char)
    if (used > columns) break
    kept = char + kept
  }
  return kept
}

/**
 * Breaks streamed prose between words, so that narrow terminals do not cut them. Lines of code (between fences) and words longer than a line are
 * left to the terminal: what is copied from it is then what was written.
 */
export class WordWrap {
  readonly #columns: () => number
  /** Columns used of the line being written. */
  #used = 0
  /** A word, or the blanks before it, that may go on. */
  #word = ''
  #blanks = ''
  /** The line being written, as far as it tells whether a fence begins or ends. */
  #lineStart = ''
  #isCode = false

  constructor(columns: () => number) {
    this.#columns = columns
  }

  /** What can be written of it now. */
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

  /** The end of a text: what was held back of it. What is added from now on begins on a new line. */
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
    const most = this.#columns()
    const isOver = this.#used + columns > most
    // A word that is longer than a line is broken wherever it stands.
    if (this.#used > 0 && !this.#isCode && isOver && displayWidth(word) <= most) {
      this.#used = displayWidth(word)
      return `\n${word}`
    }
    this.#used = isOver ? (this.#used + columns) % most : this.#used + columns
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

/** A text as lines of at most so many columns, but not of fewer than `least`. */
export function wrapText(text: string, columns: number, least = 10): string[] {
  const wrap = new WordWrap(() => Math.max(least, columns))
  return `${wrap.add(text)}${wrap.end()}`.split('\n')
}
