import { onlyCompares } from './only-compares'
import type { Word } from './shell-syntax'

/** What a builtin makes of its words beyond taking them as they are. */
export interface Evaluated {
  /** Names of variables it gives values that are only known when it runs. */
  sets: string[]
  /** Texts it evaluates as arithmetic. */
  expressions: string[]
  /** Why what it sets or runs cannot be seen. */
  hidden?: string
}

const DECLARING = /^(?:declare|typeset|local|export|readonly)$/
const NOTHING: Evaluated = { sets: [], expressions: [] }
const IDENTIFIER = /^[A-Za-z_]\w*$/
const ASSIGNMENT = /^([A-Za-z_]\w*)\+?=/
const ELEMENT = /^[A-Za-z_]\w*\[(.+)\]$/s

/** Builtins of the shell that take names of variables or expressions as words. */
export function evaluatedWords(program: string, rest: readonly Word[]): Evaluated {
  if (DECLARING.test(program)) return declared(program, rest)
  if (program === 'unset') return names(program, withoutOptions(rest))
  if (program === 'let') {
    if (rest.some((word) => !word.known && /[`(]|\$\{/.test(word.text))) return hiding('what let calculates is only known when it runs')
    return { sets: [], expressions: rest.map((word) => word.text.replace(/^"(.*)"$/s, '$1')) }
  }
  if (program === 'read') return names(program, readNames(rest))
  if (program === 'getopts') return names(program, rest.slice(1, 2))
  if (program === 'printf') return printed(rest)
  if (program === 'wait') return given(program, rest, 'p')
  if (program === 'test' || program === '[' || program === '[[') return tested(program, rest)
  // What `set` and the like make of $1 may be calculated with.
  if (program === 'set' || program === 'select') return { ...NOTHING, sets: ['1'] }
  return NOTHING
}

function hiding(hidden: string): Evaluated {
  return { ...NOTHING, hidden }
}

/** `declare` and its like: attributes that change what later assignments do cannot be followed. */
function declared(program: string, rest: readonly Word[]): Evaluated {
  const options = rest.filter((word) => /^[-+]/.test(word.text))
  if (options.some((word) => /^-\w*n/.test(word.text)) && program !== 'export') return hiding(`${program} -n gives a variable another name`)
  if (options.some((word) => /^-\w*i/.test(word.text))) return hiding(`${program} -i evaluates every value that the variable gets`)
  const found: Evaluated = { sets: [], expressions: [] }
  for (const word of withoutOptions(rest)) {
    const name = ASSIGNMENT.exec(word.text)?.[1]
    if (name !== undefined) {
      // An array may be given its elements with subscripts.
      if (/\(\s*\[|\[[^\]]*[$`]/.test(word.text.slice(name.length))) return hiding(`${program} evaluates the subscripts of ${name}`)
      found.sets.push(name)
    } else {
      const one = names(program, [{ ...word, text: word.text.replace(/\]\+?=.*$/s, ']') }])
      if (one.hidden !== undefined) return one
      found.sets.push(...one.sets)
      found.expressions.push(...one.expressions)
    }
  }
  return found
}

function withoutOptions(rest: readonly Word[]): Word[] {
  return rest.filter((word) => !(word.known && /^[-+]/.test(word.text)))
}

/** Words that name variables, or elements of arrays: bash evaluates their subscripts. */
function names(program: string, words: readonly Word[]): Evaluated {
  const found: Evaluated = { sets: [], expressions: [] }
  for (const word of words) {
    const index = ELEMENT.exec(word.text)?.[1]
    if (index !== undefined && !/[$`'"\\]/.test(index)) {
      found.sets.push(word.text.slice(0, word.text.indexOf('[')))
      if (!/^[@*]$/.test(index)) found.expressions.push(index)
    } else if (word.text.includes('[')) return hiding(`${program} evaluates what is in the brackets of ${word.text}`)
    else if (!word.known) return hiding(`the variable that ${program} is about is only known when it runs`)
    else found.sets.push(word.text)
  }
  return found
}

/** An option that names a variable (`printf -v name`). */
function given(program: string, rest: readonly Word[], letter: string): Evaluated {
  const at = rest.findIndex((word) => word.text.startsWith(`-${letter}`))
  if (at < 0) return NOTHING
  const named = rest[at]!.text.length > 2 ? { ...rest[at]!, text: rest[at]!.text.slice(2) } : rest[at + 1]
  return named ? names(program, [named]) : NOTHING
}

/** `printf -v name`, and `%n`, which gives the variable that its argument names a value. */
function printed(rest: readonly Word[]): Evaluated {
  const format = rest.find((word) => !word.known || !word.text.startsWith('-'))
  if (format?.known === false && format !== rest.at(-1)) return hiding('the format of printf is only known when it runs')
  if (format && /%[^A-Za-z%]*n/.test(format.text)) return hiding('%n of printf changes a variable')
  return given('printf', rest, 'v')
}

/** `-v` and `-R` evaluate the subscript of what they are about; so would a value without quotes that becomes such an operator. */
function tested(program: string, rest: readonly Word[]): Evaluated {
  const text = rest.map((word) => word.text).join(' ')
  // To the grammar a whole expression may be one word.
  const asked = [...text.matchAll(/(?:^|[\s(!])-[vR]\s+(\S+)/g)].map(([, name]) => name ?? '')
  if (!asked.every((name) => IDENTIFIER.test(name))) return hiding(`${program} -v evaluates what it is about`)
  if (program === '[[') return NOTHING
  if (rest.some((word) => word.known && /\[[^\]]*[$`]/.test(word.text))) return hiding(`${program} may evaluate a subscript`)
  if (rest.every((word) => word.known) || onlyCompares(program, rest)) return NOTHING
  const expanded = text.replace(/'[^']*'/g, '').replace(/\$(?:[#?$!]|\{[#?$!]\})/g, '')
  const plain = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g
  if (/[$`]/.test(expanded.replace(plain, ''))) return hiding(`what ${program} evaluates is only known when it runs`)
  return { sets: [], expressions: [...expanded.matchAll(plain)].map(([, bare, braced]) => bare ?? braced ?? '') }
}

const READ_WITH_VALUE = /^-\w*[adinNptu]$/

function readNames(rest: readonly Word[]): Word[] {
  return rest.filter((word, index) => {
    const before = rest[index - 1]?.text ?? ''
    if (word.known && word.text.startsWith('-')) return false
    return !READ_WITH_VALUE.test(before) || /^-\w*a$/.test(before)
  })
}
