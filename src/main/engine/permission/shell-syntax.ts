/** A word of a command as bash would pass it on, as far as that can be known from the text. */
export interface Word {
  /** With quotes and escapes removed; where `known` is false, as written. */
  text: string
  /** Whether the program gets exactly this one word. */
  known: boolean
  /** The word is not quoted and has glob characters: it becomes the names that match. `known` is false then. */
  glob?: boolean
  /** Of a glob: the text with a backslash before each character that is quoted, so that it is known which ones are wildcards. */
  pattern?: string
  /** Begins with an unquoted `~`, which stands for a home folder. */
  tilde?: boolean
}

/** A redirection to or from a file; duplications of descriptors (`2>&1`) and here-documents are none. */
export interface Redirection {
  target: Word
  write: boolean
}

/** One simple command: what the shell starts (or a builtin it runs), wherever it stands. */
export interface Segment {
  /** As written. */
  source: string
  /** The program first; empty when there are only assignments or redirections. */
  words: Word[]
  /** `NAME=value` in front of the program; alone they change the shell itself. */
  assignments: { name: string; value: Word }[]
  redirections: Redirection[]
  /** In a loop or a function: it may run more than once, or later. */
  repeated: boolean
}

/** What the shell would run. `hidden`: why some of it cannot be seen. */
export interface ShellView {
  segments: Segment[]
  hidden: string[]
  /** What it calculates. */
  arithmetic?: Arithmetic
  /** Variables that loops and expansions give values; `true` for those that only get numbers. */
  values?: readonly [name: string, isNumber: boolean][]
}

/** The arithmetic of a command: bash evaluates the values of the variables in it, and runs what their subscripts say. */
export interface Arithmetic {
  /** Variables whose values are evaluated. */
  names: Set<string>
  /** Variables that arithmetic itself gives a value, which is a number then. */
  sets: Set<string>
  /** Some of it is only known when it runs. */
  opaque: boolean
}

/** Begins without any arithmetic. */
export function emptyArithmetic(): Arithmetic {
  return { names: new Set(), sets: new Set(), opaque: false }
}

const NAME = /[A-Za-z_]\w*/g
/** Parameters that are always numbers. */
const NUMBERS = /\$(?:[#?$!]|\{[#?$!]\})/g
/** `$i` and `${i}`, which stand for their value. */
const PLAIN_EXPANSION = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g
const SETS = /(?<!\w)([A-Za-z_]\w*)\s*(?:<<|>>|[-+*/%&|^])?=(?!=)/g
const OPERATORS = /^[\s\w+\-*/%<>=!&|^~?:,;()]*$/

/** Adds an expression. Whatever is more than numbers, operators and names of variables cannot be judged. */
export function addExpression(into: Arithmetic, expression: string): void {
  const text = expression
    .replaceAll('"', '')
    .replace(NUMBERS, '1')
    .replace(PLAIN_EXPANSION, (_all, bare?: string, braced?: string) => bare ?? braced ?? '')
  if (!OPERATORS.test(text)) into.opaque = true
  for (const [name] of text.replace(/\b0[xX][0-9a-fA-F]+\b/g, '0').matchAll(NAME)) into.names.add(name)
  for (const [, name] of text.matchAll(SETS)) into.sets.add(name!)
}

/** Whether a value is a number and nothing else. */
export function isNumericWord({ text, known }: { text: string; known: boolean }): boolean {
  return known && /^[-+]?\d*$/.test(text)
}
