import { safeText } from '../../../console/output'

/**
 * Grace period in ms: keys are ignored until a question was on screen this long and no key came in between, as in the
 * app.
 */
export const APPROVAL_GRACE_MS = 600

const PASTE_BEGIN = '\x1b[200~'
const PASTE_END = '\x1b[201~'
/** A longer paste, or one with more lines, is shown as a placeholder. */
const MAX_PASTED = 400
const MAX_PASTED_LINES = 8
/** Shown for a line break in the edited line. */
export const LINE_BREAK_MARK = '⏎'

/** Ends a run of ordinary keys. */
const STOPS = '\r\n\x03\x1a\x1b'

/** Pasted texts and their placeholders in the edited line. */
export class PasteBuffer {
  readonly #texts: string[] = []

  /** Adds a pasted text; returns how it is shown in the line. */
  add(text: string): string {
    const unix = text.replaceAll(/\r\n?/g, '\n').replaceAll(/[^\P{Cc}\n\t]/gu, '')
    const lines = unix.split('\n').length
    if (unix.length <= MAX_PASTED && lines <= MAX_PASTED_LINES) return toEditLine(unix)
    this.#texts.push(unix)
    return `[pasted ${lines} ${lines === 1 ? 'line' : 'lines'} #${this.#texts.length}]`
  }

  /** Replaces the placeholders in an edited line with the pasted texts. */
  expand(line: string): string {
    const whole = line.replaceAll(
      /\[pasted \d+ lines? #(\d+)\]/g,
      (mark: string, n: string) => this.#texts[Number(n) - 1] ?? mark,
    )
    return whole.replaceAll(LINE_BREAK_MARK, '\n')
  }
}

/**
 * A multi-line text as shown in the edited line. The line editor writes to the terminal unguarded, so escape codes
 * become visible text.
 */
export function toEditLine(text: string): string {
  return safeText(text).replaceAll('\n', LINE_BREAK_MARK).replaceAll('\t', '  ')
}

/** One piece of terminal input. */
export type KeyInput =
  | { kind: 'paste'; text: string }
  | { kind: 'keys'; text: string }
  | { kind: 'enter' }
  | { kind: 'interrupt' | 'suspend' }

/**
 * Parses raw terminal input: complete pastes, Enter and Ctrl-C as separate pieces. Reassembles chunks split at any
 * point.
 */
export class KeyParser {
  #rest = ''

  add(text: string): void {
    this.#rest += text
  }

  /** Returns a piece to the front of the queue. */
  putBack(piece: KeyInput): void {
    if (piece.kind === 'paste') this.#rest = PASTE_BEGIN + piece.text + PASTE_END + this.#rest
    else if (piece.kind === 'keys') this.#rest = piece.text + this.#rest
  }

  /** Drops a lone escape: it was the Escape key, which has no function here. */
  dropEscape(): void {
    if (this.#rest === '\x1b') this.#rest = ''
  }

  clear(): void {
    this.#rest = ''
  }

  /** The next piece; undefined when the queue is empty or has only the start of a paste. */
  next(): KeyInput | undefined {
    const rest = this.#rest
    if (rest === '' || (PASTE_BEGIN.startsWith(rest) && rest !== PASTE_BEGIN)) return undefined
    if (rest.startsWith(PASTE_BEGIN)) {
      const end = rest.indexOf(PASTE_END)
      if (end < 0) return undefined
      this.#rest = rest.slice(end + PASTE_END.length)
      return { kind: 'paste', text: rest.slice(PASTE_BEGIN.length, end) }
    }
    if (rest[0] === '\x1b' && (rest[1] === '\r' || rest[1] === '\n'))
      return this.#take(2, { kind: 'keys', text: LINE_BREAK_MARK })
    if (rest[0] === '\n') return this.#take(1, { kind: 'keys', text: LINE_BREAK_MARK })
    if (rest[0] === '\r') return this.#take(1, { kind: 'enter' })
    if (rest[0] === '\x03') return this.#take(1, { kind: 'interrupt' })
    if (rest[0] === '\x1a') return this.#take(1, { kind: 'suspend' })
    // An escape starts a new piece, so that a paste or Alt-Enter is recognized.
    let end = 1
    while (end < rest.length && !STOPS.includes(rest[end]!)) end += 1
    return this.#take(end, { kind: 'keys', text: rest.slice(0, end) })
  }

  #take(length: number, piece: KeyInput): KeyInput {
    this.#rest = this.#rest.slice(length)
    return piece
  }
}
