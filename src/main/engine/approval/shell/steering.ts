import type { Segment, Word } from './shell-syntax'
import { programOf } from './unwrap'

/** Environment variables that decide which programs run, or what is put into them. */
const PROGRAMS =
  /^(?:PATH|IFS|ENV|HOME|SHELL|SHELLOPTS|BASHOPTS|BASH_.*|LD_.*|DYLD_.*|GIT_.*|SSH_.*|.*PAGER|.*EDITOR|VISUAL|BROWSER|PS[0-4]|PROMPT_COMMAND|CDPATH|GLOBIGNORE|PYTHON.*|NODE_(?!ENV$).*|npm_.*|NPM_.*|PERL.*|RUBY.*|JAVA_.*|_JAVA_.*|JDK_.*|LESS.*|MAN.*|TAR_.*|RSYNC_.*|GCONV_PATH|LOCPATH|NLSPATH|TERMINFO.*|MAKEFLAGS|MFLAGS|MAKEFILES|GNUMAKEFLAGS|RIPGREP_.*|.*PRELOAD.*|XDG_.*|CC|CXX|RUSTC.*|CARGO_.*|GOFLAGS|EXINIT|VIMINIT|AWK.*|GAWK.*|POSIXLY_CORRECT|TMPDIR|OPENSSL_.*)$/
/** The other variables that bash sets or uses itself (its manual, "Shell Variables"); some evaluate whatever they are given. */
const OWN_OF_BASH =
  /^(?:_|BASH|BASHPID|CHILD_MAX|COMP_.*|COMPREPLY|COPROC|DIRSTACK|EMACS|EPOCHREALTIME|EPOCHSECONDS|EUID|EXECIGNORE|FCEDIT|FIGNORE|FUNCNAME|FUNCNEST|GROUPS|HIST.*|HOSTFILE|HOSTNAME|HOSTTYPE|IGNOREEOF|INPUTRC|INSIDE_EMACS|LINENO|MACHTYPE|MAIL|MAILCHECK|MAILPATH|MAPFILE|OLDPWD|OPTARG|OPTERR|OPTIND|OSTYPE|PIPESTATUS|PPID|PROMPT_.*|PWD|RANDOM|READLINE_.*|REPLY|SECONDS|SHLVL|SRANDOM|TIMEFORMAT|TMOUT|UID|auto_resume|histchars)$/

/** Variables that change what the shell, or the programs it starts, do when they get a value; also as `NAME[0]`. */
export const STEERING = new RegExp(`(?:${PROGRAMS.source}|${OWN_OF_BASH.source})`.replaceAll(')$', ')(?:\\[.*)?$'), 's')

/** Variables that may stand in front of any program: they change how it prints, and nothing that it reads, runs or sends. */
const HARMLESS =
  /^(?:LANG|LANGUAGE|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR(?:_FORCE)?|CI|DEBUG|NODE_ENV|RUST_LOG|RUST_BACKTRACE|COLUMNS|LINES|TERM)$/

/** What a shell keeps for itself, unless its environment has a variable of that name. */
const SHELL_VARIABLE = /^[a-z_][a-z0-9_]*$/

const PROXY = /^(?:https?|ftp|all|no|rsync|socks)_proxy$/i

/** Whether what a command sets holds for the commands after it. */
export function setsForAll({ words }: Segment): boolean {
  return words.length === 0 || /^(?:export|declare|typeset|local|readonly|exec)$/.test(programOf(words))
}

/** Whether it hands variables on to programs that are started later. */
export function exports({ words }: Segment): boolean {
  const program = programOf(words)
  return program === 'export' || (/^(?:declare|typeset)$/.test(program) && words.some((word) => /^-\w*x/.test(word.text)))
}

/** `export name` hands a variable on that may have been set before. */
export function isExported({ text, known }: Word): boolean {
  if (text.startsWith('-')) return false
  return !known || isSteering(/^\w*/.exec(text)?.[0] ?? '', true)
}

/** Whether a variable may change what programs do: they get it when it stands in front of them, is exported, or is in the environment already. */
export function isSteering(name: string, isPassedOn: boolean): boolean {
  if (STEERING.test(name) || PROXY.test(name)) return true
  return !HARMLESS.test(name) && (isPassedOn || !SHELL_VARIABLE.test(name) || name in process.env)
}
