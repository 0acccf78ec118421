import type { TaskPush } from '../../../../shared/events/push'
import type { Task } from '../../../../shared/model/task/task'
import { readOutput, wholeLength } from '../output/log-files'
import type { TaskRun } from '../run/task-run'
import { LastLine } from '../output/plain-text'
import type { OutputLog } from '../output/output-log'

const LINE_BYTES = 4096

/** One task of the host: its run, its watchers, and the call that waits for it. */
export class HostedTask {
  readonly run: TaskRun
  readonly taskId: string
  /** The connection that started it. */
  readonly starter: object
  /** The connection whose call waits for it, until it is moved to the background. */
  caller: object | undefined
  /** A problem other than with its log. */
  problem: string | undefined
  private readonly watches = new Map<string, TaskWatch>()
  private lineAt = -1
  private line = ''

  constructor(taskId: string, run: TaskRun, starter: object, caller: object | undefined) {
    this.taskId = taskId
    this.run = run
    this.starter = starter
    this.caller = caller
  }

  task(): Task {
    const { log } = this.run
    if (this.lineAt !== log.total) {
      this.lineAt = log.total
      const last = new LastLine()
      for (const bytes of log.newest(0, LINE_BYTES)) last.append(bytes)
      this.line = last.read().text
    }
    return {
      ...this.run.task(),
      ...(this.line !== '' && { lastLine: this.line }),
      ...(this.problem !== undefined && { problem: this.problem }),
    }
  }

  async output(page: { before?: number; bytes: number }): ReturnType<typeof readOutput> {
    await this.run.log.flushed()
    return readOutput(this.run.log.path, page)
  }

  printed(): void {
    for (const watch of this.watches.values()) watch.printed()
  }

  /** Call when its status or another part of it has changed. */
  changed(): void {
    if (this.watches.size === 0) return
    const task = this.task()
    for (const watch of this.watches.values()) watch.changed(task)
  }

  /**
   * `send` pushes to the watcher. While `isReady` is false, output waits; afterwards the watcher gets what it missed,
   * or a new start if that was too much.
   */
  watch(key: string, send: (push: TaskPush) => void, isReady: () => boolean): void {
    this.unwatch(key)
    this.watches.set(key, new TaskWatch({ log: this.run.log, task: () => this.task(), send, isReady }))
  }

  unwatch(key: string): void {
    this.watches.get(key)?.close()
    this.watches.delete(key)
  }

  close(): void {
    for (const key of this.watches.keys()) this.unwatch(key)
  }
}

/** Faster than a screen can show; typed input is echoed within this time. */
const TICK_MS = 30
/** Maximum bytes sent at the start, and in one push. */
const MAX_BYTES = 128 * 1024

export interface TaskWatchOptions {
  log: OutputLog
  task: () => Task
  send: (push: TaskPush) => void
  /** Whether the watcher has received what was sent. */
  isReady: () => boolean
}

/**
 * Pushes a task to one watcher: first its newest output, then new output in batches. A watcher that is slower than the
 * task gets a new start with the newest output instead of everything in between. Nothing is buffered per watcher.
 */
class TaskWatch {
  private readonly options: TaskWatchOptions
  private sent = 0
  private decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  private timer: NodeJS.Timeout | undefined
  private closed = false

  constructor(options: TaskWatchOptions) {
    this.options = options
    this.start()
  }

  printed(): void {
    if (!this.closed) this.timer ??= setTimeout(() => this.tick(), TICK_MS)
  }

  changed(task: Task): void {
    if (this.closed) return
    // Output comes before the end.
    this.flush()
    this.options.send({ type: 'task', task })
  }

  close(): void {
    this.closed = true
    clearTimeout(this.timer)
  }

  private tick(): void {
    this.timer = undefined
    if (this.options.isReady()) this.flush()
    else this.printed()
  }

  private flush(): void {
    const { log, send } = this.options
    const fresh = log.total - this.sent
    if (fresh <= 0) return
    const parts = log.newest(this.sent, MAX_BYTES)
    if (parts.reduce((sum, part) => sum + part.length, 0) < fresh) {
      this.start()
      return
    }
    this.sent = log.total
    let text = ''
    for (const part of parts) text += this.decoder.decode(part, { stream: true })
    if (text !== '') send({ type: 'output', text })
  }

  private start(): void {
    const { log, send, task } = this.options
    const bytes = Buffer.concat(log.newest(0, MAX_BYTES))
    let from = log.total - bytes.length
    let begin = 0
    // Don't start in the middle of a character or escape sequence: if anything is omitted, start at a new line.
    if (from > 0) begin = bytes.indexOf(0x0a) + 1
    from += begin
    const end = Math.max(begin, wholeLength(bytes))
    this.sent = log.total
    this.decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    // Pass the decoder the start of an incomplete character; the rest follows later.
    this.decoder.decode(bytes.subarray(end), { stream: true })
    send({ type: 'start', task: task(), text: bytes.toString('utf8', begin, end), from })
  }
}
