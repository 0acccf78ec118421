import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { failureOf } from '../../../shared/model/errors'
import type { SandboxPolicy } from '../sandbox/sandbox-policy'
import { wrapCommand } from '../sandbox/wrap-command'
import { CUSTODY_MARK, custodyMark, TASK_MARK } from '../task/custody-mark'
import { findShell } from '../task/find-shell'
import { hasExited } from '../task/session-processes'
import { startedChild } from '../task/started-child'
import { stopSession } from '../task/stop-session'
import { stopTree } from '../task/windows/stop-tree'
import { markRoot } from '../task/windows/windows-process-table'
import { KeptOutput } from './kept-output'

export interface HookStart {
  command: string
  cwd: string
  env: Record<string, string>
  home: string
  /** What it runs in; absent: no sandbox. */
  sandbox?: SandboxPolicy
  /** Marks everything it starts, as a task's id does. */
  markId: string
  /** What it gets on its stdin. */
  input: string
  timeoutMs: number
  /** Most bytes of its stdout that are kept as its answer. */
  answerBytes: number
  signal: AbortSignal
}

/** How a command ended, and what it printed. */
export interface HookEnd {
  exitCode?: number
  /** Set when it did not end by itself. */
  cut?: 'timed_out' | 'stopped'
  /** Why it could not be run, or was ended by a signal; a sentence. */
  problem?: string
  stdout: string
  /** Whether it printed more than is kept as its answer. */
  stdoutCut: boolean
  stderr: string
  output: string
  cutBytes: number
}

/** Between SIGTERM and SIGKILL. */
const GRACE_MS = 1_000
/** How long output is waited for after the exit, when something it left in the background holds the pipes. */
const DRAIN_MS = 250
/** What of its stderr can become a reason. */
const REASON_BYTES = 16 * 1024
const SHOWN_BYTES = 32 * 1024

/**
 * Runs a hook's command in pipes, in a session of its own. `ended` never rejects, and comes at the time limit whatever the command does;
 * `gone` resolves when nothing of it is left, daemons included.
 */
export function startHook(start: HookStart): { ended: Promise<HookEnd>; gone: Promise<void> } {
  const { command, cwd, home, markId, signal } = start
  const shell = findShell({ platform: process.platform, env: process.env, isFile })
  if ('error' in shell) return { ended: Promise.resolve(notRun(shell.error)), gone: Promise.resolve() }
  const env = { ...start.env, PWD: cwd, TERM: 'dumb', [TASK_MARK]: markId, [CUSTODY_MARK]: custodyMark(home) }
  const wrapped = start.sandbox && wrapCommand({ policy: start.sandbox, command: shell.path, args: ['-c', command], cwd, env })
  const line = wrapped ?? { command: shell.path, args: ['-c', command], env }
  const spawned = spawn(line.command, line.args, {
    cwd,
    env: line.env,
    stdio: 'pipe',
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
  let child: typeof spawned
  try {
    child = startedChild(spawned)
  } catch (error) {
    wrapped?.close()
    return { ended: Promise.resolve(notRun(`It could not be run: ${failureOf(error).message}`)), gone: Promise.resolve() }
  }
  if (process.platform === 'win32') markRoot(child.pid, markId, env)
  const ending = Promise.withResolvers<Pick<HookEnd, 'exitCode' | 'cut' | 'problem'>>()
  // Before its streams are touched: without a free descriptor it has none.
  child.once('error', (error) => ending.resolve({ problem: `It could not be run: ${error.message}` }))
  const stdout = new KeptOutput(start.answerBytes)
  const stderr = new KeptOutput(REASON_BYTES)
  const shown = new KeptOutput(SHOWN_BYTES)
  child.stdout.on('data', (bytes: Buffer) => {
    stdout.add(bytes)
    shown.add(bytes)
  })
  child.stderr.on('data', (bytes: Buffer) => {
    stderr.add(bytes)
    shown.add(bytes)
  })
  // Who does not read its input, or closes a stream, may.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => {})
  child.stdin.end(start.input)

  const limit = setTimeout(() => ending.resolve({ cut: 'timed_out' }), start.timeoutMs)
  const stopped = (): void => ending.resolve({ cut: 'stopped' })
  if (signal.aborted) stopped()
  else signal.addEventListener('abort', stopped, { once: true })
  let drain: NodeJS.Timeout | undefined
  const exited = (code: number | null, by: NodeJS.Signals | null): void =>
    ending.resolve(code === null ? { problem: `It was ended by ${by}.` } : { exitCode: code })
  child.once('exit', (code, by) => (drain = setTimeout(() => exited(code, by), DRAIN_MS)))
  child.once('close', exited)

  const ended = ending.promise.then((end): HookEnd => {
    clearTimeout(limit)
    clearTimeout(drain)
    signal.removeEventListener('abort', stopped)
    return {
      ...end,
      stdout: stdout.text,
      stdoutCut: stdout.cutBytes > 0,
      stderr: stderr.text,
      output: shown.text,
      cutBytes: shown.cutBytes,
    }
  })
  const clear = async (): Promise<void> => {
    await ended
    const leader = child.pid
    if (process.platform === 'win32' && leader !== undefined) {
      await stopTree({ taskId: markId, leader, leaderIsGone: () => hasExited(child) }, GRACE_MS)
    } else if (leader !== undefined) {
      await stopSession(
        { taskId: markId, leader, leaderOnlyWaits: false, leaderIsGone: () => hasExited(child), groups: () => [] },
        GRACE_MS,
      )
    }
    wrapped?.close()
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
  }
  return { ended, gone: clear() }
}

function notRun(problem: string): HookEnd {
  return { problem, stdout: '', stdoutCut: false, stderr: '', output: '', cutBytes: 0 }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}
