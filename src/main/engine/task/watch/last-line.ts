import { plainText } from '../plain-text'

/** Enough for a line of a terminal with its colours; what is longer is cut. */
const KEPT_BYTES = 2 * 1024
const MOST_CHARS = 200

/** The end of what a command printed, read as lines. Costs next to nothing while output comes, however much. */
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

  /** The last line that says something, plain, at most 200 characters of its end; and whether it was left open, as a question is. */
  read(): { text: string; isOpen: boolean } {
    const lines = plainText([this.#kept.subarray(0, this.#length)]).split('\n')
    const last = lines.at(-1) ?? ''
    const text = last.trim() === '' ? (lines.findLast((line) => line.trim() !== '') ?? '') : last
    return { text: cut(text.trim()), isOpen: last.trim() !== '' }
  }
}

/** The end of a line is what asks. */
function cut(line: string): string {
  if (line.length <= MOST_CHARS) return line
  const end = line.slice(line.length - MOST_CHARS + 1)
  return `…${/^[\udc00-\udfff]/.test(end) ? end.slice(1) : end}`
}
