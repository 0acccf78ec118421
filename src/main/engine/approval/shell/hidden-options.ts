import { gitOption } from './git-options'
import { interpreterOption } from './interpreter-options'
import { runningOption } from './running-options'
import { doubtfulSed } from './sed-script'
import type { Word } from './shell-syntax'
import { programOf } from './unwrap'

/** Why a part of what this command runs cannot be seen in its words, or undefined; `word` is the one that says so. */
export function hiddenOption(words: readonly Word[]): { word: string; reason: string } | undefined {
  const program = programOf(words).toLowerCase()
  const rest = words.slice(1)
  const code = interpreterOption(program, rest)
  if (code) return code
  if (/^(?:[gmno]|original-)?awk$|^busybox-awk$/.test(program)) {
    const doubtful = rest.find((word, index) => !word.known || isDoubtfulAwk(word.text, rest[index - 1]?.text))
    return doubtful && { word: doubtful.known ? doubtful.text : '', reason: `${program} can run commands and write files from its program` }
  }
  if (program === 'sed' || program === 'gsed') {
    const doubtful = doubtfulSed(rest)
    return doubtful === undefined ? undefined : { word: doubtful, reason: `${program} can run commands and write files from its script` }
  }
  return program === 'git' ? gitOption(rest) : runningOption(program, rest)
}

/** A program text that runs or writes; or any option but those for separators and variables. */
function isDoubtfulAwk(text: string, before: string | undefined): boolean {
  const separator = before === '-F' ? text : /^-F(.*)$/.exec(text)?.[1]
  if (separator !== undefined && separator.length <= 3) return false
  if (/system|\||getline|@|>/.test(text)) return true
  return text.startsWith('-') && !/^(?:--?|-[Fv].*|--(?:field-separator|assign|version|help|posix|traditional|sandbox)(?:=.*)?)$/.test(text)
}
