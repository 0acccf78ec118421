import { globMatcher, type GlobMatcher } from '../../workspace/path/glob-matcher'
import type { Word } from '../../permission/shell-syntax'

/** `maybe`: depends on words that are known only at run time. */
export type Match = 'yes' | 'maybe' | 'no'

/** Equivalent options, so that a deny rule for one also covers the other. */
const SAME: Readonly<Record<string, string>> = { '--force': '-f', '--recursive': '-r', '-R': '-r', '--delete': '-d' }

/**
 * For allow: word by word. `*` within a word matches any characters of that word, alone one word, and alone at the end
 * any number of words, including zero. Words known only at run time match only a lone `*`.
 */
export function matchesAllowPattern(pattern: readonly string[], words: readonly Word[]): boolean {
  const open = pattern.length > 1 && pattern.at(-1) === '*'
  const tokens = open ? pattern.slice(0, -1) : pattern
  if (words.length < tokens.length || (!open && words.length > tokens.length)) return false
  return tokens.every((token, index) => {
    const word = words[index]!
    if (!word.known) return token === '*' && index > 0 && open
    return matchesWord(token, word.text)
  })
}

/**
 * For deny and ask: the same but broader, so that rephrasing a command does not get around a rule. The program matches
 * with or without its folder and ignoring case; options match in any order, position and combination; a word after an
 * option may be its value.
 */
export function matchesDenyPattern(pattern: readonly string[], words: readonly Word[]): Match {
  const [program = '*', ...tokens] = pattern
  const [first, ...rest] = words
  if (!first) return 'no'
  let certain = true
  if (!first.known) certain = false
  else if (!isProgram(program, first.text)) return 'no'
  const open = tokens.at(-1) === '*'
  const wanted = open ? tokens.slice(0, -1) : tokens
  const options = wanted.filter((token) => isOption(token)).flatMap((token) => lettersOf(token, rest))
  const unknown = rest.some((word) => !word.known)
  for (const option of options) {
    if (rest.some((word) => word.known && hasOption(word.text, option))) continue
    if (!unknown) return 'no'
    certain = false
  }
  const operands = inOrder(
    wanted.filter((token) => !isOption(token)),
    rest,
    open,
    options,
  )
  if (operands === 'no') return 'no'
  return certain ? operands : 'maybe'
}

function inOrder(tokens: readonly string[], words: readonly Word[], open: boolean, options: readonly string[]): Match {
  let at = 0
  let certain = true
  for (const [index, word] of words.entries()) {
    if (!word.known) {
      // This word may expand to any number of words.
      if (at < tokens.length || !open) certain = false
      if (at < tokens.length) at += 1
      continue
    }
    if (isOption(word.text) && word.text !== '--') {
      if (!open && !options.some((option) => hasOption(word.text, option))) return 'no'
      continue
    }
    if (word.text === '--') continue
    const token = tokens[at]
    if (token !== undefined && matchesWord(token, word.text, true)) at += 1
    else if (token === undefined ? !open : !isOption(words[index - 1]?.text ?? '')) return certain ? 'no' : 'maybe'
  }
  return at < tokens.length ? (certain ? 'no' : 'maybe') : certain ? 'yes' : 'maybe'
}

function isOption(text: string): boolean {
  return /^-./.test(text)
}

/** `-rf` can also be written `-r -f`. */
function lettersOf(option: string, words: readonly Word[]): string[] {
  if (!/^-[A-Za-z]{2,4}$/.test(option) || words.some((word) => word.text === option)) return [option]
  return Array.from(option.slice(1), (letter) => `-${letter}`)
}

function isProgram(token: string, text: string): boolean {
  return matchesWord(token, text, true) || matchesWord(token, text.split('/').at(-1) ?? '', true)
}

/**
 * Whether a word is this option: the option itself, a synonym, the option with its value, or combined options with all
 * its letters.
 */
function hasOption(text: string, option: string): boolean {
  const wanted = SAME[option] ?? option
  const said = SAME[text] ?? text
  if (matchesWord(wanted, said) || matchesWord(option, text)) return true
  if (option.startsWith('--')) {
    if (text.startsWith(`${option}=`)) return true
    return wanted !== option && /^-[A-Za-z]+$/.test(text) && text.includes(wanted[1]!)
  }
  if (!/^-[A-Za-z]+$/.test(wanted) || !/^-[A-Za-z]/.test(said)) return false
  const letters = said.replaceAll('R', 'r')
  return wanted
    .slice(1)
    .replaceAll('R', 'r')
    .split('')
    .every((letter) => letters.slice(1).includes(letter))
}

const compiled = new Map<string, GlobMatcher>()
const MAX_COMPILED = 5000

/** `*` in a word of a pattern matches any characters. */
function matchesWord(token: string, text: string, anyCase = false): boolean {
  const key = (anyCase ? '~' : '=') + token
  let matcher = compiled.get(key)
  if (!matcher) {
    if (compiled.size >= MAX_COMPILED) compiled.clear()
    matcher = globMatcher(token, { starOnly: true, anyCase })
    compiled.set(key, matcher)
  }
  return matcher.matches(text)
}
