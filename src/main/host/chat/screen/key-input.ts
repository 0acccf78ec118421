/** No key counts before a question has been on screen this long, nor so soon after another key, in ms: as in the app. */
export const APPROVAL_GRACE_MS = 600

const PASTE_BEGIN = '\x1b[200~'
const PASTE_END = '\x1b[201~'
/** A longer paste, or one of more lines, stands in the line as a placeholder. */
const MAX_PASTED = 400
const MAX_PASTED_LINES = 8
/** Stands for a line break in the line that is edited. */
export const LINE_BREAK_MARK = '⏎'

/** What a run of other keys ends before. */
const STOPS = '\r\n\x03\x1a\x1b'

/** Text that was pasted, as it is edited and as it is meant. */
export class PasteBuffer {
  readonly #texts: string[] = []

  /** What stands in the line for a pasted text. */
  add(text: string): string {
    const unix = text.replaceAll(/\r\n?/g, '\n').replaceAll(/[^\P{Cc}\n\t]/gu, '')
    const lines = unix.split('\n').length
    if (unix.length <= MAX_PASTED && lines <= MAX_PASTED_LINES) return toEditLine(unix)
    this.#texts.push(unix)
    return `[pasted ${lines} ${lines === 1 ? 'line' : 'lines'} #${this.#texts.length}]`
  }

  /** What an edited line means. */
  expand(line: string): string {
    const whole = line.replaceAll(
      /\[pasted \d+ lines? #(\d+)\]/g,
      (mark: string, n: string) => this.#texts[Number(n) - 1] ?? mark,
    )
    return whole.replaceAll(LINE_BREAK_MARK, '\n')
  }
}

/** A text of several lines as it stands in the line that is edited. */
export function toEditLine(text: string): string {
  return text.replaceAll('\n', LINE_BREAK_MARK).replaceAll('\t', '  ')
}

/** A piece of what was typed. */
export type KeyInput =
  | { kind: 'paste'; text: string }
  | { kind: 'keys'; text: string }
  | { kind: 'enter' }
  | { kind: 'interrupt' | 'suspend' }

/** Takes raw input of a terminal apart: pastes whole, Enter and Ctrl-C by themselves. Pieces that are cut anywhere are put together again. */
export class KeyParser {
  #rest = ''

  add(text: string): void {
    this.#rest += text
  }

  /** Puts a piece back to the front. */
  putBack(piece: KeyInput): void {
    if (piece.kind === 'paste') this.#rest = PASTE_BEGIN + piece.text + PASTE_END + this.#rest
    else if (piece.kind === 'keys') this.#rest = piece.text + this.#rest
  }

  /** Forgets an escape that nothing has followed: it was the key, which means nothing here. */
  dropEscape(): void {
    if (this.#rest === '\x1b') this.#rest = ''
  }

  clear(): void {
    this.#rest = ''
  }

  /** The next piece; undefined when nothing is left, or only the beginning of a paste. */
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
    // An escape begins a piece of its own, so that a paste or Alt-Enter is seen.
    let end = 1
    while (end < rest.length && !STOPS.includes(rest[end]!)) end += 1
    return this.#take(end, { kind: 'keys', text: rest.slice(0, end) })
  }

  #take(length: number, piece: KeyInput): KeyInput {
    this.#rest = this.#rest.slice(length)
    return piece
  }
}
