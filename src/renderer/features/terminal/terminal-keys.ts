import { fenceFor } from '../../../shared/code-fence'

/** The meaning of a key pressed in a terminal. */
export type KeyMeaning = 'program' | 'browser' | 'leave' | 'find' | 'copy'

type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'isComposing'>

const APPLE = /Mac|iPhone|iPad/.test(typeof navigator === 'undefined' ? '' : navigator.platform)

/**
 * Escape leaves the terminal: one key must never reach the program, and Tab does. Ctrl+[ sends the program an Escape,
 * which is the same character. Ctrl+C copies while text is selected and interrupts otherwise.
 */
export function keyMeaning(press: KeyPress, hasSelection: boolean, apple = APPLE): KeyMeaning {
  const { key, ctrlKey, metaKey, altKey, shiftKey, isComposing } = press
  if (isComposing) return 'program'
  if (key === 'Escape' && !ctrlKey && !metaKey && !altKey) return 'leave'
  const letter = key.toLowerCase()
  const mod = apple ? metaKey && !ctrlKey : ctrlKey && !metaKey
  if (mod && !altKey) {
    if (letter === 'v') return 'browser'
    if (letter === 'f' && !shiftKey) return 'find'
    if (letter === 'c' && (hasSelection || shiftKey)) return 'copy'
  }
  // The app's own shortcuts on a Mac.
  if (apple && metaKey) return 'browser'
  return 'program'
}

/**
 * In a terminal of the user, every key goes to the program, including Escape, except F6, which goes to the next pane,
 * and the usual keys of terminals.
 */
export function ownKeyMeaning(press: KeyPress, apple = APPLE): KeyMeaning {
  const { key, ctrlKey, metaKey, altKey, shiftKey, isComposing } = press
  if (isComposing) return 'program'
  if (key === 'F6') return 'browser'
  const isOurs = apple ? metaKey && !ctrlKey : ctrlKey && shiftKey && !metaKey
  if (!isOurs || altKey) return 'program'
  const letter = key.toLowerCase()
  if (letter === 'c') return 'copy'
  if (letter === 'f') return 'find'
  return 'browser'
}

const ESC = '\\u001b'
const ESCAPE = new RegExp(`${ESC}(?:\\[[0-9;?]*[ -/]*[@-~]|O.|.)?`, 'g')

/** Number of characters in the current line, as a terminal in its default mode counts them. */
export function typedLength(before: number, data: string): number {
  let length = before
  // An escape sequence (an arrow key) is not a character of the line.
  const text = data.replaceAll(ESCAPE, '')
  for (const char of text) {
    if (char === '\r' || char === '\n' || char === '\u0003' || char === '\u0004' || char === '\u0015') length = 0
    else if (char === '\u007f' || char === '\b') length = Math.max(0, length - 1)
    else if (char >= ' ') length += 1
  }
  return length
}

/**
 * Sends input in the order it was typed, one call at a time, because overlapping calls could overtake each other. Input
 * typed during a call is sent with the next one. Nothing is kept after sending, and nothing is sent twice.
 */
export class KeySender {
  readonly #send: (data: string) => Promise<unknown>
  readonly #onFailure: (error: unknown) => void
  #waiting = ''
  #busy = false

  constructor(send: (data: string) => Promise<unknown>, onFailure: (error: unknown) => void) {
    this.#send = send
    this.#onFailure = onFailure
  }

  type(data: string): void {
    this.#waiting += data
    if (!this.#busy) void this.#flush()
  }

  async #flush(): Promise<void> {
    this.#busy = true
    while (this.#waiting !== '') {
      const data = this.#waiting.slice(0, MAX_AT_ONCE)
      this.#waiting = this.#waiting.slice(MAX_AT_ONCE)
      try {
        await this.#send(data)
      } catch (error) {
        // Input after a lost key could end up in something else.
        this.#waiting = ''
        this.#onFailure(error)
      }
    }
    this.#busy = false
  }
}

/** The maximum of the contract. */
const MAX_AT_ONCE = 100_000

/** A path as one shell word. */
export function quotedPath(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`
}

/** Output of a terminal as a block of a message, whatever backticks are in it. */
export function quotedOutput(text: string): string {
  const fence = fenceFor(text)
  return `From my terminal:\n\n${fence}\n${text.trimEnd()}\n${fence}\n`
}
