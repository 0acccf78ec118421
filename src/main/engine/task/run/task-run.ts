import type { Task, TaskStatus } from '../../../../shared/model/task/task'
import { LiveOutput, OutputLog } from '../output/output-log'
import { outputText } from '../output/output-text'
import { type RunningProcess, startedTask, type TaskRunOptions } from '../running-process'
import { TimeLimit, Timers } from './task-timers'
import type { TaskEnd } from '../task-supervisor'
import { InputWait } from './input-wait'
import type { ExitStatus } from '../../process/shell-process'

/** How long to wait for output after the command has exited while a background process holds the terminal. */
const DRAIN_MS = 250
/** The same while the disk is behind, or a filter of the output is working. */
const SLOW_DRAIN_MS = 5_000
/** The same after a stop, when no call needs the rest of the output. */
const STOPPED_DRAIN_MS = 50
/** After an abort the call returns within this time, whatever the command does. */
const ABORT_ANSWER_MS = 250

/**
 * One command from start to end, and beyond: `ended` is the result of the call that waits for it, `over` concerns the
 * command itself, and the object lives until all its processes are gone. A command has ended when it has exited and its
 * terminal is drained, or when one of the limits above has passed.
 */
export class TaskRun {
  readonly log: OutputLog
  private readonly options: TaskRunOptions
  private readonly startedAt = Date.now()
  private readonly clock = performance.now()
  private readonly live: LiveOutput | undefined
  private readonly end = Promise.withResolvers<TaskEnd>()
  private readonly overWith = Promise.withResolvers<Task>()
  private readonly drained = Promise.withResolvers<void>()
  private readonly timers = new Timers()
  private readonly limit = new TimeLimit(() => this.onTimeout())
  private readonly inputWait: InputWait
  private process: RunningProcess | undefined
  private status: TaskStatus = 'running'
  private stopReason: string | undefined
  private endedAt: number | undefined
  private limitMs: number | null
  private exit: ExitStatus | undefined
  private background: boolean
  private isDrained = false
  private paused = false
  private settled = false
  private left = false
  /** The stop in progress, until nothing is left. */
  private stopping: Promise<void> | undefined

  constructor(options: TaskRunOptions) {
    this.options = options
    const { start, logBytes, background = false } = options
    this.background = background
    this.limitMs = start.timeoutMs
    this.log = new OutputLog(options.outputPath, {
      onWritable: () => this.resume(),
      keepsHead: !background,
      ...(logBytes !== undefined && { maxBytes: logBytes }),
    })
    this.inputWait = new InputWait(
      this.log,
      () => this.process?.pid,
      () => this.onInputWait(),
    )
    // A caller that ignores one of the two need not handle its rejection.
    this.overWith.promise.catch(() => {})
    this.end.promise.catch(() => {})
    if (start.onOutput) this.live = new LiveOutput(this.log, start.onOutput)
    if (start.signal.aborted) {
      this.status = 'stopped'
      this.onEnd()
      this.settle()
    } else this.begin()
  }

  /** The result for the call: the end, or the progress when it was moved to the background. */
  ended(): Promise<TaskEnd> {
    return this.end.promise
  }

  /** The command is over. Rejects if it could not be started. */
  over(): Promise<Task> {
    return this.overWith.promise
  }

  get isOver(): boolean {
    return this.endedAt !== undefined
  }

  /** No call waits for its output. */
  get isInBackground(): boolean {
    return this.background
  }

  /** All its processes are gone. */
  get isGone(): boolean {
    return this.left
  }

  task(): Task {
    const pid = this.process?.pid
    const { newestPath, problem, total } = this.log
    return {
      ...startedTask(this.options),
      status: this.endedAt === undefined ? 'running' : this.status,
      startedAt: this.startedAt,
      outputBytes: total,
      background: this.background,
      ...(pid !== undefined && { pid }),
      ...(this.limitMs !== null && { timeoutMs: this.limitMs }),
      ...(this.stopReason !== undefined && { stopReason: this.stopReason }),
      ...(newestPath !== undefined && { newestPath }),
      ...(problem !== undefined && { problem }),
      ...this.inputWait.state,
      ...(this.endedAt !== undefined && { endedAt: this.endedAt, ...this.exit }),
    }
  }

  /** Passes on what the user types. */
  write(data: string): void {
    this.process?.write(data)
    this.inputWait.typed()
  }

  /** Resolves `ended` for the call that waits, and keeps running for `limitMs` more (`null`: no limit). */
  moveToBackground(limitMs: number | null, moved: 'by_user' | 'at_time_limit'): void {
    if (this.background || this.settled || this.status !== 'running') return
    this.background = true
    this.limitMs = limitMs
    this.limit.start(limitMs)
    this.live?.stop()
    this.options.start.signal.removeEventListener('abort', this.onAbort)
    this.end.resolve({ ...this.text(), ...this.about([]), moved })
    this.options.onChange?.()
  }

  /** Stops everything it started, by force after `graceMs`; resolves when nothing is left. */
  async stop(reason?: string, graceMs = this.options.graceMs): Promise<void> {
    if (this.status === 'running' && !this.exit) {
      this.status = 'stopped'
      this.stopReason = reason
      this.options.onChange?.()
    }
    await this.endProcesses(graceMs)
    await this.overWith.promise.catch(() => {})
  }

  /** Releases it once it is over and nothing it left behind is running. */
  async release(): Promise<void> {
    if (this.isOver && !this.stopping) await this.leave()
  }

  /** Ends it unconditionally, and waits until nothing is left. */
  async close(): Promise<void> {
    if (this.exit === undefined && this.status === 'running') this.status = 'stopped'
    await this.endProcesses()
    // Its last output is still worth having.
    await Promise.race([
      this.overWith.promise.catch(() => {}),
      this.drained.promise,
      new Promise((resolve) => this.timers.after(DRAIN_MS, () => resolve(undefined))),
    ])
    this.settle()
    await this.overWith.promise.catch(() => {})
    await this.leave()
  }

  private begin(): void {
    const { shell, env, start, starter, taskId } = this.options
    try {
      this.process = starter.start(
        {
          shell,
          env,
          taskId,
          command: start.command,
          cwd: start.cwd,
          background: this.background,
          ...(start.sandbox && { sandbox: start.sandbox }),
        },
        {
          started: () => this.options.onStarted?.(),
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
    start.signal.addEventListener('abort', this.onAbort, { once: true })
    this.limit.start(this.limitMs)
  }

  private onData(bytes: Uint8Array): boolean {
    if (this.left) return true
    const isWritable = this.log.append(bytes)
    this.inputWait.printed(bytes)
    this.live?.changed()
    this.options.onOutput?.()
    this.paused = !isWritable
    return isWritable
  }

  /** The time limit pauses while the user answers, but not in the background, where an answer may never come. */
  private onInputWait(): void {
    if (this.inputWait.isWaiting && this.options.start.canAnswer && !this.background) this.limit.pause()
    else this.limit.resume()
    this.options.onChange?.()
  }

  private resume(): void {
    this.paused = false
    this.process?.resume()
  }

  private onExit(status: ExitStatus): void {
    this.exit = status
    if (this.isDrained) this.settle()
    else
      this.timers.after(
        this.status === 'running' ? DRAIN_MS : STOPPED_DRAIN_MS,
        () => void this.onDrainTimeout(performance.now() + SLOW_DRAIN_MS),
      )
  }

  private async onDrainTimeout(patience: number): Promise<void> {
    // The command's own output is complete at its exit; from here on other processes have the terminal open.
    const waits = await this.isMoreOutputExpected(patience)
    if (this.settled) return
    if (waits) this.timers.after(DRAIN_MS, () => void this.onDrainTimeout(patience))
    else this.settle()
  }

  /** Output of a filter (`> >(sort)`) belongs to the command's output. */
  private async isMoreOutputExpected(patience: number): Promise<boolean> {
    if (this.status !== 'running' || performance.now() > patience) return false
    return this.paused || ((await this.process?.isStillFiltered?.()) ?? false)
  }

  private onEnd(): void {
    this.isDrained = true
    this.drained.resolve()
    if (this.exit) this.settle()
  }

  private readonly onAbort = (): void => {
    if (this.settled || this.status !== 'running') {
      if (!this.settled) this.timers.after(ABORT_ANSWER_MS, () => this.settle())
      return
    }
    this.status = 'stopped'
    void this.endProcesses()
    this.timers.after(ABORT_ANSWER_MS, () => this.settle())
  }

  private onTimeout(): void {
    if (this.status !== 'running' || this.exit) return
    const { moveAtLimit, start } = this.options
    // A command that waits for an answer that cannot come would keep waiting in the background.
    const isStuck = this.inputWait.state.prompt !== undefined && start.canAnswer === false
    if (moveAtLimit && !this.background && !isStuck) return this.moveToBackground(moveAtLimit.limitMs, 'at_time_limit')
    this.status = 'timed_out'
    void this.endProcesses()
  }

  private onError(error: Error): void {
    if (this.settled) return
    this.settled = true
    this.limit.clear()
    this.inputWait.close()
    this.overWith.reject(error)
    this.end.reject(error)
    void this.leave()
  }

  private endProcesses(graceMs = this.options.graceMs): Promise<void> {
    // Gives up on processes that survive SIGKILL: the call must return.
    this.stopping ??= (this.process?.stop(graceMs) ?? Promise.resolve()).then(() =>
      this.timers.after(DRAIN_MS, () => this.settle()),
    )
    return this.stopping
  }

  private settle(): void {
    if (this.settled) return
    this.settled = true
    this.limit.clear()
    this.inputWait.close()
    this.live?.stop()
    this.options.start.signal.removeEventListener('abort', this.onAbort)
    this.timers.clear()
    void this.answer()
  }

  private async answer(): Promise<void> {
    const about = this.about([])
    const endedAt = Date.now()
    if (this.status === 'running') this.status = this.exit?.exitCode === 0 ? 'completed' : 'failed'
    const hasExited = this.status === 'completed' || this.status === 'failed'
    const flushed = this.log.flushed()
    // A stop returns immediately, however slow the disk is.
    if (this.status !== 'stopped') await flushed
    const leftRunning = hasExited && this.process ? await this.process.leftRunning() : []
    this.endedAt = endedAt
    // What is in the log by now must be in the result, too.
    this.process?.readAll?.()
    // Reading a log of random bytes takes long, and no call waits for the text of a background task.
    const text = this.background ? { text: '', totalChars: this.log.total, truncated: true } : this.text()
    this.end.resolve({ ...text, ...this.about(leftRunning), durationMs: about.durationMs })
    this.overWith.resolve(this.task())
    if (this.stopping) await this.stopping
    else if (!this.isDrained) await this.drained.promise
    else if (leftRunning.length > 0) {
      // Supervised until `close`; its output goes elsewhere.
      await this.log.close()
      return
    }
    await this.leave()
  }

  private about(
    leftRunning: TaskEnd['leftRunning'],
  ): Pick<TaskEnd, Exclude<keyof TaskEnd, 'text' | 'totalChars' | 'truncated' | 'moved'>> {
    const { problem } = this.log
    return {
      task: this.task(),
      durationMs: Math.round(performance.now() - this.clock),
      leftRunning,
      deniedHosts: this.process?.deniedHosts?.() ?? [],
      ...(this.options.start.sandbox && { sandboxIsIncomplete: this.process?.isIncomplete?.() ?? false }),
      notes: [...this.options.notes, ...(this.process?.notes?.() ?? []), ...(problem === undefined ? [] : [problem])],
    }
  }

  private text(): Pick<TaskEnd, 'text' | 'totalChars' | 'truncated'> {
    return outputText(this.log.kept(), this.log.total, this.options.maxChars, this.log.fullOutputLocation)
  }

  private async leave(): Promise<void> {
    if (this.left) return
    this.left = true
    this.timers.close()
    this.process?.release()
    await this.log.close()
    this.options.onGone?.()
  }
}
