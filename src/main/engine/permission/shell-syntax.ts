/** A word of a command as bash would pass it on, as far as the text shows. */
export interface Word {
  /** With quotes and escapes removed; when `known` is false, as written. */
  text: string
  /** Whether the program gets exactly this one word. */
  known: boolean
  /** The word is unquoted and has glob characters: it expands to the matching names. `known` is false then. */
  glob?: boolean
  /** Of a glob: the text with a backslash before each quoted character, to tell wildcards apart. */
  pattern?: string
  /** Starts with an unquoted `~`, which stands for a home folder. */
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
  /** The program first; empty when there are only assignments or redirections. */
  words: Word[]
  /** Leading `NAME=value` words; alone they change the shell itself. */
  assignments: { name: string; value: Word }[]
  redirections: Redirection[]
  /** In a loop or a function: it may run more than once, or later. */
  repeated: boolean
}

/** What the shell would run. `hidden`: why some of it is hidden. */
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
  /** Some of it is only known at run time. */
  opaque: boolean
}

/** Starts without any arithmetic. */
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
