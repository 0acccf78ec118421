import type { Segment, Word } from '../../permission/shell-syntax'
import { programOf } from './unwrap'
import { unsafeSetOption } from './unwrap-shell'

/** Environment variables that decide which programs run, or what is injected into them. */
const PROGRAMS =
  /^(?:PATH|IFS|ENV|HOME|SHELL|SHELLOPTS|BASHOPTS|BASH_.*|LD_.*|DYLD_.*|GIT_.*|SSH_.*|.*PAGER|.*EDITOR|VISUAL|BROWSER|PS[0-4]|PROMPT_COMMAND|CDPATH|GLOBIGNORE|PYTHON.*|NODE_(?!ENV$).*|npm_.*|NPM_.*|PERL.*|RUBY.*|JAVA_.*|_JAVA_.*|JDK_.*|LESS.*|MAN.*|TAR_.*|RSYNC_.*|GCONV_PATH|LOCPATH|NLSPATH|TERMINFO.*|MAKEFLAGS|MFLAGS|MAKEFILES|GNUMAKEFLAGS|RIPGREP_.*|.*PRELOAD.*|XDG_.*|CC|CXX|RUSTC.*|CARGO_.*|GOFLAGS|EXINIT|VIMINIT|AWK.*|GAWK.*|POSIXLY_CORRECT|TMPDIR|OPENSSL_.*)$/
/**
 * Other variables that bash sets or uses itself ("Shell Variables" in its manual); some of their values are evaluated.
 */
const OWN_OF_BASH =
  /^(?:_|BASH|BASHPID|CHILD_MAX|COMP_.*|COMPREPLY|COPROC|DIRSTACK|EMACS|EPOCHREALTIME|EPOCHSECONDS|EUID|EXECIGNORE|FCEDIT|FIGNORE|FUNCNAME|FUNCNEST|GROUPS|HIST.*|HOSTFILE|HOSTNAME|HOSTTYPE|IGNOREEOF|INPUTRC|INSIDE_EMACS|LINENO|MACHTYPE|MAIL|MAILCHECK|MAILPATH|MAPFILE|OLDPWD|OPTARG|OPTERR|OPTIND|OSTYPE|PIPESTATUS|PPID|PROMPT_.*|PWD|RANDOM|READLINE_.*|REPLY|SECONDS|SHLVL|SRANDOM|TIMEFORMAT|TMOUT|UID|auto_resume|histchars)$/

/** Variables whose assignment changes what the shell, or a program it starts, does; also as `NAME[0]`. */
export const STEERING = new RegExp(`(?:${PROGRAMS.source}|${OWN_OF_BASH.source})`.replaceAll(')$', ')(?:\\[.*)?$'), 's')

/** Variables that can precede any program: they change how it prints, but not what it reads, runs or sends. */
const HARMLESS =
  /^(?:LANG|LANGUAGE|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR(?:_FORCE)?|CI|DEBUG|NODE_ENV|RUST_LOG|RUST_BACKTRACE|COLUMNS|LINES|TERM)$/

/** Variables that a shell does not export unless its environment already contains one with that name. */
const SHELL_VARIABLE = /^[a-z_][a-z0-9_]*$/

const PROXY = /^(?:https?|ftp|all|no|rsync|socks)_proxy$/i

/** Whether an assignment affects later commands. */
export function setsShellVariables({ words }: Segment): boolean {
  return words.length === 0 || /^(?:export|declare|typeset|local|readonly|exec)$/.test(programOf(words))
}

/** Whether it exports variables to programs that start later. */
export function exportsVariables({ words }: Segment): boolean {
  const program = programOf(words)
  return (
    program === 'export' || (/^(?:declare|typeset)$/.test(program) && words.some((word) => /^-\w*x/.test(word.text)))
  )
}

/** `export name` can export a variable that was set earlier. */
export function isExported({ text, known }: Word): boolean {
  if (text.startsWith('-')) return false
  return !known || isSteering(/^\w*/.exec(text)?.[0] ?? '', true)
}

/**
 * Whether a variable may change what programs do. They receive it when it precedes them, is exported, or is already in
 * the environment.
 */
export function isSteering(name: string, isPassedOn: boolean): boolean {
  if (STEERING.test(name) || PROXY.test(name)) return true
  return !HARMLESS.test(name) && (isPassedOn || !SHELL_VARIABLE.test(name) || name in process.env)
}

/**
 * Whether the value makes programs open a file that it names: a time zone, a language or a terminal can be a file name.
 */
export function namesFile(name: string, { text, known }: Word): boolean {
  if (!/^(?:LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM)$/.test(name)) return false
  return !known || /^:|^\/|\.\.|^~/.test(text) || (name !== 'TZ' && text.includes('/'))
}

/** What a builtin does with its words besides using them literally. */
export interface Evaluated {
  /** Names of variables that it assigns at run time. */
  sets: string[]
  /** Texts it evaluates as arithmetic. */
  expressions: string[]
  /** Why what it sets or runs is hidden. */
  hidden?: string
}

const DECLARING = /^(?:declare|typeset|local|export|readonly)$/
const NOTHING: Evaluated = { sets: [], expressions: [] }
const IDENTIFIER = /^[A-Za-z_]\w*$/
const ASSIGNMENT = /^([A-Za-z_]\w*)\+?=/
const ELEMENT = /^[A-Za-z_]\w*\[(.+)\]$/s

/** Builtins whose words are variable names or expressions. */
export function evaluatedWords(program: string, rest: readonly Word[]): Evaluated {
  if (DECLARING.test(program)) return declaredVariables(program, rest)
  if (program === 'unset') return variableNames(program, withoutOptions(rest))
  if (program === 'let') {
    if (rest.some((word) => !word.known && /[`(]|\$\{/.test(word.text)))
      return hiddenWords('what let calculates is only known when it runs')
    return { sets: [], expressions: rest.map((word) => word.text.replace(/^"(.*)"$/s, '$1')) }
  }
  if (program === 'read') return variableNames(program, readNames(rest))
  if (program === 'getopts') return variableNames(program, rest.slice(1, 2))
  if (program === 'printf') return printfVariables(rest)
  if (program === 'wait') return optionVariable(program, rest, 'p')
  if (program === 'test' || program === '[' || program === '[[') return testedVariables(program, rest)
  // What `set` and the like assign to $1 may be used in arithmetic.
  if (program === 'set' || program === 'select') {
    const hidden = program === 'set' ? unsafeSetOption(rest) : undefined
    return { sets: ['1'], expressions: [], ...(hidden !== undefined && { hidden }) }
  }
  return NOTHING
}

function hiddenWords(hidden: string): Evaluated {
  return { ...NOTHING, hidden }
}

/** `declare` and the like; attributes that change later assignments cannot be followed. */
function declaredVariables(program: string, rest: readonly Word[]): Evaluated {
  const options = rest.filter((word) => /^[-+]/.test(word.text))
  if (options.some((word) => /^-\w*n/.test(word.text)) && program !== 'export')
    return hiddenWords(`${program} -n gives a variable another name`)
  if (options.some((word) => /^-\w*i/.test(word.text)))
    return hiddenWords(`${program} -i evaluates every value that the variable gets`)
  const found: Evaluated = { sets: [], expressions: [] }
  for (const word of withoutOptions(rest)) {
    const name = ASSIGNMENT.exec(word.text)?.[1]
    if (name !== undefined) {
      // An array can be assigned with subscripts.
      if (/\(\s*\[|\[[^\]]*[$`]/.test(word.text.slice(name.length)))
        return hiddenWords(`${program} evaluates the subscripts of ${name}`)
      found.sets.push(name)
    } else {
      const one = variableNames(program, [{ ...word, text: word.text.replace(/\]\+?=.*$/s, ']') }])
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

/** Words that name variables or array elements: bash evaluates their subscripts. */
function variableNames(program: string, words: readonly Word[]): Evaluated {
  const found: Evaluated = { sets: [], expressions: [] }
  for (const word of words) {
    const index = ELEMENT.exec(word.text)?.[1]
    if (index !== undefined && !/[$`'"\\]/.test(index)) {
      found.sets.push(word.text.slice(0, word.text.indexOf('[')))
      if (!/^[@*]$/.test(index)) found.expressions.push(index)
    } else if (word.text.includes('['))
      return hiddenWords(`${program} evaluates what is in the brackets of ${word.text}`)
    else if (!word.known) return hiddenWords(`the variable that ${program} is about is only known when it runs`)
    else found.sets.push(word.text)
  }
  return found
}

/** An option that names a variable, alone or after others (`printf -v name`, `wait -np name`). */
function optionVariable(program: string, rest: readonly Word[], letter: string): Evaluated {
  const option = new RegExp(`^-[a-zA-Z]*?${letter}`)
  const named = rest.flatMap((word, index) => {
    const found = option.exec(word.text)
    if (!found) return []
    const attached = word.text.slice(found[0].length)
    return attached === '' ? (rest[index + 1] ?? []) : [{ ...word, text: attached }]
  })
  return variableNames(program, named)
}

/** `printf -v name`, and `%n`, which assigns the variable that its argument names. */
function printfVariables(rest: readonly Word[]): Evaluated {
  const format = rest.find((word) => !word.known || !word.text.startsWith('-'))
  if (format?.known === false && format !== rest.at(-1))
    return hiddenWords('the format of printf is only known when it runs')
  if (format && /%[^A-Za-z%]*n/.test(format.text)) return hiddenWords('%n of printf changes a variable')
  return optionVariable('printf', rest, 'v')
}

/** `-v` and `-R` evaluate the subscript of their operand; so does an unquoted value that becomes such an operator. */
function testedVariables(program: string, rest: readonly Word[]): Evaluated {
  const text = rest.map((word) => word.text).join(' ')
  // The grammar may read a whole expression as one word.
  const asked = [...text.matchAll(/(?:^|[\s(!])-[vR]\s+(\S+)/g)].map(([, name]) => name ?? '')
  if (!asked.every((name) => IDENTIFIER.test(name))) return hiddenWords(`${program} -v evaluates what it is about`)
  if (program === '[[') return NOTHING
  if (rest.some((word) => word.known && /\[[^\]]*[$`]/.test(word.text)))
    return hiddenWords(`${program} may evaluate a subscript`)
  if (rest.every((word) => word.known) || onlyCompares(program, rest)) return NOTHING
  const expanded = text.replace(/'[^']*'/g, '').replace(/\$(?:[#?$!]|\{[#?$!]\})/g, '')
  const plain = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g
  if (/[$`]/.test(expanded.replace(plain, '')))
    return hiddenWords(`what ${program} evaluates is only known when it runs`)
  return { sets: [], expressions: [...expanded.matchAll(plain)].map(([, bare, braced]) => bare ?? braced ?? '') }
}

const READ_WITH_VALUE = /^-\w*[adinNptu]$/
/** `-aname` and `-raname`. */
const READ_ARRAY = /^-[ers]*a(.+)$/s

function readNames(rest: readonly Word[]): Word[] {
  return rest.flatMap((word, index) => {
    const before = rest[index - 1]?.text ?? ''
    const array = READ_ARRAY.exec(word.text)?.[1]
    if (array !== undefined) return [{ ...word, text: array }]
    if (word.known && word.text.startsWith('-')) return []
    return !READ_WITH_VALUE.test(before) || /^-\w*a$/.test(before) ? [word] : []
  })
}

const ABOUT_ONE = /^-[bcdefghknprstuwxzGLNOS]$/
const BETWEEN_TWO = /^(?:=|==|!=|<|>|=~|-eq|-ne|-lt|-le|-gt|-ge|-nt|-ot|-ef)$/
const JOINS = /^(?:!|&&|\|\||-a|-o|\(|\))$/

/** Whether `test`, `[` or `[[` only compares, including values known only at run time. `-v` evaluates its operand. */
export function onlyCompares(program: string, rest: readonly Word[]): boolean {
  const closing = program === '[' ? ']' : program === '[[' ? ']]' : undefined
  const words = closing !== undefined && rest.at(-1)?.text === closing ? rest.slice(0, -1) : rest
  // Outside [[ an unquoted value can become several words, including operators.
  if (program !== '[[' && words.some((word) => !word.known && mayBecomeMore(word.text))) return false
  // The grammar reads a whole expression as one word, which also hides a `-v` that evaluates its operand.
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
    return (
      clause.length === 3 &&
      second!.known &&
      BETWEEN_TWO.test(second!.text) &&
      !(first!.known && first!.text.startsWith('-'))
    )
  })
}

/**
 * Whether the shell may replace a word that is known only at run time with file names from folders that are also
 * unknown, as in `$x/*`, or in `$x` when the command assigns a pattern to it.
 */
export function mayListNames({ text, known, glob }: Word, texts: ReadonlyMap<string, string>): boolean {
  if (known || glob) return false
  const unquoted = text.replace(/"(?:[^"\\]|\\.)*"/g, '').replace(/'[^']*'/g, '')
  // Removing a prefix or suffix lists nothing, and neither do $? and $*.
  const plain = unquoted.replace(/\$\{\w+(?:##?|%%?)[^{}]*\}/g, '$x').replace(/\$[?*@#]|\$\{#?[?*@#]\}/g, '')
  // The shell expands the output of an unquoted substitution, even wildcards that are quoted inside it.
  if (/`|\$\(/.test(plain)) return /[*?[]/.test(text) && /\.\.|~|[\s'"`(]\/|\$[\w{]/.test(text)
  if (/[*?[]/.test(plain.replace(/\[[@*\w]*\]/g, ''))) return true
  return [...unquoted.matchAll(/\$\{?([A-Za-z_]\w*)/g)].some(([, name]) => /[*?[]/.test(texts.get(name ?? '') ?? ''))
}

/** Whether a word known only at run time has unquoted parts. */
function mayBecomeMore(text: string): boolean {
  return /[$`*?[]/.test(text.replace(/"(?:[^"\\]|\\.)*"/g, '').replace(/'[^']*'/g, ''))
}
