import { ScreenRows } from './screen-rows'

/**
 * The plain text of a terminal's byte stream: escape sequences removed, redraws collapsed to what the screen shows,
 * lines separated by "\n".
 */
export function plainText(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const text = chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode()
  // Most output has nothing to interpret.
  const unix = text.replaceAll('\r\n', '\n')
  if (!INTERPRETED.test(unix)) return unix
  const reader = new PlainText()
  reader.write(text)
  return reader.text()
}

/** Any control character but tab and line feed. */
const INTERPRETED = /[^\P{Cc}\t\n]/u
const RUN = /[\x20-\x7e\xa0-\uffff]+/y

type State = 'ground' | 'escape' | 'escape-more' | 'csi' | 'string' | 'string-escape'

/** Longer parameters than any program sends; such a sequence is skipped. */
const MAX_PARAMS = 64

/**
 * A terminal that keeps only text. Accepts any input in any chunks, in linear time and without ever failing. Colors,
 * titles, charsets, modes and images are dropped; cursor moves and erasures, which progress displays use, are applied.
 */
export class PlainText {
  private readonly screen = new ScreenRows()
  private state: State = 'ground'
  private params = ''
  /** The cursor was sent to the top left, and nothing was written since. */
  private isHome = false

  write(text: string): void {
    let at = 0
    while (at < text.length) {
      if (this.state === 'ground') {
        RUN.lastIndex = at
        const run = RUN.exec(text)?.[0]
        if (run !== undefined) {
          this.isHome = false
          this.screen.write(run)
          at += run.length
          continue
        }
      }
      this.step(text.charCodeAt(at))
      at++
    }
  }

  text(): string {
    return this.screen.text()
  }

  private step(code: number): void {
    if (this.state === 'string' || this.state === 'string-escape') this.inString(code)
    else if (code === 0x1b) this.state = 'escape'
    else if (code === 0x18 || code === 0x1a) this.state = 'ground'
    else if (code < 0x20) this.control(code)
    else if (code >= 0x80 && code <= 0x9f) this.escape(code - 0x40)
    else if (this.state === 'escape') this.escape(code)
    else if (this.state === 'escape-more') this.state = code >= 0x20 && code <= 0x2f ? 'escape-more' : 'ground'
    else if (this.state === 'csi') this.inCsi(code)
  }

  /** Control characters act even within a sequence, as in terminals. */
  private control(code: number): void {
    this.isHome = false
    if (code === 0x0a || code === 0x0b || code === 0x0c) this.screen.lineFeed()
    else if (code === 0x0d) this.screen.carriageReturn()
    else if (code === 0x08) this.screen.move(0, -1)
    else if (code === 0x09) this.screen.tab()
  }

  private escape(code: number): void {
    this.state = 'ground'
    const char = String.fromCharCode(code)
    if (char === '[') {
      this.params = ''
      this.state = 'csi'
    } else if (']PX^_'.includes(char)) this.state = 'string'
    else if (code >= 0x20 && code <= 0x2f) this.state = 'escape-more'
    else if (char === '7') this.screen.save()
    else if (char === '8') this.screen.restore()
    else if (char === 'M') this.screen.move(-1, 0)
    else if (char === 'D') this.screen.move(1, 0)
    else if (char === 'E') this.screen.lineFeed()
    else if (char === 'c') this.clearAll()
  }

  /** Up to BEL or ST. A line feed also ends it: a stray introducer must not swallow the rest of the output. */
  private inString(code: number): void {
    if (code === 0x0a) {
      this.state = 'ground'
      this.screen.lineFeed()
    } else if (code === 0x07 || code === 0x9c || code === 0x18 || code === 0x1a) this.state = 'ground'
    else if (code === 0x1b) this.state = 'string-escape'
    else if (this.state === 'string-escape') {
      this.state = 'ground'
      if (code !== 0x5c) this.escape(code)
    }
  }

  private inCsi(code: number): void {
    if (code >= 0x40 && code <= 0x7e) {
      this.state = 'ground'
      if (this.params.length <= MAX_PARAMS) this.csi(String.fromCharCode(code))
    } else if (code > 0x7f) this.state = 'ground'
    else if (code !== 0x7f && this.params.length <= MAX_PARAMS) this.params += String.fromCharCode(code)
  }

  private csi(final: string): void {
    if (this.params.startsWith('?')) {
      const alternate = /^\?(?:47|1047|1049)$/.test(this.params)
      if (alternate && final === 'h') this.screen.enterAlternate()
      else if (alternate && final === 'l') this.screen.leaveAlternate()
      else if (final === 'K' || final === 'J') this.erase(final, number(this.params.slice(1), 0))
      return
    }
    if (/[^0-9;:]/.test(this.params)) return
    if (!'HfJm'.includes(final)) this.isHome = false
    const [first = '', second = ''] = this.params.split(';')
    const count = Math.max(1, number(first, 1))
    const { screen } = this
    if (final === 'A') screen.move(-count, 0)
    else if (final === 'B' || final === 'e') screen.move(count, 0)
    else if (final === 'C' || final === 'a') screen.move(0, count)
    else if (final === 'D') screen.move(0, -count)
    else if (final === 'E' || final === 'F') {
      screen.carriageReturn()
      screen.move(final === 'E' ? count : -count, 0)
    } else if (final === 'G' || final === '`') screen.moveTo(undefined, count - 1)
    else if (final === 'd') screen.moveTo(count - 1, undefined)
    else if (final === 'H' || final === 'f') {
      const column = Math.max(1, number(second, 1))
      screen.moveTo(count - 1, column - 1)
      this.isHome = count === 1 && column === 1
    } else if (final === 'K' || final === 'J') this.erase(final, number(first, 0))
    else if (final === 'X') screen.eraseChars(count)
    else if (final === 'P') screen.deleteChars(count)
    else if (final === '@') screen.insertChars(count)
    else if (final === 's') screen.save()
    else if (final === 'u') screen.restore()
  }

  private erase(final: 'K' | 'J', mode: number): void {
    if (final === 'K') this.screen.eraseLine(mode)
    // Erasing from the top left clears the screen, if the program moved there directly; moving up from below only
    // redraws the last lines.
    else if (mode === 2 || (mode === 0 && this.isHome)) this.screen.clear()
    else this.screen.eraseDisplay(mode)
  }

  private clearAll(): void {
    this.screen.clear()
    this.screen.moveTo(0, 0)
  }
}

function number(text: string, otherwise: number): number {
  const value = Number.parseInt(text, 10)
  return Number.isNaN(value) ? otherwise : value
}

/** Enough for a line of a terminal with its colors; longer lines are cut. */
const KEPT_BYTES = 2 * 1024
const MAX_CHARS = 200

/** The last line of what a command printed. Appending costs next to nothing, however much is printed. */
export class LastLine {
  readonly #kept = Buffer.allocUnsafe(KEPT_BYTES)
  #length = 0

  append(bytes: Uint8Array): void {
    const newest = bytes.length > KEPT_BYTES ? bytes.subarray(bytes.length - KEPT_BYTES) : bytes
    const room = KEPT_BYTES - this.#length
    if (newest.length > room) {
      const stays = KEPT_BYTES - newest.length
      this.#kept.copyWithin(0, this.#length - stays, this.#length)
      this.#length = stays
    }
    this.#kept.set(newest, this.#length)
    this.#length += newest.length
  }

  /**
   * The last visible line as plain text, at most 200 characters of its end; and whether it is unfinished, like a
   * prompt.
   */
  read(): { text: string; isOpen: boolean } {
    const lines = plainText([this.#kept.subarray(0, this.#length)]).split('\n')
    const last = lines.at(-1) ?? ''
    const text = last.trim() === '' ? (lines.findLast((line) => line.trim() !== '') ?? '') : last
    return { text: cut(text.trim()), isOpen: last.trim() !== '' }
  }
}

/** Keeps the end of the line, where the question is. */
function cut(line: string): string {
  if (line.length <= MAX_CHARS) return line
  const end = line.slice(line.length - MAX_CHARS + 1)
  return `…${/^[\udc00-\udfff]/.test(end) ? end.slice(1) : end}`
}
