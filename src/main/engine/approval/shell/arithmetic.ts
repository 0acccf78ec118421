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
export function noArithmetic(): Arithmetic {
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
export function isNumber({ text, known }: { text: string; known: boolean }): boolean {
  return known && /^[-+]?\d*$/.test(text)
}
