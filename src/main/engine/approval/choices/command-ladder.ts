import type { CommandPart } from '../shell/command-part'
import type { Word } from '../shell/shell-syntax'
import { programOf } from '../shell/unwrap'
import { generalPrefixes } from './general-prefixes'
import type { Rung } from './rung'

/** A command exactly as it is, then with anything after the words that say what is done. */
export function commandLadder(part: CommandPart): Rung[] {
  if (part.words.length === 0) return []
  // Variables that decide what runs belong to what is allowed.
  const set = part.steered ? part.assignments : []
  const words = [...set, ...part.words]
  const known = words.findIndex((word) => !isLiteral(word))
  const rungs: Rung[] = []
  if (known < 0) {
    const text = written(words)
    rungs.push({ patterns: [`Bash(${text})`], label: `exactly ${text}` })
  }
  // Of what cannot be seen in the words, nothing but these very words can be covered.
  const general = part.hidden ? undefined : generalPrefixes(programOf(part.words), part.words)
  if (!general) return rungs
  const lengths = [...(known > set.length ? [known - set.length] : []), ...general]
  for (const length of [...new Set(lengths)].sort((a, b) => b - a)) {
    const prefix = words.slice(0, set.length + length)
    if (length > part.words.length || !prefix.every(isLiteral)) continue
    rungs.push({ patterns: [`Bash(${written(prefix)} *)`], label: `${written(prefix)} with anything after it` })
  }
  return rungs
}

/** Whether a pattern can say this word and nothing else: a star in it would stand for anything. */
function isLiteral(word: Word): boolean {
  return word.known && !word.text.includes('*') && !/\p{Cc}/u.test(word.text)
}

function written(words: readonly Word[]): string {
  return words.map(({ text }) => quoted(text)).join(' ')
}

function quoted(text: string): string {
  if (text !== '' && !/[\s'"\\;&|<>`$(){}]/.test(text)) return text
  return `'${text.replaceAll("'", `'\\''`)}'`
}
