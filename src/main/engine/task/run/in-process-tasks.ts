import { join } from 'node:path'
import { errorText } from '../../../../shared/error-text'
import type { Task, TaskOutputPage } from '../../../../shared/model/task/task'
import { identityOf } from '../../process/process-identity'
import type { TaskSettings } from '../../config/agent-settings/session-settings'
import { readOutput } from '../output/log-files'
import type { TaskSupervisor, TerminalTasks } from '../task-supervisor'
import { writeRecord } from '../task-record'
import type { TaskRun } from './task-run'
import { SUPERVISOR_VARIABLE, supervisorTag } from '../../process/process-tag'
import { MOVED_LIMIT_MS, newTaskId, TaskStarter, type TaskStarterOptions } from './task-starter'

const PROGRAM_ENDED = 'The program that ran it has ended.'

/** Commands of this process that were moved to the background at their time limit. They end with it. */
export class InProcessTasks {
  private readonly runs = new Map<string, TaskRun>()
  private readonly listeners = new Set<(task: Task) => void>()
  private readonly home: string
  private readonly log: (message: string) => void

  constructor({ home, log }: { home: string; log: (message: string) => void }) {
    this.home = home
    this.log = log
  }

  /** Takes over a command that no call is waiting for anymore. */
  take(run: TaskRun): void {
    this.runs.set(run.task().taskId, run)
    this.changed(run)
    run.over().then(
      () => this.changed(run),
      () => this.changed(run),
    )
  }

  has(taskId: string): boolean {
    return this.runs.has(taskId)
  }

  task(taskId: string): Task | undefined {
    return this.runs.get(taskId)?.task()
  }

  list(): Task[] {
    return [...this.runs.values()].map((run) => run.task())
  }

  async output(taskId: string, page: { before?: number; bytes: number }): Promise<TaskOutputPage> {
    const { log } = this.runs.get(taskId)!
    await log.flushed()
    return readOutput(log.path, page)
  }

  async wait(taskId: string, ms: number, signal?: AbortSignal): Promise<{ task: Task; ended: boolean }> {
    const run = this.runs.get(taskId)!
    const passed = Promise.withResolvers<void>()
    const timer = setTimeout(passed.resolve, Math.min(ms, 2 ** 31 - 1))
    signal?.addEventListener('abort', () => passed.resolve(), { once: true })
    if (signal?.aborted) passed.resolve()
    await Promise.race([run.over().catch(() => undefined), passed.promise])
    clearTimeout(timer)
    return { task: run.task(), ended: run.isOver }
  }

  async stop(taskId: string, reason?: string): Promise<Task> {
    const run = this.runs.get(taskId)!
    await run.stop(reason)
    return run.task()
  }

  onChange(listener: (task: Task) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Stops what is still running. */
  async close(): Promise<void> {
    await Promise.all([...this.runs.values()].filter((run) => !run.isOver).map((run) => run.stop(PROGRAM_ENDED)))
  }

  /** Recorded first, so that a later process can tell the session how the task ended even if this one is killed. */
  private changed(run: TaskRun): void {
    const task = run.task()
    try {
      writeRecord(this.home, { version: 1, task, host: identityOf(process.pid) })
    } catch (error) {
      this.log(`the record of ${task.taskId} could not be written: ${errorText(error)}`)
    }
    for (const listener of this.listeners) listener(task)
  }
}

/** Runs commands in this process; at the time limit they move to the background if the settings say so. */
export function inProcessTerminals(
  own: InProcessTasks,
  { home, env, settings }: { home: string; env: () => Record<string, string>; settings: () => TaskSettings },
): TerminalTasks {
  return createTerminalTasks({
    outputDir: join(home, 'tasks'),
    home,
    env,
    logBytes: () => settings().logBytes,
    atTimeLimit: { moves: () => settings().atTimeLimit === 'background', take: (run) => own.take(run) },
  })
}

function isRunning({ status }: Task): boolean {
  return status === 'running'
}

/** Combines the tasks of a home with those of this process, so that callers need not know the difference. */
export function withInProcessTasks(supervisor: TaskSupervisor, own: InProcessTasks): TaskSupervisor {
  return {
    terminals: supervisor.terminals,
    start: (start) => supervisor.start(start),
    async list(filter) {
      const { activeOnly = false, limit, sessionId } = filter
      const others = (await supervisor.list(filter)).filter(({ taskId }) => !own.has(taskId))
      const mine = own
        .list()
        .filter((task) => (!activeOnly || isRunning(task)) && (sessionId === undefined || task.sessionId === sessionId))
      if (mine.length === 0) return others
      return [...mine, ...others]
        .toSorted((a, b) => Number(isRunning(b)) - Number(isRunning(a)) || b.startedAt - a.startedAt)
        .slice(0, limit)
    },
    get: async (taskId) => own.task(taskId) ?? supervisor.get(taskId),
    output: (taskId, page) => (own.has(taskId) ? own.output(taskId, page) : supervisor.output(taskId, page)),
    wait: (taskId, ms, signal) =>
      own.has(taskId) ? own.wait(taskId, ms, signal) : supervisor.wait(taskId, ms, signal),
    stop: (taskId, reason) => (own.has(taskId) ? own.stop(taskId, reason) : supervisor.stop(taskId, reason)),
    async stopAll(filter) {
      const mine = own
        .list()
        .filter((task) => isRunning(task) && (filter.sessionId === undefined || task.sessionId === filter.sessionId))
      await Promise.all(mine.map(({ taskId }) => own.stop(taskId, 'All tasks were stopped.')))
      const { stopped } = await supervisor.stopAll(filter)
      return { stopped: stopped + mine.length }
    },
    input: (taskId, data) => supervisor.input(taskId, data),
    moveToBackground: async (taskId) => own.task(taskId) ?? supervisor.moveToBackground(taskId),
    orphans: () => supervisor.orphans(),
    killOrphans: (pids) => supervisor.killOrphans(pids),
    watch: (taskId, listener) => supervisor.watch(taskId, listener),
    watchUsage: (listener) => supervisor.watchUsage(listener),
    onChange(listener) {
      const stops = [own.onChange(listener), supervisor.onChange(listener)]
      return () => stops.forEach((stop) => stop())
    },
    onRemoved: (listener) => supervisor.onRemoved(listener),
    onNotice: (listener) => supervisor.onNotice(listener),
    async close(background) {
      await own.close()
      await supervisor.close(background)
    },
  }
}

export interface TerminalTasksOptions extends TaskStarterOptions {
  /** Folder of the output files; created on demand. */
  outputDir: string
  /** The environment of commands, see `commandEnv`. Called at every start, so that changed settings apply. */
  env: () => Record<string, string>
  /**
   * Real path of the home the commands belong to; recorded in their environment, so that processes left by a crash are
   * found.
   */
  home?: string
  /** Maximum bytes of a log; called at every start. */
  logBytes?: () => number
  /** Takes over a command at its time limit if `moves()`; called at every start. Absent: the command is stopped. */
  atTimeLimit?: { moves(): boolean; take(run: TaskRun): void }
}

/** Runs commands in terminals of this process. See `TerminalTasks`. */
export function createTerminalTasks(options: TerminalTasksOptions): TerminalTasks {
  const { home } = options
  const starter = new TaskStarter(options)
  let tag: Record<string, string> | undefined
  const env = (): Record<string, string> => {
    tag ??= home === undefined ? {} : { [SUPERVISOR_VARIABLE]: supervisorTag(home) }
    return { ...options.env(), ...tag }
  }
  return {
    async run(start, maxChars) {
      const taskId = newTaskId()
      const moves = options.atTimeLimit?.moves() === true
      const run = await starter.start({
        taskId,
        ...(moves && { moveAtLimit: { limitMs: MOVED_LIMIT_MS } }),
        start,
        maxChars,
        env: env(),
        outputPath: join(options.outputDir, `${taskId}.log`),
        ...(options.logBytes && { logBytes: options.logBytes() }),
      })
      const end = await run.ended()
      if (moves && end.moved !== undefined) options.atTimeLimit?.take(run)
      return end
    },
    warm: (sandbox) => starter.warm(env, sandbox),
    close: () => starter.close(),
  }
}
