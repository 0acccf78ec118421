import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { statSync } from 'node:fs'
import { errorText } from '../../../shared/error-text'
import { failureOf } from '../../../shared/errors'
import type { SandboxPolicy } from '../sandbox/sandbox-policy'
import { wrapCommand, type WrappedCommand } from '../sandbox/bubblewrap/wrap-command'
import { SUPERVISOR_VARIABLE, supervisorTag, TASK_VARIABLE } from '../process/process-tag'
import { findShell, withoutStartupFile } from '../process/find-shell'
import { hasExited, killProcessTree, killWindowsProcessTree } from '../process/kill/kill-process-tree'
import { spawnedOrThrow } from '../process/spawn'
import { tagRoot } from '../process/windows-process-table'

export interface HookStart {
  command: string
  cwd: string
  env: Record<string, string>
  home: string
  /** Its sandbox; absent: unsandboxed. */
  sandbox?: SandboxPolicy
  /** Marks everything it starts, like a task's id. */
  tagId: string
  /** Its input on stdin. */
  input: string
  timeoutMs: number
  /** Maximum bytes of stdout that are kept as its answer. */
  answerBytes: number
  signal: AbortSignal
  /** Called with everything it prints, as it arrives. */
  onOutput?(bytes: Buffer): void
}

/** How a command ended, with its output. */
export interface HookEnd {
  exitCode?: number
  /** Set if it was killed. */
  cut?: 'timed_out' | 'stopped'
  /** Why it could not be run or was killed by a signal, as a sentence. */
  problem?: string
  /**
   * It was not run because its sandbox could not be made for the project as it is, or because it could not be started.
   * A command can cause that on purpose: with a link in place of a protected file, by moving folders meanwhile, by
   * making the project unreadable, or by using up all processes.
   */
  wasKeptOut?: true
  stdout: string
  /** Whether it printed more than the bytes kept as its answer. */
  stdoutCut: boolean
  stderr: string
  output: string
  cutBytes: number
}

/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 1_000
/** How long to wait for output after the exit if a background process holds the pipes open. */
const DRAIN_MS = 250
/** How much of its stderr can become a reason. */
const REASON_BYTES = 16 * 1024
const SHOWN_BYTES = 32 * 1024

/**
 * Runs a hook's command with pipes, in its own session. `ended` never rejects, and resolves at the time limit at the
 * latest; `gone` resolves when all its processes have exited, including daemons.
 */
export function startHook(start: HookStart): { ended: Promise<HookEnd>; gone: Promise<void> } {
  const { command, cwd, home, tagId, signal } = start
  const shell = findShell({ platform: process.platform, env: process.env, isFile })
  if ('error' in shell) return { ended: Promise.resolve(notRun(shell.error)), gone: Promise.resolve() }
  const env = {
    ...start.env,
    PWD: cwd,
    TERM: 'dumb',
    [TASK_VARIABLE]: tagId,
    [SUPERVISOR_VARIABLE]: supervisorTag(home),
  }
  const args = [...withoutStartupFile(shell), '-c', command]
  let wrapped: WrappedCommand | undefined
  try {
    wrapped = start.sandbox && wrapCommand({ policy: start.sandbox, command: shell.path, args, cwd, env })
  } catch (error) {
    return { ended: Promise.resolve({ ...notRun(errorText(error)), wasKeptOut: true }), gone: Promise.resolve() }
  }
  const line = wrapped ?? { command: shell.path, args, env }
  let child: ChildProcessWithoutNullStreams
  try {
    child = spawnedOrThrow(
      spawn(line.command, line.args, {
        cwd,
        env: line.env,
        stdio: 'pipe',
        detached: process.platform !== 'win32',
        windowsHide: true,
      }),
    )
  } catch (error) {
    wrapped?.close()
    return {
      ended: Promise.resolve({ ...notRun(failureOf(error).message), wasKeptOut: true }),
      gone: Promise.resolve(),
    }
  }
  if (process.platform === 'win32') tagRoot(child.pid, tagId, env)
  const ending = Promise.withResolvers<Pick<HookEnd, 'exitCode' | 'cut' | 'problem' | 'wasKeptOut'>>()
  // Before its streams are accessed: without a free descriptor it has none.
  child.once('error', (error) => ending.resolve({ problem: error.message, wasKeptOut: true }))
  const stdout = new CappedOutput(start.answerBytes)
  const stderr = new CappedOutput(REASON_BYTES)
  const shown = new CappedOutput(SHOWN_BYTES)
  child.stdout.on('data', (bytes: Buffer) => {
    stdout.add(bytes)
    shown.add(bytes)
    start.onOutput?.(bytes)
  })
  child.stderr.on('data', (bytes: Buffer) => {
    stderr.add(bytes)
    shown.add(bytes)
    start.onOutput?.(bytes)
  })
  // A command may ignore its input or close a stream.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => {})
  child.stdin.end(start.input)

  const limit = setTimeout(() => ending.resolve({ cut: 'timed_out' }), start.timeoutMs)
  const stopped = (): void => ending.resolve({ cut: 'stopped' })
  if (signal.aborted) stopped()
  else signal.addEventListener('abort', stopped, { once: true })
  let drain: NodeJS.Timeout | undefined
  const exited = (code: number | null, by: NodeJS.Signals | null): void => {
    const problem = wrapped?.problem()
    if (problem !== undefined) ending.resolve({ problem, wasKeptOut: true })
    else ending.resolve(code === null ? { problem: `It was ended by ${by}.` } : { exitCode: code })
  }
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
    const rootPid = child.pid
    if (process.platform === 'win32' && rootPid !== undefined) {
      await killWindowsProcessTree({ taskId: tagId, rootPid, isRootGone: () => hasExited(child) }, GRACE_MS)
    } else if (rootPid !== undefined) {
      await killProcessTree(
        {
          taskId: tagId,
          shellPid: rootPid,
          shellOnlyWaits: false,
          isShellGone: () => hasExited(child),
          groups: () => [],
        },
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

/** Keeps at most the first `most` bytes of a stream. */
class CappedOutput {
  readonly #most: number
  readonly #chunks: Buffer[] = []
  #kept = 0
  #total = 0

  constructor(most: number) {
    this.#most = most
  }

  add(bytes: Buffer): void {
    this.#total += bytes.length
    const room = this.#most - this.#kept
    if (room <= 0) return
    // A copy of the part, so that the rest of its buffer can be freed.
    const piece = bytes.length > room ? Buffer.from(bytes.subarray(0, room)) : bytes
    this.#chunks.push(piece)
    this.#kept += piece.length
  }

  get text(): string {
    // Omits a partial character at the cut.
    return new TextDecoder().decode(Buffer.concat(this.#chunks), { stream: this.cutBytes > 0 })
  }

  get cutBytes(): number {
    return this.#total - this.#kept
  }
}
