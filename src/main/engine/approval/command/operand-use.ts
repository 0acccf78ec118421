import { sensitiveRule } from '../../workspace/path/sensitive-file'
import type { Word } from '../../permission/shell-syntax'
import type { TouchedPath } from '../shell/command-part'

/**
 * What a program does with a path named in its arguments. `names`: it lists what exists, without reading contents.
 * `maybe`: unknown; it may read or write.
 */
export type Use = 'read' | 'names' | 'write' | 'none' | 'maybe'

/** How a program walks a folder. */
export interface TreeUse {
  /** It opens the files instead of only listing them. */
  content: boolean
  /** It follows links. */
  follows: boolean
  /** It skips names with a leading dot. */
  skipsHidden: boolean
  /** Folders that it skips, as globs for names. */
  skips: string[]
  /** Only these files are opened, as globs for names; empty means all. */
  only: string[]
}

/** A word of a command that names a path, and how it is used. */
export interface OperandUse {
  word: Word
  use: Use
  /** It walks everything below the path. */
  tree?: TreeUse
  /** The program is unknown: the word may not be a path. */
  unsure?: true
}

/** A word that names a path, the paths it may mean, and why the list is incomplete. */
export interface Target {
  word: Word
  paths: TouchedPath[]
  problem?: string
}

/** Words split into options and operands. */
export interface Arguments {
  operands: Word[]
  /** Option names, separated: `-rf` becomes `-r` and `-f`. */
  options: string[]
  values: { option: string; word: Word }[]
}

/** Splits words as most programs do; `values`: the options that take a value. */
export function argumentsOf(rest: readonly Word[], values: Readonly<Record<string, Use>>): Arguments {
  const found: Arguments = { operands: [], options: [], values: [] }
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at]!
    const { text } = word
    // bash treats `--include=*.ts` as a glob, which almost never matches.
    const isGlobbedOption = word.glob === true && /^--[\w-]+=/.test(text)
    if ((!word.known && !isGlobbedOption) || text === '-' || !text.startsWith('-')) {
      found.operands.push(word)
    } else if (text === '--') {
      found.operands.push(...rest.slice(at + 1))
      break
    } else if (text.startsWith('--')) {
      const [said = ''] = text.split('=', 1)
      const option =
        said in values ? said : (Object.keys(values).find((name) => said.length > 3 && name.startsWith(said)) ?? said)
      found.options.push(option)
      if (text.includes('=')) found.values.push({ option, word: { text: text.slice(said.length + 1), known: true } })
      else if (option in values && rest[at + 1]) found.values.push({ option, word: rest[(at += 1)]! })
    } else {
      for (let index = 1; index < text.length; index += 1) {
        const option = `-${text[index]}`
        found.options.push(option)
        if (!(option in values)) continue
        const attached = text.slice(index + 1)
        if (attached !== '') found.values.push({ option, word: { text: attached.replace(/^=/, ''), known: true } })
        else if (rest[at + 1]) found.values.push({ option, word: rest[(at += 1)]! })
        break
      }
    }
  }
  return found
}

/** Options whose value is not a path (`none`), and options with another use. */
export function valued(none: string, others: Readonly<Record<string, Use>> = {}): Record<string, Use> {
  return { ...Object.fromEntries(none.split(' ').map((name): [string, Use] => [name, 'none'])), ...others }
}

export function looksLikePath({ text, glob }: Word): boolean {
  return glob === true || /[/~.]/.test(text) || sensitiveRule(text) !== undefined
}
