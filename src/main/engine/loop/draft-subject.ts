import { shortText } from '../../../shared/cut-text'

/** The subject of a call may be long (a script, for example): the start is enough. */
const MAX_CHARS = 160
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }

type State = 'start' | 'key' | 'colon' | 'value' | 'skip' | 'done'

/**
 * Finds the subject of a call in its arguments while they are still being streamed: the value of the first of `keys`
 * that appears or, without keys, the first string. Reads each character once, and none after the subject is complete.
 */
export class DraftSubject {
  /** What has arrived so far, on one line. */
  text = ''
  readonly #keys: readonly string[] | undefined
  #state: State = 'start'
  /** The string that is being read, for a key or the value. */
  #word = ''
  #inString = false
  #escape = ''
  #depth = 0

  constructor(keys: readonly string[] | undefined) {
    this.#keys = keys
  }

  /** Whether `text` has grown. */
  add(piece: string): boolean {
    if (this.#state === 'done') return false
    const before = this.text
    for (const character of piece) {
      this.#take(character)
      if (this.#ended) break
    }
    if (this.#state === 'value' && this.#inString) this.text = oneLine(this.#word)
    return this.text !== before
  }

  get #ended(): boolean {
    return this.#state === 'done'
  }

  #take(character: string): void {
    if (this.#inString) return this.#inside(character)
    switch (character) {
      case '"':
        this.#inString = true
        this.#word = ''
        return
      case '{':
      case '[':
        this.#depth += 1
        if (this.#depth === 1) this.#state = 'key'
        else if (this.#state === 'value') this.#state = 'skip'
        return
      case '}':
      case ']':
        this.#depth -= 1
        return
      case ':':
        if (this.#state === 'colon') this.#state = 'value'
        return
      case ',':
        if (this.#depth === 1) this.#state = 'key'
    }
  }

  #inside(character: string): void {
    if (this.#escape !== '') {
      this.#escape += character
      const code = this.#escape[1]
      if (code === 'u' && this.#escape.length < 6) return
      const hex = this.#escape.slice(2)
      this.#word +=
        code === 'u'
          ? /^[\da-f]{4}$/i.test(hex)
            ? String.fromCharCode(Number.parseInt(hex, 16))
            : ''
          : (ESCAPES[code ?? ''] ?? code)
      this.#escape = ''
    } else if (character === '\\') {
      this.#escape = character
    } else if (character === '"') {
      this.#inString = false
      this.#close()
    } else if (this.#state !== 'skip') {
      this.#word += character
    }
    if (this.#state === 'value' && this.#word.length > MAX_CHARS) this.#finish()
  }

  /** Called at the end of a string. */
  #close(): void {
    if (this.#state === 'key' && this.#depth === 1) this.#state = this.#isWanted(this.#word) ? 'colon' : 'skip'
    else if (this.#state === 'value') this.#finish()
  }

  #isWanted(key: string): boolean {
    return this.#keys === undefined || this.#keys.includes(key)
  }

  #finish(): void {
    this.text = oneLine(this.#word)
    this.#state = 'done'
  }
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trimStart()
  return shortText(line, MAX_CHARS)
}
