import { argumentsOf, looksLikePath, type Arguments, type OperandUse, type TreeUse, type Use } from './operand-use'
import { ALIASES, PROGRAMS, type Program } from './program-table'
import type { Word } from './shell-syntax'
import { SPECIAL } from './special-programs'
import { programOf } from './unwrap'

/** The paths that the words of a command name, and what the program does with each. Pure: nothing is looked up on the disk. */
export function operandUses(words: readonly Word[]): OperandUse[] {
  const name = nameOf(words)
  const rest = words.slice(1)
  const special = SPECIAL[name]
  if (special) return special(rest)
  const program = PROGRAMS[name]
  return program ? ofProgram(program, rest, name) : ofUnknown(rest)
}

function nameOf(words: readonly Word[]): string {
  const name = programOf(words).toLowerCase()
  return ALIASES[name] ?? name
}

function ofProgram(program: Program, rest: readonly Word[], name: string): OperandUse[] {
  const { operands, options, values } = argumentsOf(rest, program.values ?? {})
  const has = (wanted: readonly string[]): boolean =>
    options.some((option) =>
      wanted.some((each) => option === each || (option.length > 3 && option.startsWith('--') && each.startsWith(option))),
    )
  const uses: OperandUse[] = values.flatMap(({ option, word }) => {
    const use = program.values?.[option] ?? 'none'
    return use === 'none' ? [] : [{ word, use }]
  })
  const intoFolder = values.some(({ option }) => program.values?.[option] === 'write' && /^(?:-t|--target-directory)$/.test(option))
  const usual = program.instead && has(program.instead.options) ? program.instead.operands : program.operands
  const tree = program.tree === true || (program.tree && has(program.tree)) ? treeUse(program, usual, name, options, values) : undefined
  const skipsFirst = program.first !== undefined && !(program.firstIsPath && has(program.firstIsPath))
  for (const [index, word] of operands.entries()) {
    let use = usual
    if (index === 0 && skipsFirst) use = program.first!
    else if (index === operands.length - 1 && index > 0 && program.last !== undefined && !intoFolder) use = program.last
    if (use !== 'none') uses.push({ word, use, ...(tree && { tree }) })
  }
  const paths = operands.length - (skipsFirst ? 1 : 0)
  if (program.here && tree && paths <= 0) uses.push({ word: { text: '.', known: true }, use: usual, tree })
  return uses
}

function treeUse(program: Program, use: Use, name: string, options: readonly string[], values: Arguments['values']): TreeUse {
  const given = (option: string): string[] => values.flatMap((value) => (value.option === option ? [value.word.text] : []))
  const grep = name.endsWith('grep')
  return {
    content: use !== 'names',
    follows: program.follows?.some((option) => options.includes(option)) ?? false,
    skipsHidden:
      /^(?:rg|ag|ack|fd)$/.test(name) &&
      !options.some((option) => /^(?:-\.|-u|-H|-a|-U|--hidden|--unrestricted|--no-ignore.*)$/.test(option)),
    skips: grep ? given('--exclude-dir') : [],
    only: grep ? given('--include') : [],
  }
}

/** Of a program that is not known, all that looks like a path may be read or written; what an option is given, is taken for an output. */
function ofUnknown(rest: readonly Word[]): OperandUse[] {
  return rest.flatMap((word): OperandUse[] => {
    const value = /^(?:--?[\w-]+=|of=|-[tod](?=[/.~]))(.+)$/s.exec(word.text)?.[1]
    if (word.known && value !== undefined) return [{ word: { text: value, known: true }, use: 'write', unsure: true }]
    if (word.text.startsWith('-') && word.known) return []
    return looksLikePath(word) ? [{ word, use: 'maybe', unsure: true }] : []
  })
}
