/**
 * One setting of a file: section and key in lowercase, the name between them unchanged; as latin1.
 */
export interface Setting {
  key: string
  value: string
}

const BLANK = /[ \t\r]/
const KEY = /[A-Za-z0-9-]/
const ESCAPES: Readonly<Record<string, string>> = { t: '\t', b: '\b', n: '\n', '\\': '\\', '"': '"', '\n': '' }

/**
 * The settings in a git config file, in order, as git itself reads them; undefined if git refuses the file or its
 * versions read it differently. `latin1`: the bytes of the file.
 */
export function parseSettings(latin1: string): Setting[] | undefined {
  const reader = new Reader(latin1.replace(/^\u00ef\u00bb\u00bf/, ''))
  const settings: Setting[] = []
  let section = ''
  for (let at = reader.next(); at !== undefined; at = reader.next()) {
    if (at === '\n' || BLANK.test(at)) continue
    if (at === '#' || at === ';') reader.skipLine()
    else if (at === '[') {
      const name = reader.section()
      if (name === undefined) return undefined
      section = name
    } else {
      const setting = /[A-Za-z]/.test(at) && section !== '' ? reader.setting(at) : undefined
      if (!setting) return undefined
      settings.push({ key: `${section}.${setting.key}`, value: setting.value })
    }
  }
  return settings
}

class Reader {
  #at = 0
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** The next character, with each line break as one; undefined at the end. */
  next(): string | undefined {
    const at = this.#text[this.#at]
    this.#at += 1
    if (at !== '\r' || this.#text[this.#at] !== '\n') return at
    this.#at += 1
    return '\n'
  }

  skipLine(): void {
    for (let at = this.next(); at !== undefined && at !== '\n'; at = this.next());
  }

  /** Reads from after the opening bracket through the closing one. */
  section(): string | undefined {
    let name = ''
    for (let at = this.next(); at !== undefined; at = this.next()) {
      if (at === ']') return name === '' ? undefined : name
      if (BLANK.test(at)) return name === '' ? undefined : this.#named(name)
      if (!KEY.test(at) && at !== '.') return undefined
      name += at.toLowerCase()
    }
    return undefined
  }

  #named(section: string): string | undefined {
    let at = this.next()
    while (at !== undefined && BLANK.test(at)) at = this.next()
    if (at !== '"') return undefined
    let name = ''
    for (at = this.next(); at !== '"'; at = this.next()) {
      if (at === '\\') at = this.next()
      if (at === undefined || at === '\n' || at === '\0') return undefined
      name += at
    }
    return this.next() === ']' ? `${section}.${name}` : undefined
  }

  /** Reads a key that starts with `first`, and its value. */
  setting(first: string): Setting | undefined {
    let key = first.toLowerCase()
    let at = this.next()
    for (; at !== undefined && KEY.test(at); at = this.next()) key += at.toLowerCase()
    while (at === ' ' || at === '\t') at = this.next()
    if (at === undefined || at === '\n') return { key, value: 'true' }
    const value = at === '=' ? this.#value() : undefined
    return value === undefined ? undefined : { key, value }
  }

  #value(): string | undefined {
    let value = ''
    let blanks = ''
    let isQuoted = false
    for (let at = this.next(); at !== undefined && at !== '\n'; at = this.next()) {
      if (!isQuoted && BLANK.test(at)) {
        if (value !== '') blanks += at
        continue
      }
      if (!isQuoted && (at === ';' || at === '#')) {
        this.skipLine()
        return value
      }
      // Some versions turn each of them into a space.
      if (/[^ ]/.test(blanks) || at === '\0') return undefined
      value += blanks
      blanks = ''
      if (at === '"') isQuoted = !isQuoted
      else if (at === '\\') {
        const escaped = ESCAPES[this.next() ?? '']
        if (escaped === undefined) return undefined
        value += escaped
      } else value += at
    }
    return isQuoted ? undefined : value
  }
}
