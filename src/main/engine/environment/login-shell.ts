import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { basename, posix } from 'node:path'
import { sessionProcesses, signalGroup } from '../process/kill/kill-process-tree'

export interface LoginShellRequest {
  /** Absolute path. */
  shell: string
  /** The environment that the shell is started with. */
  env: NodeJS.ProcessEnv
  /** The user's home folder. */
  cwd: string
  node?: NodeProgram
  limitMs?: number
}

/** The variables of a login shell, or why they are missing and what to do. */
export type LoginShellAnswer = { env: Record<string, string> } | { problem: string; advice: string }

const LIMIT_MS = 10_000
/** How long to wait for output after the shell has exited while a background process holds the pipe. */
const DRAIN_MS = 300
/** How long a shell may take to exit after it has printed everything. */
const LINGER_MS = 2_000
const MAX_BYTES = 4 * 1024 * 1024
const MAX_ERROR_CHARS = 2_000

/**
 * Variables set only for the shell: startup files can check the first; the others keep frameworks from prompting or
 * replacing the shell.
 */
const FOR_THE_SHELL = {
  TRESTLE_RESOLVING_ENVIRONMENT: '1',
  DISABLE_AUTO_UPDATE: 'true',
  ZSH_TMUX_AUTOSTARTED: 'true',
  ZSH_TMUX_AUTOSTART: 'false',
}

/**
 * Starts the user's shell as a terminal does (login and interactive, in its own session, with empty stdin) and reads
 * the environment that its startup files set. Never rejects. A shell that exceeds the limit is killed with everything
 * it started.
 */
export async function readLoginShell({
  shell,
  env,
  cwd,
  node,
  limitMs = LIMIT_MS,
}: LoginShellRequest): Promise<LoginShellAnswer> {
  const marker = `trestle${randomBytes(12).toString('hex')}`
  const name = basename(shell)
  const inTerminal = `${name} -i -l -c env`
  const answer = Promise.withResolvers<LoginShellAnswer>()
  const added = Object.keys(FOR_THE_SHELL).filter((each) => env[each] === undefined)
  const child = spawn(shell, shellArguments(shell, node, marker), {
    cwd,
    // Not "dumb": startup files often return early for such a terminal.
    env: { ...env, TERM: 'xterm-256color', ...node?.env, ...FOR_THE_SHELL },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  let stderr = ''
  const tryParse = (): boolean => {
    const printed = parsePrintedEnvironment(output, marker)
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
    else if (output.slice(-text.length - marker.length).includes(marker)) tryParse()
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-MAX_ERROR_CHARS)))
  let drain: NodeJS.Timeout | undefined
  const ended = (code: number | null, signal: NodeJS.Signals | null): void => {
    if (tryParse()) return
    const message = lastLine(stderr)
    answer.resolve({
      problem:
        `${name} ended ${signal ? `by ${signal}` : `with exit code ${code}`} before ` +
        `it printed its environment.${message === '' ? '' : ` It said: ${message}`}`,
      advice: `Run “${inTerminal}” in a terminal, and correct what ends your shell in its startup files.`,
    })
  }
  child.on('exit', (code, signal) => (drain = setTimeout(() => ended(code, signal), DRAIN_MS)))
  child.on('close', ended)
  const limit = setTimeout(() => {
    answer.resolve({
      problem: `${name} did not finish its startup files within ${limitMs / 1000} s.`,
      advice:
        'Check your startup files for anything that waits for input or the network. ' +
        'They can skip it when TRESTLE_RESOLVING_ENVIRONMENT is set.',
    })
  }, limitMs)
  const found = await answer.promise
  clearTimeout(limit)
  clearTimeout(drain)
  const isRunning = child.pid !== undefined && child.exitCode === null && child.signalCode === null
  if (isRunning && 'env' in found) killLater(child.pid, child)
  else if (isRunning) await killSession(child.pid)
  // Processes left by its startup files, such as a key agent, keep running.
  child.stdout?.destroy()
  child.stderr?.destroy()
  child.unref()
  return found
}

/** Kills it after a delay: it may still run its exit handlers. */
function killLater(pid: number, child: { exitCode: number | null; signalCode: NodeJS.Signals | null }): void {
  setTimeout(() => {
    if (child.exitCode === null && child.signalCode === null) void killSession(pid)
  }, LINGER_MS).unref()
}

/** Kills a running shell and everything in its session. */
async function killSession(shellPid: number): Promise<void> {
  const others = await sessionProcesses(shellPid, []).catch(() => [])
  for (const group of new Set([shellPid, ...others.map(({ group }) => group)])) signalGroup(group, 'SIGKILL')
}

/** The last line that is not one of the usual warnings of an interactive shell without a terminal. */
function lastLine(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.replaceAll(/\p{Cc}/gu, '').trim())
    .filter((line) => line !== '' && !/job control|terminal process group|can't access tty|not a tty/i.test(line))
  return (lines.at(-1) ?? '').slice(0, 300)
}

/** Variables that belong to this shell, to a terminal, or to Trestle's own process. */
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
  // Set by an AppImage.
  'APPDIR',
  'APPIMAGE',
  'ARGV0',
  'OWD',
])
const OF_US = /^(?:ELECTRON_|TRESTLE_|CHROME_DESKTOP$|GIO_LAUNCHED_DESKTOP_FILE)/

/**
 * Parses a shell's output between two `marker`s: JSON, or `NAME=value` separated by NUL. Text around it, such as a
 * banner, is skipped. Undefined until it is complete.
 */
function parsePrintedEnvironment(output: string, marker: string): Record<string, string> | undefined {
  const pieces = output.split(marker)
  for (const piece of pieces.slice(1, -1)) {
    const env = piece.startsWith('{') ? fromJson(piece) : piece.includes('\0') ? fromList(piece) : undefined
    if (env) return env
  }
  return undefined
}

/** The variables to import from the shell's output. `added`: names that were set for the shell only. */
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

/** Node's executable, which can print its environment as JSON. */
export interface NodeProgram {
  path: string
  /** Variables that make it run as plain Node. */
  env?: Readonly<Record<string, string>>
}

/**
 * The arguments that make a shell read all of its startup files, as in a new terminal, and print its environment
 * between two markers. The scripts need no escaping, so one form works in every shell. Without Node, `env -0` prints
 * the environment; with Node, both run, in case one fails.
 */
function shellArguments(shell: string, node: NodeProgram | undefined, marker: string): string[] {
  const kind = kindOf(shell)
  const run = (...words: string[]): string => CALL[kind] + words.map((word) => quoted(kind, word)).join(' ')
  const print = [
    ...(node ? [run(node.path, '-p', `/${marker}/.source+JSON.stringify(process.env)+/${marker}/.source`)] : []),
    run('/bin/sh', '-c', `printf ${marker}; env -0; printf ${marker}`),
  ].join('; ')
  if (kind === 'powershell') return ['-Login', '-Command', print]
  // A C shell accepts -l only as its single argument.
  if (kind === 'csh') return ['-i', '-c', print]
  return ['-i', '-l', '-c', print]
}

type Kind = 'posix' | 'fish' | 'nushell' | 'powershell' | 'csh'

/** Prefix for calling a program with a quoted name. */
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
