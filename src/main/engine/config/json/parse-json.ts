/** A value in a JSON text with its place: offsets of its first character and after its last. */
export type JsonNode = { start: number; end: number } & (
  | { kind: 'object'; members: JsonMember[] }
  | { kind: 'array'; items: JsonNode[] }
  | { kind: 'plain'; value: string | number | boolean | null }
)

export interface JsonMember {
  key: string
  /** Offsets of the key's opening quote and after its closing one. */
  start: number
  keyEnd: number
  node: JsonNode
  /** Offset of the comma after it, if any. */
  comma?: number
}

/** What is wrong with a text, and where; line and column count from 1. */
export interface JsonProblem {
  line: number
  column: number
  message: string
}

/** Deeper than anybody nests; a text that does is one made to break its reader. */
const MOST_DEPTH = 64
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORDS = { true: true, false: false, null: null } as const

/** Reads JSON as people write it into configuration: with comments, commas after the last member, and a byte order mark. */
export function parseJson(text: string): { root: JsonNode } | { problem: JsonProblem } {
  try {
    return { root: new Reader(text).document() }
  } catch (error) {
    if (!(error instanceof Misfit)) throw error
    return { problem: { ...placeAt(text, error.offset), message: error.message } }
  }
}

/** Line and column of an offset, both from 1. */
export function placeAt(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split('\n')
  return { line: lines.length, column: lines.at(-1)!.length + 1 }
}

/** As `JSON.parse` would give it: of members of the same name the last counts. */
export function valueOf(node: JsonNode): unknown {
  if (node.kind === 'object') return Object.fromEntries(node.members.map(({ key, node: member }) => [key, valueOf(member)]))
  return node.kind === 'array' ? node.items.map(valueOf) : node.value
}

/** The member of this name that counts. */
export function memberOf(node: JsonNode | undefined, key: string): JsonMember | undefined {
  return node?.kind === 'object' ? node.members.findLast((member) => member.key === key) : undefined
}

/** The first offset at or after `from` that is neither blank nor in a comment. */
function afterBlanks(text: string, from: number): number {
  let at = from
  for (;;) {
    while (/[\s\ufeff]/.test(text.charAt(at))) at += 1
    if (text.startsWith('//', at)) {
      const end = text.indexOf('\n', at)
      at = end === -1 ? text.length : end
    } else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2)
      if (end === -1) throw new Misfit(at, 'This comment is never closed.')
      at = end + 2
    } else return at
  }
}

class Misfit extends Error {
  readonly offset: number
  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  document(): JsonNode {
    const root = this.#value(0)
    this.#skip()
    if (this.#at < this.#text.length) throw new Misfit(this.#at, `Nothing may follow here, but there is ${this.#seen()}.`)
    return root
  }

  #value(depth: number): JsonNode {
    this.#skip()
    if (depth > MOST_DEPTH) throw new Misfit(this.#at, `This is nested more than ${MOST_DEPTH} levels deep.`)
    const start = this.#at
    const sign = this.#text.charAt(start)
    if (sign === '{') return this.#object(depth)
    if (sign === '[') return this.#array(depth)
    const value = sign === '"' ? this.#string() : this.#word()
    return { kind: 'plain', start, end: this.#at, value }
  }

  #object(depth: number): JsonNode {
    const start = this.#at
    this.#at += 1
    const members: JsonMember[] = []
    for (;;) {
      this.#skip()
      if (this.#take('}')) return { kind: 'object', start, end: this.#at, members }
      if (members.length > 0 && members.at(-1)!.comma === undefined)
        throw new Misfit(this.#at, `A comma or } is missing before ${this.#seen()}.`)
      const keyStart = this.#at
      if (this.#text.charAt(keyStart) !== '"') throw new Misfit(keyStart, `A name in double quotes is missing before ${this.#seen()}.`)
      const key = this.#string()
      const keyEnd = this.#at
      this.#skip()
      if (!this.#take(':')) throw new Misfit(this.#at, `A colon is missing after ${JSON.stringify(key)}.`)
      const node = this.#value(depth + 1)
      const comma = this.#comma()
      members.push({ key, start: keyStart, keyEnd, node, ...(comma !== undefined && { comma }) })
    }
  }

  #array(depth: number): JsonNode {
    const start = this.#at
    this.#at += 1
    const items: JsonNode[] = []
    let separated = true
    for (;;) {
      this.#skip()
      if (this.#take(']')) return { kind: 'array', start, end: this.#at, items }
      if (!separated) throw new Misfit(this.#at, `A comma or ] is missing before ${this.#seen()}.`)
      items.push(this.#value(depth + 1))
      separated = this.#comma() !== undefined
    }
  }

  #string(): string {
    const start = this.#at
    for (let at = start + 1; at < this.#text.length; at += 1) {
      const sign = this.#text.charAt(at)
      if (sign === '\\') at += 1
      else if (sign === '\n') break
      else if (sign === '"') {
        this.#at = at + 1
        try {
          return String(JSON.parse(this.#text.slice(start, at + 1)))
        } catch {
          throw new Misfit(start, 'This text has a sign or an escape that JSON does not allow.')
        }
      }
    }
    throw new Misfit(start, 'This text is never closed with a quote.')
  }

  #word(): number | boolean | null {
    NUMBER.lastIndex = this.#at
    const number = NUMBER.exec(this.#text)?.[0]
    if (number !== undefined) {
      this.#at += number.length
      return Number(number)
    }
    for (const [word, value] of Object.entries(WORDS)) {
      if (!this.#text.startsWith(word, this.#at) || /\w/.test(this.#text.charAt(this.#at + word.length))) continue
      this.#at += word.length
      return value
    }
    throw new Misfit(this.#at, this.#at >= this.#text.length ? 'The file ends too early.' : `A value is missing before ${this.#seen()}.`)
  }

  #comma(): number | undefined {
    this.#skip()
    const at = this.#at
    return this.#take(',') ? at : undefined
  }

  #take(sign: string): boolean {
    if (this.#text.charAt(this.#at) !== sign) return false
    this.#at += 1
    return true
  }

  #skip(): void {
    this.#at = afterBlanks(this.#text, this.#at)
  }

  #seen(): string {
    const sign = this.#text.slice(this.#at, this.#at + 12).split(/\s/)[0]!
    return sign === '' ? 'the end of the file' : JSON.stringify(sign)
  }
}
