import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { basename, posix } from 'node:path'
import { sessionProcesses, signalGroup } from '../process/kill-process-tree'

export interface LoginShellRequest {
  /** Absolute path. */
  shell: string
  /** What the shell starts from. */
  env: NodeJS.ProcessEnv
  /** The user's home folder. */
  cwd: string
  node?: NodeProgram
  limitMs?: number
}

/** The variables of a login shell, or why there are none and what to do. */
export type LoginShellAnswer = { env: Record<string, string> } | { problem: string; advice: string }

const LIMIT_MS = 10_000
/** How long output is waited for after the shell has exited while something it left behind holds the pipe. */
const DRAIN_MS = 300
/** How long a shell that has printed everything may take to end. */
const LINGER_MS = 2_000
const MAX_BYTES = 4 * 1024 * 1024
const MAX_ERROR_CHARS = 2_000

/** Set for the shell alone: startup files can look for the first, the others keep frameworks from asking or from replacing the shell. */
const FOR_THE_SHELL = {
  TRESTLE_RESOLVING_ENVIRONMENT: '1',
  DISABLE_AUTO_UPDATE: 'true',
  ZSH_TMUX_AUTOSTARTED: 'true',
  ZSH_TMUX_AUTOSTART: 'false',
}

/**
 * Starts the user's shell as a terminal does (login and interactive, in a session of its own, with an empty stdin) and reads the environment that its
 * startup files make. Never rejects. What does not end within the limit is killed with all that it started.
 */
export async function readLoginShell({
  shell,
  env,
  cwd,
  node,
  limitMs = LIMIT_MS,
}: LoginShellRequest): Promise<LoginShellAnswer> {
  const mark = `trestle${randomBytes(12).toString('hex')}`
  const name = basename(shell)
  const inTerminal = `${name} -i -l -c env`
  const answer = Promise.withResolvers<LoginShellAnswer>()
  const added = Object.keys(FOR_THE_SHELL).filter((each) => env[each] === undefined)
  const child = spawn(shell, shellArguments(shell, node, mark), {
    cwd,
    // Not "dumb": startup files often leave early for such a terminal.
    env: { ...env, TERM: 'xterm-256color', ...node?.env, ...FOR_THE_SHELL },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  let stderr = ''
  const look = (): boolean => {
    const printed = parsePrintedEnvironment(output, mark)
    if (!printed) return false
    const taken = importedVariables(printed, added)
    answer.resolve(
      (taken['PATH'] ?? '') === ''
        ? {
            problem: `${name} printed an environment without a PATH.`,
            advice: `Run “${inTerminal}” in a terminal and correct what empties PATH.`,
          }
        : { env: taken },
    )
    return true
  }
  child.on('error', (error) =>
    answer.resolve({
      problem: `The login shell ${shell} could not be started: ${error.message}`,
      advice: 'Set another login shell with chsh, or name one as shell under [environment] in config.toml.',
    }),
  )
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text
    if (output.length > MAX_BYTES)
      answer.resolve({
        problem: `${name} printed more than ${MAX_BYTES / 1024 / 1024} MB while it started.`,
        advice: `Run “${inTerminal}” in a terminal and remove what prints so much from your startup files.`,
      })
    else if (output.slice(-text.length - mark.length).includes(mark)) look()
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-MAX_ERROR_CHARS)))
  let drain: NodeJS.Timeout | undefined
  const ended = (code: number | null, signal: NodeJS.Signals | null): void => {
    if (look()) return
    const said = lastLine(stderr)
    answer.resolve({
      problem: `${name} ended ${signal ? `by ${signal}` : `with exit code ${code}`} before it printed its environment.${said === '' ? '' : ` It said: ${said}`}`,
      advice: `Run “${inTerminal}” in a terminal, and correct what ends your shell in its startup files.`,
    })
  }
  child.on('exit', (code, signal) => (drain = setTimeout(() => ended(code, signal), DRAIN_MS)))
  child.on('close', ended)
  const limit = setTimeout(() => {
    answer.resolve({
      problem: `${name} did not finish its startup files within ${limitMs / 1000} s.`,
      advice: `Look for what waits for input or for the network in your startup files. They can skip it when TRESTLE_RESOLVING_ENVIRONMENT is set.`,
    })
  }, limitMs)
  const found = await answer.promise
  clearTimeout(limit)
  clearTimeout(drain)
  const isRunning = child.pid !== undefined && child.exitCode === null && child.signalCode === null
  if (isRunning && 'env' in found) letEnd(child.pid, child)
  else if (isRunning) await killSession(child.pid)
  // What its startup files left running, such as an agent for keys, goes on.
  child.stdout?.destroy()
  child.stderr?.destroy()
  child.unref()
  return found
}

/** It may still run what is to be done at its end. */
function letEnd(pid: number, child: { exitCode: number | null; signalCode: NodeJS.Signals | null }): void {
  setTimeout(() => {
    if (child.exitCode === null && child.signalCode === null) void killSession(pid)
  }, LINGER_MS).unref()
}

/** Kills a shell that still runs, and everything in its session. */
async function killSession(leader: number): Promise<void> {
  const others = await sessionProcesses(leader, []).catch(() => [])
  for (const group of new Set([leader, ...others.map(({ group }) => group)])) signalGroup(group, 'SIGKILL')
}

/** Interactive shells without a terminal always complain about it. */
function lastLine(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.replaceAll(/\p{Cc}/gu, '').trim())
    .filter((line) => line !== '' && !/job control|terminal process group|can't access tty|not a tty/i.test(line))
  return (lines.at(-1) ?? '').slice(0, 300)
}

/** Variables that belong to the shell that was asked, to a terminal, or to Trestle's own process. */
const OF_THE_PROCESS = new Set([
  '_',
  'PWD',
  'OLDPWD',
  'SHLVL',
  'TERM',
  'TERMCAP',
  'TERM_PROGRAM',
  'TERM_PROGRAM_VERSION',
  'TERM_SESSION_ID',
  'COLORTERM',
  'COLUMNS',
  'LINES',
  'TMUX',
  'TMUX_PANE',
  'STY',
  'WINDOW',
  'WINDOWID',
  'NODE_CHANNEL_FD',
  'NODE_CHANNEL_SERIALIZATION_MODE',
  // Of an AppImage.
  'APPDIR',
  'APPIMAGE',
  'ARGV0',
  'OWD',
])
const OF_US = /^(?:ELECTRON_|TRESTLE_|CHROME_DESKTOP$|GIO_LAUNCHED_DESKTOP_FILE)/

/**
 * What a shell printed between two `mark`s: JSON, or `NAME=value` with zeros in between. Everything around it, such as a banner, is skipped. Undefined while
 * it has not all been printed.
 */
function parsePrintedEnvironment(output: string, mark: string): Record<string, string> | undefined {
  const pieces = output.split(mark)
  for (const piece of pieces.slice(1, -1)) {
    const env = piece.startsWith('{') ? fromJson(piece) : piece.includes('\0') ? fromList(piece) : undefined
    if (env) return env
  }
  return undefined
}

/** The variables that are taken over from what the shell printed. `added`: names that were set for the shell alone. */
function importedVariables(
  printed: Readonly<Record<string, string>>,
  added: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(printed).filter(([name]) => !OF_THE_PROCESS.has(name) && !OF_US.test(name) && !added.includes(name)),
  )
}

function fromJson(text: string): Record<string, string> | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed !== 'object' || parsed === null) return undefined
    return Object.fromEntries(
      Object.entries(parsed).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    )
  } catch {
    return undefined
  }
}

function fromList(text: string): Record<string, string> | undefined {
  const entries = text.split('\0').filter((entry) => entry !== '')
  const isList = entries.every((entry) => entry.indexOf('=') > 0)
  return isList
    ? Object.fromEntries(
        entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
      )
    : undefined
}

/** The program that can print its environment as JSON: Node's executable. */
export interface NodeProgram {
  path: string
  /** What makes it run as plain Node. */
  env?: Readonly<Record<string, string>>
}

/**
 * The arguments that make a shell read all of its startup files, as in a new terminal, and print its environment between two marks. Nothing in the
 * scripts needs quoting, so one form fits every shell. Without Node `env -0` prints it; both are run when both are there, in case one fails.
 */
function shellArguments(shell: string, node: NodeProgram | undefined, mark: string): string[] {
  const kind = kindOf(shell)
  const run = (...words: string[]): string => CALL[kind] + words.map((word) => quoted(kind, word)).join(' ')
  const print = [
    ...(node ? [run(node.path, '-p', `/${mark}/.source+JSON.stringify(process.env)+/${mark}/.source`)] : []),
    run('/bin/sh', '-c', `printf ${mark}; env -0; printf ${mark}`),
  ].join('; ')
  if (kind === 'powershell') return ['-Login', '-Command', print]
  // A C shell takes -l only when it is alone.
  if (kind === 'csh') return ['-i', '-c', print]
  return ['-i', '-l', '-c', print]
}

type Kind = 'posix' | 'fish' | 'nushell' | 'powershell' | 'csh'

/** What calls a program whose name is in quotes. */
const CALL: Readonly<Record<Kind, string>> = { posix: '', fish: '', csh: '', nushell: '^', powershell: '& ' }

function kindOf(shell: string): Kind {
  const name = posix
    .basename(shell)
    .toLowerCase()
    .replace(/^-|\.exe$/g, '')
  if (/^fish\b/.test(name)) return 'fish'
  if (/^nu(?:shell)?$/.test(name)) return 'nushell'
  if (/^(?:pwsh|powershell)\b/.test(name)) return 'powershell'
  if (/^t?csh\b/.test(name)) return 'csh'
  return 'posix'
}

function quoted(kind: Kind, word: string): string {
  if (kind === 'nushell') return word.includes("'") ? `"${word.replaceAll(/["\\]/g, '\\$&')}"` : `'${word}'`
  const inside: Record<Exclude<Kind, 'nushell'>, string> = {
    fish: "\\'",
    powershell: "''",
    posix: "'\\''",
    csh: "'\\''",
  }
  return `'${word.replaceAll("'", inside[kind])}'`
}
