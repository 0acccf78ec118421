import type { Word } from './shell-syntax'

const ABOUT_ONE = /^-[bcdefghknprstuwxzGLNOS]$/
const BETWEEN_TWO = /^(?:=|==|!=|<|>|=~|-eq|-ne|-lt|-le|-gt|-ge|-nt|-ot|-ef)$/
const JOINS = /^(?:!|&&|\|\||-a|-o|\(|\))$/

/** Whether `test`, `[` or `[[` only compares, also values that are only known when it runs. `-v` evaluates what it is about. */
export function onlyCompares(program: string, rest: readonly Word[]): boolean {
  const closing = program === '[' ? ']' : program === '[[' ? ']]' : undefined
  const words = closing !== undefined && rest.at(-1)?.text === closing ? rest.slice(0, -1) : rest
  // Outside of [[ a value without quotes may be several words, operators among them.
  if (program !== '[[' && words.some((word) => !word.known && mayBecomeMore(word.text))) return false
  // To the grammar a whole expression is one word; that `-v` evaluates what it is about is looked for there, too.
  if (words.some((word) => /(?:^|\s)-[vR]\b/.test(word.text))) return false
  const clauses: Word[][] = [[]]
  for (const word of words) {
    if (word.known && JOINS.test(word.text)) clauses.push([])
    else clauses.at(-1)!.push(word)
  }
  return clauses.every((clause) => {
    const [first, second] = clause
    if (clause.length <= 1) return true
    if (clause.length === 2) return first!.known && ABOUT_ONE.test(first!.text)
    return clause.length === 3 && second!.known && BETWEEN_TWO.test(second!.text) && !(first!.known && first!.text.startsWith('-'))
  })
}

/** Whether a word that is only known when the command runs has parts without quotes. */
function mayBecomeMore(text: string): boolean {
  return /[$`*?[]/.test(text.replace(/"(?:[^"\\]|\\.)*"/g, '').replace(/'[^']*'/g, ''))
}
