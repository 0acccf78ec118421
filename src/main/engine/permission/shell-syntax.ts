/** A word of a command as bash would pass it, as far as known from the text. */
export interface Word {
  /** The text without quotes and escapes; if `known` is false, as written. */
  text: string
  /** Whether the program gets exactly this one word. */
  known: boolean
  /** Whether the word has unquoted glob characters and expands to the matching names; if so, `known` is false. */
  glob?: boolean
  /** For a glob: the text with a backslash before each quoted character, to distinguish them from wildcards. */
  pattern?: string
  /** Whether it starts with an unquoted `~`, which expands to a home folder. */
  tilde?: boolean
}

/** A redirection to or from a file; not duplications of descriptors (`2>&1`) or here-documents. */
export interface Redirection {
  target: Word
  write: boolean
}

/** One simple command: a program (or builtin) that the shell starts, at any position. */
export interface Segment {
  /** As written. */
  source: string
  /** The program first; empty if there are only assignments or redirections. */
  words: Word[]
  /** Leading `NAME=value` words; alone they change the shell itself. */
  assignments: { name: string; value: Word }[]
  redirections: Redirection[]
  /** Whether it is in a loop or function, so that it may run more than once, or later. */
  repeated: boolean
}

/** The commands a shell would run. `hidden`: why some of them are hidden. */
export interface ShellView {
  segments: Segment[]
  hidden: string[]
  /** Its arithmetic. */
  arithmetic?: Arithmetic
  /** Variables assigned by loops and expansions; `true` for those that only get numbers. */
  values?: readonly [name: string, isNumber: boolean][]
}

/**
 * The arithmetic of a command: bash evaluates the values of the variables in it, and runs what their subscripts
 * contain.
 */
export interface Arithmetic {
  /** Variables whose values are evaluated. */
  names: Set<string>
  /** Variables that arithmetic itself assigns, always with a number. */
  sets: Set<string>
  /** Whether part of it is known only at run time. */
  opaque: boolean
}

/** An `Arithmetic` without any expressions. */
export function emptyArithmetic(): Arithmetic {
  return { names: new Set(), sets: new Set(), opaque: false }
}

const NAME = /[A-Za-z_]\w*/g
/** Parameters that are always numbers. */
const NUMBERS = /\$(?:[#?$!]|\{[#?$!]\})/g
/** `$i` and `${i}`, which expand to the variable's value. */
const PLAIN_EXPANSION = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g
const SETS = /(?<!\w)([A-Za-z_]\w*)\s*(?:<<|>>|[-+*/%&|^])?=(?!=)/g
const OPERATORS = /^[\s\w+\-*/%<>=!&|^~?:,;()]*$/

/** Adds an expression. Anything beyond numbers, operators and variable names cannot be judged. */
export function addExpression(into: Arithmetic, expression: string): void {
  const text = expression
    .replaceAll('"', '')
    .replace(NUMBERS, '1')
    .replace(PLAIN_EXPANSION, (_all, bare?: string, braced?: string) => bare ?? braced ?? '')
  if (!OPERATORS.test(text)) into.opaque = true
  for (const [name] of text.replace(/\b0[xX][0-9a-fA-F]+\b/g, '0').matchAll(NAME)) into.names.add(name)
  for (const [, name] of text.matchAll(SETS)) into.sets.add(name!)
}

/** Whether a value is only a number. */
export function isNumericWord({ text, known }: { text: string; known: boolean }): boolean {
  return known && /^[-+]?\d*$/.test(text)
}

const ESCAPES: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  v: '\v',
}

/** Decodes a word of a command like bash: removes quotes and escapes. Expansions, globs and braces make it unknown. */
export function decodeWord(source: string): Word {
  let text = ''
  // The text with quoted characters marked by backslashes: in `'*'*`, only the second star is a wildcard.
  let pattern = ''
  let known = true
  let glob = false
  let brace = false
  const quoteIt = (quoted: string): void => {
    text += quoted
    pattern += quoted.replace(/[*?[\]{}\\!^-]/g, String.raw`\$&`)
  }
  const tilde = source.startsWith('~')
  for (let at = 0; at < source.length; at += 1) {
    const char = source[at]!
    const next = source[at + 1]
    if (char === '\\') {
      at += 1
      if (next !== '\n') quoteIt(next ?? '\\')
    } else if (char === "'") {
      const end = source.indexOf("'", at + 1)
      if (end < 0) return unknown(source)
      quoteIt(source.slice(at + 1, end))
      at = end
    } else if (char === '$' && next === "'") {
      const end = endOfAnsi(source, at + 2)
      const decoded = end < 0 ? undefined : ansi(source.slice(at + 2, end))
      if (decoded === undefined) return unknown(source)
      quoteIt(decoded)
      at = end
    } else if (char === '"' || (char === '$' && next === '"')) {
      const quoted = doubleQuoted(source, char === '"' ? at + 1 : at + 2)
      if (!quoted) return unknown(source)
      quoteIt(quoted.text)
      // A translated string can be anything, depending on the message catalog.
      if (char === '$') known = false
      at = quoted.end
    } else if (char === '$' || char === '`') {
      if (char === '$' && (next === undefined || /[^\w({[@*#?$!'"-]/.test(next))) quoteIt(char)
      else return unknown(source)
    } else {
      if ('*?'.includes(char) || (char === '[' && source.includes(']', at)) || ('@+!'.includes(char) && next === '('))
        glob = true
      if (char === '{' && !brace) brace = isList(source, at)
      if ('()<>;&|\n'.includes(char)) return unknown(source)
      text += char
      pattern += char
    }
  }
  if (brace || (tilde && !/^~(?:\/|$)/.test(source))) return unknown(source)
  return { text, known: known && !glob, ...(glob && { glob, pattern }), ...(tilde && { tilde }) }
}

/** Whether braces that open here are a list or a range. */
function isList(source: string, at: number): boolean {
  const close = source.indexOf('}', at)
  return [source.indexOf(',', at), source.indexOf('..', at)].some((found) => found >= 0 && (close < 0 || found < close))
}

function unknown(source: string): Word {
  return { text: source, known: false }
}

function doubleQuoted(source: string, from: number): { text: string; end: number } | undefined {
  let text = ''
  for (let at = from; at < source.length; at += 1) {
    const char = source[at]!
    if (char === '"') return { text, end: at }
    if (char === '`' || (char === '$' && /[\w({[@*#?$!-]/.test(source[at + 1] ?? ''))) return undefined
    if (char === '\\' && '$`"\\\n'.includes(source[at + 1] ?? ' ')) {
      at += 1
      if (source[at] !== '\n') text += source[at]
    } else text += char
  }
  return undefined
}

function endOfAnsi(source: string, from: number): number {
  for (let at = from; at < source.length; at += 1) {
    if (source[at] === '\\') at += 1
    else if (source[at] === "'") return at
  }
  return -1
}

/** Decodes `$'...'`; undefined for anything that could differ by version or locale. */
function ansi(body: string): string | undefined {
  let odd = false
  const text = body.replace(
    /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([\s\S]))/g,
    (_all, octal?: string, hex?: string, short?: string, long?: string, one?: string) => {
      const digits = hex ?? short ?? long
      const code =
        octal !== undefined ? Number.parseInt(octal, 8) : digits !== undefined ? Number.parseInt(digits, 16) : undefined
      if (code !== undefined) {
        if (code === 0 || code > 0x10_ff_ff || (code > 0x7f && (octal !== undefined || hex !== undefined))) odd = true
        return odd ? '' : String.fromCodePoint(code)
      }
      if (one !== undefined && `'"\\?`.includes(one)) return one
      const known = ESCAPES[one ?? '']
      if (known === undefined) odd = true
      return known ?? ''
    },
  )
  return odd ? undefined : text
}
