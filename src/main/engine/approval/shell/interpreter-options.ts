import type { Word } from './shell-syntax'

/** How the programs that run scripts are written: options before the script that only say how it is run. */
interface Interpreter {
  name: RegExp
  harmless: RegExp
  /** Harmless options whose value is the next word. */
  valued?: RegExp
  /** Options behind which no script follows. */
  told?: RegExp
  /** First words that make it run code. */
  code?: RegExp
}

const INTERPRETERS: readonly Interpreter[] = [
  {
    name: /^(?:python|pypy)[\d.]*$/,
    harmless: /^-[BbdEIOqRsStuvxP]+$|^-[WX]./,
    valued: /^-[BbdEIOqRsStuvxP]*[WX]$/,
    code: /^-\w*m(?:timeit|code|pdb|cProfile|profile|trace|idlelib.*)$/,
    told: /^(?:-m.*|-V+|--version|-h|--help.*)$/,
  },
  { name: /^perl[\d.]*$/, harmless: /^-[wWtTX]+$/, told: /^-v$|^-V(?::.*)?$|^--version$|^--help$/ },
  {
    name: /^(?:j|macro)?ruby[\d.]*$/,
    harmless: /^-[wvU]+$|^-W:?\w*$|^--(?:yjit|jit|disable.*|enable.*|verbose)$/,
    told: /^--(?:version|help)$/,
  },
  {
    name: /^(?:node|nodejs)$/,
    harmless:
      /^--(?:watch|no-warnings|enable-source-maps|trace-\w+(?:-\w+)*|max-old-space-size=\d+|experimental-strip-types|experimental-transform-types|expose-gc|unhandled-rejections=\w+|stack-trace-limit=\d+|no-deprecation|throw-deprecation|test-only|test-name-pattern=.*|test-concurrency=\d+|test-timeout=\d+)$/,
    told: /^(?:--test|-v|--version|-h|--help|--v8-options|-c|--check)$/,
  },
  { name: /^php[\d.]*$/, harmless: /^-[nqH]+$/, told: /^(?:-[vihml]|--version|--help|--ini|-l)$/ },
  { name: /^(?:lua|luajit)[\d.]*$/, harmless: /^-[WE]$/, told: /^-v$/ },
  {
    name: /^(?:bun|deno)$/,
    harmless: /^$/,
    told: /^(?!-)(?!(?:eval|repl|x|exec|jupyter)$).*$|^--version$|^-v$|^--help$/,
    code: /^(?:eval|repl|x|exec|jupyter)$/,
  },
]
const OTHERS =
  /^(?:osascript|tclsh|R|Rscript|ghci|julia|elixir|iex|erl|scala|groovy|jshell|emacs|irb|pry|guile|racket|sbcl|clisp|ocaml|swipl|gawk-shell|octave|bc|dc|gnuplot|jq-shell)$/
const CODE: Readonly<Record<string, true>> = { bc: true, dc: true }

/** Why what a program that runs scripts does cannot be seen. `undefined`: it runs a file, which is named; or it is no such program. */
export function interpreterOption(program: string, rest: readonly Word[]): { word: string; reason: string } | undefined {
  const known = INTERPRETERS.find(({ name }) => name.test(program))
  if (!known) return OTHERS.test(program) && !Object.hasOwn(CODE, program) ? other(program, rest) : undefined
  for (let at = 0; at < rest.length; at += 1) {
    const { text, known: isKnown } = rest[at]!
    if (!isKnown) return { word: '', reason: `what ${program} runs is only known when it runs` }
    if (known.code?.test(text === '-m' ? `-m${rest[at + 1]?.text}` : text))
      return { word: text, reason: `${program} ${text} runs code that rules cannot see` }
    if (known.told?.test(text)) return remote(program, rest.slice(at))
    if (known.harmless.test(text)) continue
    if (known.valued?.test(text)) at += 1
    else if (text === '--') return at + 1 < rest.length ? undefined : input(program)
    else if (text === '-' || /^\/(?:dev|proc)\//.test(text)) return input(program)
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
