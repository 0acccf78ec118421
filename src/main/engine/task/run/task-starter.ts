import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { errorText } from '../../../../shared/error-text'
import { findShell, type Shell } from '../../process/find-shell'
import type { SandboxPolicy } from '../../sandbox/sandbox-policy'
import type { Starter, TaskRunOptions } from '../running-process'
import { TaskRun } from './task-run'

export interface TaskStarterOptions {
  /** Between SIGTERM and SIGKILL; ms. */
  graceMs?: number
  /** How commands are started; default: in a terminal, or in pipes with a note if none can be opened. */
  starter?: () => Promise<{ starter: Starter; note?: string }>
  shell?: Shell
}

/** Between SIGTERM and SIGKILL. */
export const GRACE_MS = 5_000

/** The time limit of a command that was moved to the background. */
export const MOVED_LIMIT_MS = 600_000

/** Starts the tasks of one process and supervises them to their end. Loads and opens nothing before the first. */
export class TaskStarter {
  private readonly options: TaskStarterOptions
  private readonly runs = new Set<TaskRun>()
  private closed = false
  private starting: Promise<{ starter: Starter; note?: string }> | undefined
  private started: { starter: Starter; note?: string } | undefined
  private shell: Shell | undefined

  constructor(options: TaskStarterOptions = {}) {
    this.options = options
    this.shell = options.shell
  }

  /** Rejects if there is no shell, or after `close`. */
  async start(options: Omit<TaskRunOptions, 'shell' | 'starter' | 'notes' | 'graceMs'>): Promise<TaskRun> {
    const { starter, note } = this.started ?? (await this.load())
    if (this.closed) throw new Error('Trestle is closing; no more commands can be started.')
    this.shell ??= shellOfThisMachine()
    const run: TaskRun = new TaskRun({
      ...options,
      graceMs: this.options.graceMs ?? GRACE_MS,
      shell: this.shell.path,
      starter,
      notes: [note, this.shell.note].filter((each) => each !== undefined),
      onGone: () => {
        this.runs.delete(run)
        options.onGone?.()
      },
    })
    this.runs.add(run)
    return run
  }

  warm(env: () => Record<string, string>, sandbox?: SandboxPolicy): void {
    // The start reports the failure.
    void this.load()
      .then(({ starter }) => this.closed || starter.warm(env, sandbox))
      .catch(() => {})
  }

  /** Stops everything still running, including what ended commands left behind, and waits for it. */
  async close(): Promise<void> {
    this.closed = true
    await Promise.all([...this.runs].map((run) => run.close()))
    await this.starting?.catch(() => undefined)
    this.started?.starter.close()
  }

  private load(): Promise<{ starter: Starter; note?: string }> {
    this.starting ??= (this.options.starter ?? defaultStarter)().then((found) => (this.started = found))
    return this.starting
  }
}

/** `bash-` and 8 of [0-9a-z]. */
export function newTaskId(): string {
  let id = ''
  while (id.length < 8) {
    // 252 = 7 * 36: every character is equally likely.
    for (const byte of randomBytes(12)) if (byte < 252 && id.length < 8) id += (byte % 36).toString(36)
  }
  return `bash-${id}`
}

/** Throws, with a message for the user, if there is no shell. */
export function shellOfThisMachine(): Shell {
  const found = findShell({ platform: process.platform, env: process.env, isFile })
  if ('error' in found) throw new Error(found.error)
  return found
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

async function defaultStarter(): Promise<{ starter: Starter; note?: string }> {
  try {
    if (process.platform === 'win32')
      return { starter: await (await import('../windows/start-on-windows')).windowsStarter() }
    return { starter: await (await import('../pty/start-in-terminal')).terminalStarter() }
  } catch (error) {
    const reason = errorText(error)
    const note = `No terminal could be opened (${reason}), so the command ran with plain pipes.`
    return { starter: (await import('../start-in-pipes')).pipeStarter, note }
  }
}
