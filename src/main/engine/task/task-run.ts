import type { Task, TaskStatus } from '../../../shared/model/task'
import { LiveOutput } from './live-output'
import { OutputLog } from './output-log'
import { outputText } from './output-text'
import type { ExitStatus, RunningProcess, Starter } from './running-process'
import type { TaskEnd, TaskStart } from './terminal-tasks'

/** How long output is waited for after the exit of the command, when something it left in the background holds the terminal. */
const DRAIN_MS = 250
/** The same while the disk is behind: then output of the command itself is still to come. */
const SLOW_DRAIN_MS = 5_000
/** The same once it was stopped: nobody waits for what it says then. */
const STOPPED_DRAIN_MS = 50
/** After an abort the caller has its answer by then, whatever the command does. */
const ABORT_ANSWER_MS = 250

export interface TaskRunOptions {
  taskId: string
  start: TaskStart
  maxChars: number
  graceMs: number
  shell: string
  env: Record<string, string>
  outputPath: string
  starter: Starter
  notes: readonly string[]
  /** Nothing of the task is left: no process, no open file. */
  onGone: () => void
}

/**
 * One command from its start to its end, and beyond: `ended` is about the command, the object lives until nothing of it is left. The end is
 * when the command has exited and its terminal is drained, or when one of the limits above has passed.
 */
export class TaskRun {
  private readonly options: TaskRunOptions
  private readonly startedAt = Date.now()
  private readonly clock = performance.now()
  private readonly log: OutputLog
  private readonly live: LiveOutput | undefined
  private readonly end = Promise.withResolvers<TaskEnd>()
  private readonly drained = Promise.withResolvers<void>()
  private readonly timers = new Set<NodeJS.Timeout>()
  private process: RunningProcess | undefined
  private status: TaskStatus = 'running'
  private exit: ExitStatus | undefined
  private isDrained = false
  private paused = false
  private settled = false
  private left = false
  /** The stop under way, to its very end. */
  private stopping: Promise<void> | undefined

  constructor(options: TaskRunOptions) {
    this.options = options
    const { start } = options
    this.log = new OutputLog(options.outputPath, () => this.resume())
    if (start.onOutput) this.live = new LiveOutput(this.log, start.onOutput)
    if (start.signal.aborted) {
      this.status = 'stopped'
      this.onEnd()
      this.settle()
    } else this.begin()
  }

  ended(): Promise<TaskEnd> {
    return this.end.promise
  }

  /** Ends it whatever it does, and waits until nothing is left. */
  async close(): Promise<void> {
    if (this.exit === undefined && this.status === 'running') this.status = 'stopped'
    await this.stop()
    // What it printed last is still worth having.
    await Promise.race([
      this.end.promise.catch(() => {}),
      this.drained.promise,
      new Promise((resolve) => this.after(DRAIN_MS, () => resolve(undefined))),
    ])
    this.settle()
    await this.end.promise.catch(() => {})
    await this.leave()
  }

  private begin(): void {
    const { shell, env, start, starter, taskId } = this.options
    const { signal, timeoutMs } = start
    try {
      this.process = starter.start(
        { shell, env, taskId, command: start.command, cwd: start.cwd },
        {
          data: (bytes) => this.onData(bytes),
          exit: (status) => this.onExit(status),
          end: () => this.onEnd(),
          error: (error) => this.onError(error),
        },
      )
    } catch (error) {
      this.onError(error instanceof Error ? error : new Error(String(error)))
      return
    }
    signal.addEventListener('abort', this.onAbort, { once: true })
    if (timeoutMs !== null) this.after(timeoutMs, () => this.onTimeout())
  }

  private onData(bytes: Uint8Array): boolean {
    if (this.left) return true
    const room = this.log.append(bytes)
    this.live?.changed()
    this.paused = !room
    return room
  }

  private resume(): void {
    this.paused = false
    this.process?.resume()
  }

  private onExit(status: ExitStatus): void {
    this.exit = status
    if (this.isDrained) this.settle()
    else this.after(this.status === 'running' ? DRAIN_MS : STOPPED_DRAIN_MS, () => this.onDrainTimeout(performance.now() + SLOW_DRAIN_MS))
  }

  private onDrainTimeout(patience: number): void {
    if (this.paused && this.status === 'running' && performance.now() < patience) this.after(DRAIN_MS, () => this.onDrainTimeout(patience))
    else this.settle()
  }

  private onEnd(): void {
    this.isDrained = true
    this.drained.resolve()
    if (this.exit) this.settle()
  }

  private readonly onAbort = (): void => {
    if (this.settled || this.status !== 'running') {
      if (!this.settled) this.after(ABORT_ANSWER_MS, () => this.settle())
      return
    }
    this.status = 'stopped'
    void this.stop()
    this.after(ABORT_ANSWER_MS, () => this.settle())
  }

  private onTimeout(): void {
    if (this.status !== 'running' || this.exit) return
    this.status = 'timed_out'
    void this.stop()
  }

  private onError(error: Error): void {
    if (this.settled) return
    this.settled = true
    this.end.reject(error)
    void this.leave()
  }

  private stop(): Promise<void> {
    // Something that even SIGKILL does not end is given up: the answer must come.
    this.stopping ??= (this.process?.stop(this.options.graceMs) ?? Promise.resolve()).then(() => this.after(DRAIN_MS, () => this.settle()))
    return this.stopping
  }

  private after(ms: number, action: () => void): void {
    if (this.left) return
    const timer = setTimeout(() => {
      this.timers.delete(timer)
      action()
    }, ms)
    this.timers.add(timer)
  }

  private settle(): void {
    if (this.settled) return
    this.settled = true
    this.live?.stop()
    this.options.start.signal.removeEventListener('abort', this.onAbort)
    for (const timer of this.timers) clearTimeout(timer)
    this.timers.clear()
    void this.answer()
  }

  private async answer(): Promise<void> {
    const durationMs = Math.round(performance.now() - this.clock)
    const endedAt = Date.now()
    if (this.status === 'running') this.status = this.exit?.exitCode === 0 ? 'completed' : 'failed'
    const byItself = this.status === 'completed' || this.status === 'failed'
    const flushed = this.log.flushed()
    // A stop is answered at once, however slow the disk is.
    if (this.status !== 'stopped') await flushed
    const leftRunning = byItself && this.process ? await this.process.leftRunning() : []
    this.end.resolve({
      ...this.text(),
      task: this.task(endedAt),
      durationMs,
      leftRunning,
      notes: [...this.options.notes, ...(this.log.problem === undefined ? [] : [this.log.problem])],
    })
    if (this.stopping) await this.stopping
    else if (!this.isDrained) await this.drained.promise
    else if (leftRunning.length > 0) {
      // In custody until `close`; its output goes elsewhere.
      await this.log.close()
      return
    }
    await this.leave()
  }

  private text(): Pick<TaskEnd, 'text' | 'totalChars' | 'truncated'> {
    const { path, problem, total } = this.log
    const where = problem === undefined ? `All of it: ${path}` : `${path} has part of it`
    return outputText(this.log.kept(), total, this.options.maxChars, where)
  }

  private task(endedAt: number): Task {
    const { taskId, start, outputPath } = this.options
    const { command, cwd, description } = start
    const pid = this.process?.pid
    return {
      taskId,
      command,
      cwd,
      status: this.status,
      startedAt: this.startedAt,
      endedAt,
      outputPath,
      outputBytes: this.log.total,
      ...(description !== undefined && { description }),
      ...(pid !== undefined && { pid }),
      ...this.exit,
    }
  }

  /** Lets go of everything. */
  private async leave(): Promise<void> {
    if (this.left) return
    this.left = true
    for (const timer of this.timers) clearTimeout(timer)
    this.process?.release()
    await this.log.close()
    this.options.onGone()
  }
}
