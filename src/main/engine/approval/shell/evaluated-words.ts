import type { Word } from './shell-syntax'

/** What a builtin makes of its words beyond taking them as they are. */
export interface Evaluated {
  /** Names of variables it gives values that are only known when it runs. */
  sets: string[]
  /** It calculates with variables. */
  arithmetic: boolean
  /** Why what it sets or runs cannot be seen. */
  hidden?: string
}

const DECLARING = /^(?:declare|typeset|local|export|readonly)$/
const NOTHING: Evaluated = { sets: [], arithmetic: false }
/** bash evaluates subscripts of names in words, substitutions in quotes included. */
const SUBSCRIPT = /\[[\s\S]*[$`]/

/** Builtins of the shell that take names of variables or expressions as words. */
export function evaluatedWords(program: string, rest: readonly Word[]): Evaluated {
  if (DECLARING.test(program) || program === 'unset' || program === 'let') {
    const names = rest.filter((word) => !(word.known && /^[-+]/.test(word.text)))
    const integer = rest.some((word) => /^-\w*i/.test(word.text))
    if (rest.some((word) => /^-\w*n/.test(word.text)) && DECLARING.test(program))
      return { ...NOTHING, hidden: `${program} -n gives a variable another name` }
    return checked(program, names, { sets: [], arithmetic: program === 'let' || (DECLARING.test(program) && integer) })
  }
  if (program === 'read' || program === 'getopts') {
    const named = program === 'read' ? readNames(rest) : rest.slice(1, 2)
    return checked(program, named, { sets: named.map((word) => word.text), arithmetic: false })
  }
  if (program === 'printf' || program === 'wait') {
    const option = program === 'printf' ? 'v' : 'p'
    const at = rest.findIndex((word) => word.text.startsWith(`-${option}`))
    if (at < 0) return NOTHING
    const named = rest[at]!.text.length > 2 ? { ...rest[at]!, text: rest[at]!.text.slice(2) } : rest[at + 1]
    return named ? checked(program, [named], { sets: [named.text], arithmetic: false }) : NOTHING
  }
  if (program === 'test' || program === '[' || program === '[[') {
    const asked = rest.filter((_, index) => rest[index - 1]?.text === '-v' || rest[index - 1]?.text === '-R')
    return checked(program, asked, NOTHING, rest)
  }
  // What `set` and the like make of $1 may be calculated with.
  if (program === 'set' || program === 'select') return { ...NOTHING, sets: ['1'] }
  return NOTHING
}

function checked(program: string, names: readonly Word[], found: Evaluated, all: readonly Word[] = names): Evaluated {
  if (all.some((word) => SUBSCRIPT.test(word.text) && !/^[A-Za-z_]\w*=(?!.*\[)/.test(word.text) && isName(program, word)))
    return { ...found, hidden: `${program} evaluates what stands in brackets` }
  if (names.some((word) => !word.known && !/^[A-Za-z_]\w*\+?=/.test(word.text)))
    return { ...found, hidden: `what ${program} is about is only known when it runs` }
  return names.some((word) => /\[.*[A-Za-z_]/.test(word.text)) ? { ...found, arithmetic: true } : found
}

/** Substitutions that are not quoted have been looked at already. */
function isName(program: string, word: Word): boolean {
  return word.known || program === 'let' || program === '[['
}

const READ_WITH_VALUE = /^-\w*[adinNptu]$/

function readNames(rest: readonly Word[]): Word[] {
  return rest.filter((word, index) => {
    const before = rest[index - 1]?.text ?? ''
    if (word.known && word.text.startsWith('-')) return false
    return !READ_WITH_VALUE.test(before) || /^-\w*a$/.test(before)
  })
}
