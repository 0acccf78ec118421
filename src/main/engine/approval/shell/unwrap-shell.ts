import type { Word } from '../../permission/shell-syntax'
import { hiddenResult, NOTHING, type Unwrapped } from './wrapper-programs'

/** Shell option letters that do not change the meaning of a script; `c`, `o`, `O` and `s` are handled separately. */
const SAFE_LETTERS = 'BCDETbefhilmnprtuvx'
/** The same options, as names for `-o`. */
const SAFE_NAMES = new Set([
  'errexit',
  'errtrace',
  'functrace',
  'hashall',
  'ignoreeof',
  'monitor',
  'noclobber',
  'noexec',
  'noglob',
  'nolog',
  'notify',
  'nounset',
  'pipefail',
  'verbose',
  'xtrace',
])
const SAFE_LONG = /^--(?:login|norc|noprofile|noediting|posix|restricted|verbose)$/
/** bash also accepts these with a single dash. */
const LONG_WITH_ONE_DASH =
  /^-(?:debug|debugger|dump-.*|help|init-file|login|no\w+|posix|pretty-print|rcfile|restricted|verbose|version|wordexp)$/
const FOLLOWED = /^(?:r?bash|sh|dash|ash|zsh|ksh|mksh)$/

/** What a shell runs: the script after `-c`, or a file. */
export function unwrapShell(words: readonly Word[], name: string): Unwrapped {
  let hasScript = false
  let at = 1
  for (; at < words.length; at += 1) {
    const { text, known } = words[at]!
    if (!known) return hiddenResult(`what ${name} runs is only known when it runs`)
    if (text === '--version' || text === '--help') return NOTHING
    if (text === '-' || text === '--') {
      at += 1
      break
    }
    if (!/^[-+]/.test(text)) break
    if (SAFE_LONG.test(text)) continue
    if (/^--(?:rcfile|init-file)/.test(text)) return hiddenResult(`${name} runs a start-up file`)
    if (text.startsWith('--') || LONG_WITH_ONE_DASH.test(text)) return hiddenResult(`${name} ${text} is not followed`)
    // Names for -o are separate words, even when the letter is not the last: `-oc errexit SCRIPT`.
    for (const letter of text.slice(1)) {
      if (letter === 'c') hasScript = true
      else if (letter === 's') return hiddenResult(`${name} runs its input`)
      else if (letter === 'o') {
        at += 1
        if (!words[at]?.known || !SAFE_NAMES.has(words[at]!.text)) return changesMeaning(name, text, words[at])
      } else if (!SAFE_LETTERS.includes(letter)) return changesMeaning(name, text, words[at + 1])
    }
  }
  const first = words[at]
  if (!first) return hiddenResult(`${name} runs its input`)
  if (!hasScript) return isInput(first.text) ? hiddenResult(`${name} runs its input`) : NOTHING
  if (!first.known) return hiddenResult(`what ${name} -c runs is only known when it runs`)
  if (!FOLLOWED.test(name)) return hiddenResult(`${name} is not a shell that is understood`)
  return { inner: [], script: first.text, shell: name, neutral: true }
}

function changesMeaning(name: string, option: string, value: Word | undefined): Unwrapped {
  return hiddenResult(`${name} ${[option, value?.text ?? ''].join(' ').trim()} may change what its script means`)
}

/** Whether a path stands for the input of the program that opens it. */
export function isInput(path: string): boolean {
  return /(?:^|\/)(?:dev\/+(?:\.\/+)*(?:stdin|fd)|proc)(?:\/|$)/.test(path)
}

/** Why the options of the builtin `set` may change what later commands mean; undefined when they do not. */
export function unsafeSetOption(rest: readonly Word[]): string | undefined {
  for (let at = 0; at < rest.length; at += 1) {
    const { text, known } = rest[at]!
    if (!known) return 'the options that set changes are only known when it runs'
    if (text === '-' || text === '--' || !/^[-+]/.test(text)) return undefined
    for (const letter of text.slice(1)) {
      const name = letter === 'o' ? rest[(at += 1)] : undefined
      if (letter === 'o' ? name && !(name.known && SAFE_NAMES.has(name.text)) : !SAFE_LETTERS.includes(letter))
        return `set ${[text, name?.text ?? ''].join(' ').trim()} may change what later commands mean`
    }
  }
  return undefined
}
