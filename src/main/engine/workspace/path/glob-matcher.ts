import { foldCase } from './path-flavor'

/** How a glob is interpreted. */
export interface GlobSyntax {
  /** Case is ignored. */
  anyCase?: boolean
  /** `\` escapes the next character. */
  escapes?: boolean
  /**
   * `**` crosses folders only if it is a whole part of the path (`a/**` but not `a**`), as in the Glob tool and in
   * ignore files.
   */
  wholeParts?: boolean
  /** `{` and `}` are ordinary characters, as in ignore files. */
  noBraces?: boolean
  /** Only `*` is special, and it matches any characters including `/`: for patterns of words and tool names. */
  starOnly?: boolean
}

/**
 * A compiled glob. Matching always takes time proportional to the length of the text times the length of the pattern.
 */
export interface GlobMatcher {
  matches(text: string): boolean
  /** Whether anything in the folder `text` (without a trailing slash) can match, at any depth. */
  mayMatchBelow(text: string): boolean
}

/** A step of the automaton that a pattern is compiled to. */
type Step =
  | { kind: 'character'; text: string }
  | { kind: 'any'; slash: boolean }
  | { kind: 'set'; isIn(character: string): boolean }
  | { kind: 'split'; to: number[] }
  | { kind: 'end' }

/**
 * Beyond this many steps, a range is literal text, because each character of a path may have to be compared with all of
 * them.
 */
const MAX_STEPS = 20_000
/** Maximum number of values that `{1..1000}` expands to; a longer range is literal text. */
const MAX_IN_RANGE = 1000
const DEEPEST_BRACES = 20

/**
 * Compiles a glob: `*` and `?` stay within one part of a path, `**` does not; `[abc]`, `[!a-z]`, `{a,b}` and `{1..3}`
 * work. The pattern is compiled to a nondeterministic automaton instead of a regular expression, so that no pattern or
 * text can make matching slow.
 */
export function globMatcher(pattern: string, syntax: GlobSyntax = {}): GlobMatcher {
  const fold = syntax.anyCase ? foldCase : (text: string): string => text
  const compiler = new Compiler(fold(pattern), syntax)
  const { steps, prefix, suffix } = compiler.compile()
  return {
    matches(text) {
      const folded = fold(text)
      if (compiler.isLiteral) return folded === prefix
      // Most texts differ at the start or end.
      if (!folded.startsWith(prefix) || !folded.endsWith(suffix)) return false
      return simulate(steps, folded)?.[steps.length - 1] ?? false
    },
    mayMatchBelow(text) {
      const folded = `${fold(text)}/`
      if (folded.length < prefix.length) return prefix.startsWith(folded)
      if (!folded.startsWith(prefix)) return false
      return simulate(steps, folded)?.some((_, at) => steps[at]!.kind !== 'end') ?? false
    },
  }
}

/** Which steps are reached after all of the text is read; undefined if none. */
function simulate(steps: readonly Step[], text: string): boolean[] | undefined {
  let now = new Int32Array(steps.length)
  let next = new Int32Array(steps.length)
  const pending: number[] = []
  const seen = new Int32Array(steps.length).fill(-1)
  let count = 0
  const add = (list: Int32Array, from: number, at: number): void => {
    pending.push(from)
    while (pending.length > 0) {
      const index = pending.pop()!
      if (seen[index] === at) continue
      seen[index] = at
      const step = steps[index]!
      if (step.kind === 'split') for (const to of step.to) pending.push(to)
      else list[count++] = index
    }
  }
  add(now, 0, 0)
  let at = 0
  for (const character of text) {
    at += 1
    const before = count
    count = 0
    for (let index = 0; index < before; index += 1)
      if (accepts(steps[now[index]!]!, character)) add(next, now[index]! + 1, at)
    if (count === 0) return undefined
    const spare = now
    now = next
    next = spare
  }
  const reached: boolean[] = []
  for (let index = 0; index < count; index += 1) reached[now[index]!] = true
  return reached
}

function accepts(step: Step, character: string): boolean {
  switch (step.kind) {
    case 'character':
      return step.text === character
    case 'any':
      return step.slash || character !== '/'
    case 'set':
      return character !== '/' && step.isIn(character)
    default:
      return false
  }
}

class Compiler {
  readonly #pattern: string[]
  readonly #syntax: GlobSyntax
  readonly #steps: Step[] = []
  readonly #closings: Map<number, { end: number; commas: number[] }>
  /** Where the last set can end: without it, each of thousands of brackets would search for its end. */
  readonly #lastSet: number
  isLiteral = true
  /** The most recently read literal characters. */
  #tail = ''

  constructor(pattern: string, syntax: GlobSyntax) {
    this.#pattern = Array.from(pattern)
    this.#syntax = syntax
    this.#lastSet = this.#pattern.lastIndexOf(']')
    this.#closings = syntax.starOnly || syntax.noBraces ? new Map() : braces(this.#pattern, syntax.escapes ?? false)
  }

  /** The steps, the last of which is the end, and the prefix and suffix that all matches have. */
  compile(): { steps: Step[]; prefix: string; suffix: string } {
    this.#read(0, this.#pattern.length)
    this.#steps.push({ kind: 'end' })
    let prefix = ''
    for (const step of this.#steps) {
      if (step.kind !== 'character') break
      prefix += step.text
    }
    return { steps: this.#steps, prefix, suffix: this.#tail }
  }

  #read(from: number, end: number): void {
    for (let at = from; at < end;) at = this.#readOne(at, end)
  }

  /** Compiles the item at `at`; returns the start of the next one. */
  #readOne(at: number, end: number): number {
    const character = this.#pattern[at]!
    if (character === '*') return this.#star(at, end)
    if (this.#syntax.starOnly) return this.#literal(character, at + 1)
    if (character === '?') {
      this.#special()
      this.#steps.push({ kind: 'any', slash: false })
      return at + 1
    }
    if (character === '[') return this.#set(at, end)
    if (character === '{') return this.#alternatives(at)
    if (character === '\\' && this.#syntax.escapes && at + 1 < end) return this.#literal(this.#pattern[at + 1]!, at + 2)
    return this.#literal(character, at + 1)
  }

  #literal(text: string, next: number): number {
    this.#steps.push({ kind: 'character', text })
    this.#tail += text
    return next
  }

  #special(): void {
    this.isLiteral = false
    this.#tail = ''
  }

  #star(at: number, end: number): number {
    this.#special()
    let next = at
    while (next < end && this.#pattern[next] === '*') next += 1
    const crosses =
      this.#syntax.starOnly === true ||
      (next - at > 1 && (!this.#syntax.wholeParts || this.#isWholePart(at, next, end)))
    const folders = crosses && !this.#syntax.starOnly && this.#pattern[next] === '/' && next < end
    const split: Extract<Step, { kind: 'split' }> = { kind: 'split', to: [] }
    const start = this.#steps.push(split) - 1
    this.#steps.push({ kind: 'any', slash: crosses })
    if (folders) {
      // `**/x` is also `x`: either nothing, or anything that ends in a slash.
      this.#steps.push({ kind: 'split', to: [start + 1, start + 3] }, { kind: 'character', text: '/' })
      split.to.push(start + 1, start + 3, start + 4)
      return next + 1
    }
    this.#steps.push({ kind: 'split', to: [start] })
    split.to.push(start + 1, start + 3)
    return next
  }

  #isWholePart(from: number, next: number, end: number): boolean {
    const before = this.#pattern[from - 1]
    const after = next < end ? this.#pattern[next] : this.#pattern[end]
    return (before === undefined || '/{,'.includes(before)) && (after === undefined || '/},'.includes(after))
  }

  #set(at: number, end: number): number {
    const close = at < this.#lastSet ? endOfSet(this.#pattern, at, end) : -1
    if (close < 0) return this.#literal('[', at + 1)
    this.#special()
    this.#steps.push({ kind: 'set', isIn: setTest(this.#pattern.slice(at + 1, close), this.#syntax) })
    return close + 1
  }

  #alternatives(at: number): number {
    const found = this.#closings.get(at)
    if (!found) return this.#literal('{', at + 1)
    const { end, commas } = found
    const isLarge = this.#steps.length > MAX_STEPS
    const range = commas.length === 0 && !isLarge ? rangeOf(this.#pattern.slice(at + 1, end).join('')) : undefined
    if (commas.length === 0 && !range) return this.#literal('{', at + 1)
    this.isLiteral = false
    const split: Extract<Step, { kind: 'split' }> = { kind: 'split', to: [] }
    this.#steps.push(split)
    const ends: Extract<Step, { kind: 'split' }>[] = []
    const bounds = [at, ...commas, end]
    const count = range?.length ?? bounds.length - 1
    for (let index = 0; index < count; index += 1) {
      split.to.push(this.#steps.length)
      if (range) for (const text of range[index]!) this.#steps.push({ kind: 'character', text })
      else this.#read(bounds[index]! + 1, bounds[index + 1]!)
      const leave: Extract<Step, { kind: 'split' }> = { kind: 'split', to: [] }
      this.#steps.push(leave)
      ends.push(leave)
    }
    for (const leave of ends) leave.to.push(this.#steps.length)
    this.#special()
    return end + 1
  }
}

/** Where each `{` ends, and the commas that belong to it; in one pass. */
function braces(pattern: readonly string[], escapes: boolean): Map<number, { end: number; commas: number[] }> {
  const found = new Map<number, { end: number; commas: number[] }>()
  const open: { at: number; commas: number[] }[] = []
  const lastSet = pattern.lastIndexOf(']')
  let set = -1
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at]!
    if (at <= set) continue
    if (character === '\\' && escapes) at += 1
    else if (character === '[' && at < lastSet) set = Math.max(set, endOfSet(pattern, at, pattern.length))
    else if (character === '{') open.push({ at, commas: [] })
    else if (character === ',') open.at(-1)?.commas.push(at)
    else if (character === '}') {
      const last = open.pop()
      if (last && open.length < DEEPEST_BRACES) found.set(last.at, { end: at, commas: last.commas })
    }
  }
  return found
}

function rangeOf(text: string): string[] | undefined {
  const numbers = /^(-?\d{1,6})\.\.(-?\d{1,6})$/.exec(text)
  const letters = /^([A-Za-z])\.\.([A-Za-z])$/.exec(text)
  if (!numbers && !letters) return undefined
  const [from, to] = numbers
    ? [Number(numbers[1]), Number(numbers[2])]
    : [letters![1]!.codePointAt(0)!, letters![2]!.codePointAt(0)!]
  const length = Math.abs(to - from) + 1
  if (length > MAX_IN_RANGE) return undefined
  return Array.from({ length }, (_, index) => {
    const value = from <= to ? from + index : from - index
    return numbers ? String(value) : String.fromCodePoint(value)
  })
}

/** Where a set in brackets ends; a leading `]` belongs to it. Negative: there is no end, so the bracket is literal. */
function endOfSet(pattern: readonly string[], at: number, end: number): number {
  let first = at + 1
  if (pattern[first] === '!' || pattern[first] === '^') first += 1
  for (let index = first; index < end; index += 1) {
    if (pattern[index] === '/') return -1
    if (pattern[index] === '[' && pattern[index + 1] === ':') {
      let close = index + 2
      while (close < end && /[a-z]/.test(pattern[close]!)) close += 1
      if (pattern[close] === ':' && pattern[close + 1] === ']') index = close + 1
    } else if (pattern[index] === ']' && index > first) return index
  }
  return -1
}

const CLASSES: Readonly<Record<string, RegExp>> = {
  alpha: /\p{L}/u,
  digit: /\d/,
  alnum: /[\p{L}\p{Nd}]/u,
  upper: /\p{Lu}/u,
  lower: /\p{Ll}/u,
  space: /\s/,
  blank: /[ \t]/,
  punct: /[!-/:-@[-`{-~]/,
  xdigit: /[0-9A-Fa-f]/,
  word: /\w/,
}

/** Compiles a set in brackets to a test for its characters. */
function setTest(
  body: readonly string[],
  { escapes = false, anyCase = false }: GlobSyntax,
): (character: string) => boolean {
  const negated = body[0] === '!' || body[0] === '^'
  const single = new Set<string>()
  const ranges: [number, number][] = []
  const classes: RegExp[] = []
  for (let at = negated ? 1 : 0; at < body.length; at += 1) {
    const named =
      body[at] === '[' && body[at + 1] === ':'
        ? body
            .slice(at)
            .join('')
            .match(/^\[:([a-z]+):\]/)
        : null
    const known = named ? CLASSES[anyCase && /^(?:upper|lower)$/.test(named[1]!) ? 'alpha' : named[1]!] : undefined
    if (named && known) {
      classes.push(known)
      at += named[0].length - 1
      continue
    }
    if (escapes && body[at] === '\\' && at + 1 < body.length) at += 1
    const from = body[at]!
    if (body[at + 1] === '-' && at + 2 < body.length) {
      ranges.push([from.codePointAt(0)!, body[at + 2]!.codePointAt(0)!])
      at += 2
    } else single.add(from)
  }
  return (character) => {
    const code = character.codePointAt(0)!
    const found =
      single.has(character) ||
      ranges.some(([from, to]) => code >= from && code <= to) ||
      classes.some((each) => each.test(character))
    return found !== negated
  }
}
