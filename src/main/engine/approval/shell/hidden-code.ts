import { gitOption, execOption } from './exec-options'
import type { Word } from '../../permission/shell-syntax'
import { programOf } from './unwrap'
import { isInput } from './unwrap-shell'

/** Why a part of what this command runs is hidden, or undefined; `word` is the word that hides it. */
export function hiddenOption(words: readonly Word[]): { word: string; reason: string } | undefined {
  const program = programOf(words).toLowerCase()
  const rest = words.slice(1)
  const code = interpreterOption(program, rest)
  if (code) return code
  if (/^(?:[gmno]|original-)?awk$|^busybox-awk$/.test(program)) {
    const doubtful = rest.find((word, index) => !word.known || isDoubtfulAwk(word.text, rest[index - 1]?.text))
    return (
      doubtful && {
        word: doubtful.known ? doubtful.text : '',
        reason: `${program} can run commands and write files from its program`,
      }
    )
  }
  if (program === 'sed' || program === 'gsed') {
    const doubtful = unsafeSedWord(rest)
    return doubtful === undefined
      ? undefined
      : { word: doubtful, reason: `${program} can run commands and write files from its script` }
  }
  return program === 'git' ? gitOption(rest) : execOption(program, rest)
}

/**
 * Whether a word is program text that runs or writes something, or any option except those for separators and
 * variables.
 */
function isDoubtfulAwk(text: string, before: string | undefined): boolean {
  const separator = before === '-F' ? text : /^-F(.*)$/.exec(text)?.[1]
  if (separator !== undefined && separator.length <= 3) return false
  if (/system|\||getline|@|>/.test(text)) return true
  return (
    text.startsWith('-') &&
    !/^(?:--?|-[Fv].*|--(?:field-separator|assign|version|help|posix|traditional|sandbox)(?:=.*)?)$/.test(text)
  )
}

/** The syntax of programs that run scripts: options before the script that only specify how it is run. */
interface Interpreter {
  name: RegExp
  harmless: RegExp
  /** Harmless options whose value is the next word. */
  valued?: RegExp
  /** Options that are not followed by a script. */
  withoutScript?: RegExp
  /** First words that make it run code. */
  code?: RegExp
}

const INTERPRETERS: readonly Interpreter[] = [
  {
    name: /^(?:python|pypy)[\d.]*$/,
    harmless: /^-[BbdEIOqRsStuvxP]+$|^-[WX]./,
    valued: /^-[BbdEIOqRsStuvxP]*[WX]$/,
    code: /^-\w*m(?:timeit|code|pdb|cProfile|profile|trace|idlelib.*)$/,
    withoutScript: /^(?:-m.*|-V+|--version|-h|--help.*)$/,
  },
  { name: /^perl[\d.]*$/, harmless: /^-[wWtTX]+$/, withoutScript: /^-v$|^-V(?::.*)?$|^--version$|^--help$/ },
  {
    name: /^(?:j|macro)?ruby[\d.]*$/,
    harmless: /^-[wvU]+$|^-W:?\w*$|^--(?:yjit|jit|disable.*|enable.*|verbose)$/,
    withoutScript: /^--(?:version|help)$/,
  },
  {
    name: /^(?:node|nodejs)$/,
    harmless:
      /^--(?:watch|no-warnings|enable-source-maps|trace-\w+(?:-\w+)*|max-old-space-size=\d+|experimental-strip-types|experimental-transform-types|expose-gc|unhandled-rejections=\w+|stack-trace-limit=\d+|no-deprecation|throw-deprecation|test-only|test-name-pattern=.*|test-concurrency=\d+|test-timeout=\d+)$/,
    withoutScript: /^(?:--test|-v|--version|-h|--help|--v8-options|-c|--check)$/,
  },
  { name: /^php[\d.]*$/, harmless: /^-[nqH]+$/, withoutScript: /^(?:-[vihml]|--version|--help|--ini|-l)$/ },
  { name: /^(?:lua|luajit)[\d.]*$/, harmless: /^-[WE]$/, withoutScript: /^-v$/ },
  {
    name: /^(?:bun|deno)$/,
    harmless: /^$/,
    withoutScript: /^(?!-)(?!(?:eval|repl|x|exec|jupyter)$).*$|^--version$|^-v$|^--help$/,
    code: /^(?:eval|repl|x|exec|jupyter)$/,
  },
]
const OTHERS =
  /^(?:osascript|tclsh|R|Rscript|ghci|julia|elixir|iex|erl|scala|groovy|jshell|emacs|irb|pry|guile|racket|sbcl|clisp|ocaml|swipl|gawk-shell|octave|bc|dc|gnuplot|jq-shell)$/
const CODE: Readonly<Record<string, true>> = { bc: true, dc: true }

/** Why the code that an interpreter runs is hidden. `undefined`: it runs a named file, or it is not an interpreter. */
function interpreterOption(program: string, rest: readonly Word[]): { word: string; reason: string } | undefined {
  const known = INTERPRETERS.find(({ name }) => name.test(program))
  if (!known) return OTHERS.test(program) && !Object.hasOwn(CODE, program) ? other(program, rest) : undefined
  for (let at = 0; at < rest.length; at += 1) {
    const { text, known: isKnown } = rest[at]!
    if (!isKnown) return { word: '', reason: `what ${program} runs is only known when it runs` }
    if (known.code?.test(text === '-m' ? `-m${rest[at + 1]?.text}` : text))
      return { word: text, reason: `${program} ${text} runs code that rules cannot see` }
    if (known.withoutScript?.test(text)) return remote(program, rest.slice(at))
    if (known.harmless.test(text)) continue
    if (known.valued?.test(text)) at += 1
    else if (text === '--') {
      const file = rest[at + 1]?.text ?? '-'
      return file === '-' || isInput(file) ? input(program) : undefined
    } else if (text === '-' || isInput(text)) return input(program)
    else if (text.startsWith('-') || known.code?.test(text))
      return { word: text, reason: `${program} ${text} runs code that rules cannot see` }
    else return remote(program, rest.slice(at))
  }
  return input(program)
}

function other(program: string, rest: readonly Word[]): { word: string; reason: string } | undefined {
  if (rest.length === 0) return input(program)
  const option = rest.find((word) => word.text.startsWith('-'))
  return option && { word: option.text, reason: `${program} ${option.text} runs code that rules cannot see` }
}

function input(program: string): { word: string; reason: string } {
  return { word: '', reason: `${program} runs its input` }
}

function remote(program: string, rest: readonly Word[]): { word: string; reason: string } | undefined {
  const address = rest.find((word) => /^(?:https?:|npm:|jsr:|data:)/i.test(word.text))
  return /^(?:bun|deno|node|php)$/.test(program) && address && rest.indexOf(address) < 3
    ? { word: address.text, reason: `${program} runs what it fetches` }
    : undefined
}

/** sed options that only set how it works; any other option may read a script from elsewhere. */
const HARMLESS =
  /^-[nErsuzb]+$|^-i\S*$|^--(?:quiet|silent|regexp-extended|separate|unbuffered|null-data|posix|debug|sandbox|in-place(?:=.*)?|line-length=\d+|follow-symlinks|zero-terminated|binary)$/

/**
 * The word of a sed command that may run commands or write files elsewhere, or cannot be parsed; undefined when it only
 * edits.
 */
function unsafeSedWord(rest: readonly Word[]): string | undefined {
  const scripts: Word[] = []
  let first: Word | undefined
  let last = false
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at]!
    const { text } = word
    if (!last && word.known && text === '--') last = true
    else if (!last && word.known && /^-[nErsuz]*e$|^--expression$/.test(text)) {
      at += 1
      if (rest[at]) scripts.push(rest[at]!)
    } else if (!last && word.known && text.startsWith('--expression='))
      scripts.push({ text: text.slice(13), known: true })
    else if (!last && word.known && /^-[nErsuz]*e./.test(text))
      scripts.push({ text: text.replace(/^-[nErsuz]*e/, ''), known: true })
    else if (!last && word.known && /^(?:--version|--help)$/.test(text)) return undefined
    else if (!last && /^-./.test(text)) {
      if (!word.known || !HARMLESS.test(text)) return text
    } else first ??= word
  }
  const run = scripts.length > 0 ? scripts : first ? [first] : []
  if (run.some((word) => !word.known)) return ''
  // Multiple scripts are joined as lines.
  const text = run.map((word) => word.text).join('\n')
  return onlyEdits(text) ? undefined : (run[0]?.text ?? '')
}

const ADDRESS = String.raw`(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n[]|\\.|\[\^?\]?[^\]\n]*\])*/[IM]*|\\(\|[^|\\\n]*\||,[^,\\\n]*,|#[^#\\\n]*#|@[^@\\\n]*@)[IM]*)`
const LEAD = new RegExp(
  String.raw`[ \t\n;]*(?:${ADDRESS}(?:[ \t]*,[ \t]*(?:[+~]\d+|${ADDRESS}))?)?[ \t]*(?:![ \t!]*)?`,
  'y',
)
const PLAIN =
  /[=dDgGhHlnNpPxzF][ \t]*(?=[\n;}]|$)|[lqQL][ \t]*\d*[ \t]*(?=[\n;}]|$)|[btT:][ \t]*[\w.-]*[ \t]*(?=[\n;}]|$)|[{}]|#[^\n]*/y
const TEXT = /[aic](?:\\?[ \t]*\n?|[ \t]+)(?:[^\n\\]|\\[\s\S])*(?=\n|$)/y

/** Whether every command of a script only changes the text that passes through it. */
function onlyEdits(script: string): boolean {
  let at = 0
  const skip = (expression: RegExp): boolean => {
    expression.lastIndex = at
    const match = expression.exec(script)
    if (match) at = expression.lastIndex
    return match !== null
  }
  while (at < script.length) {
    skip(LEAD)
    if (at >= script.length) return true
    if (skip(PLAIN) || skip(TEXT)) continue
    const end = replacement(script, at)
    if (end === undefined) return false
    at = end
  }
  return true
}

/**
 * The end of `s/…/…/flags` or `y/…/…/`; undefined for flags that run or write, and for anything that cannot be parsed.
 */
function replacement(script: string, at: number): number | undefined {
  const command = script[at]
  const delimiter = script[at + 1]
  if ((command !== 's' && command !== 'y') || delimiter === undefined || /[\s\\\w]/.test(delimiter)) return undefined
  let seen = 0
  let index = at + 2
  for (; index < script.length && seen < 2; index += 1) {
    const char = script[index]!
    if (char === '\\') index += 1
    else if (char === delimiter) seen += 1
    else if (char === '\n' && seen === 0) return undefined
  }
  if (seen < 2) return undefined
  const flags = /^[gpiIM\d]*[ \t]*(?=[\n;}]|$)/.exec(script.slice(index))
  if (!flags || (command === 'y' && flags[0].trim() !== '')) return undefined
  return index + flags[0].length
}
