import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { CodedError } from '../../../../shared/model/errors'
import { describeSandbox } from '../../../../shared/model/sandbox'
import type { SandboxPolicy } from '../../sandbox/sandbox-policy'
import type { CommandToWrap, WrappedCommand } from '../../sandbox/wrap-command'
import { CUSTODY_MARK, custodyMark, SERVER_MARK, TASK_MARK } from '../../task/custody-mark'
import { hasExited } from '../../task/session-processes'
import { startedChild } from '../../task/started-child'
import { stopSession } from '../../task/stop-session'
import { stopTree } from '../../task/windows/stop-tree'
import { markRoot } from '../../task/windows/windows-process-table'
import { watchGroup } from './watchdog'
import { windowsCommand } from './windows-command'

/** What is run: `env` is the whole environment of the process. */
export interface ServerCommand {
  /** Whose home the process is marked with. */
  home: string
  command: string
  args: readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
  /** What it runs in; absent: no sandbox. */
  sandbox?: SandboxPolicy
}

/** A server's process, at the head of a process group and session of its own, with pipes to it. */
export interface ServerProcess {
  readonly child: ChildProcess
  readonly pid: number
  /** How it ended; undefined as long as it runs. */
  ending(): string | undefined
  /** Ends it and everything it has started, wherever that went: closes its input, then SIGTERM, then SIGKILL. Takes under 4 s. */
  stop(): Promise<void>
}

/** A server that ends when its input does is given so long to. */
const BY_ITSELF_MS = 700
/** Between SIGTERM and SIGKILL. */
const GRACE_MS = 1500

/** Starts a server. Throws a `CodedError` that says what is missing. */
export async function startServerProcess({ home, command, args, cwd, env, sandbox }: ServerCommand): Promise<ServerProcess> {
  if (!isFolder(cwd)) throw new CodedError('mcp.start', `It runs in ${cwd}, which is not a folder.`)
  const mark = `${SERVER_MARK}${randomBytes(8).toString('hex')}`
  const marked = { ...env, [TASK_MARK]: mark, [CUSTODY_MARK]: custodyMark(home) }
  const wrapped = sandbox && (await wrap({ policy: sandbox, command, args, cwd, env: marked }))
  const plain = process.platform === 'win32' ? windowsCommand(command, args) : { command, args, verbatim: false }
  const line = wrapped ? { ...wrapped, verbatim: false } : plain
  const child = startOrSay(command, wrapped?.close, () =>
    spawn(line.command, line.args, {
      cwd,
      env: wrapped?.env ?? marked,
      stdio: ['pipe', 'pipe', 'pipe'],
      // A group of its own; on Windows that would be a console window of its own.
      detached: process.platform !== 'win32',
      windowsHide: true,
      windowsVerbatimArguments: line.verbatim,
    }),
  )
  // Whatever becomes of the pipes, the end of the process says it.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined)
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (error: NodeJS.ErrnoException) => {
      wrapped?.close()
      reject(new CodedError('mcp.start', whyNot(command, error), { cause: error }))
    })
  })
  const pid = child.pid!
  if (process.platform === 'win32') markRoot(pid, mark, marked)
  const unwatch = watchGroup(pid)
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  let stopping: Promise<void> | undefined

  async function stop(): Promise<void> {
    child.stdin.end()
    if (!hasExited(child)) await Promise.race([exited, after(BY_ITSELF_MS)])
    if (process.platform === 'win32') await stopTree({ taskId: mark, leader: pid, leaderIsGone: () => hasExited(child) }, GRACE_MS)
    else {
      const leader = { leader: pid, leaderOnlyWaits: false, leaderIsGone: () => hasExited(child), groups: () => [] }
      await stopSession({ taskId: mark, ...leader }, GRACE_MS)
    }
    unwatch()
    wrapped?.close()
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
  }

  return {
    child,
    pid,
    ending() {
      if (child.signalCode !== null) return `it was ended by ${child.signalCode}`
      if (child.exitCode === null) return undefined
      const where = sandbox && child.exitCode !== 0 ? `, in the sandbox (${describeSandbox(sandbox)})` : ''
      return `it exited with code ${child.exitCode}${where}`
    },
    stop: () => (stopping ??= stop()),
  }
}

/** A program that is not there is told of as it would be outside; what else it needs, it finds in the sandbox or not. */
async function wrap(command: CommandToWrap): Promise<WrappedCommand> {
  const { wrapCommand } = await import('../../sandbox/wrap-command')
  const { command: program, cwd, env } = command
  const places = program.includes('/')
    ? [resolve(cwd, program)]
    : (env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, program))
  if (!places.some((path) => existsSync(path)))
    throw new CodedError('mcp.start', whyNot(program, Object.assign(new Error('not found'), { code: 'ENOENT' })))
  try {
    return wrapCommand(command)
  } catch (error) {
    throw new CodedError('mcp.start', error instanceof Error ? error.message : String(error), { cause: error })
  }
}

function whyNot(command: string, error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return `The program ${command} was not found. Install it, or give its full path.`
  if (error.code === 'EACCES') return `${command} may not be run: it is no program, or its permissions forbid it.`
  return `${command} could not be started: ${error.message}.`
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** The start itself, with a failure as a `CodedError`. */
function startOrSay<Child extends ChildProcess>(command: string, close: (() => void) | undefined, start: () => Child): Child {
  try {
    return startedChild(start())
  } catch (error) {
    close?.()
    throw new CodedError('mcp.start', whyNot(command, error as NodeJS.ErrnoException), { cause: error })
  }
}
