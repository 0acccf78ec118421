import type { TaskPush } from '../../../../shared/model/push'
import type { Task } from '../../../../shared/model/task'
import type { OutputLog } from '../output-log'
import { wholeLength } from '../read-output'

/** A screen shows no more; what a person types is answered within this. */
const TICK_MS = 30
/** What is given at the start, and at most at once. */
const MOST_BYTES = 128 * 1024

export interface TaskWatchOptions {
  log: OutputLog
  task: () => Task
  send: (push: TaskPush) => void
  /** Whether the watcher has taken what was sent. */
  isReady: () => boolean
}

/**
 * What one watcher of a task is told: the newest output, then what comes, merged. A watcher that is slower than the task, or a task that is faster
 * than any watcher, gets a new start with the newest output instead of everything between. Nothing is kept for anybody.
 */
export class TaskWatch {
  private readonly options: TaskWatchOptions
  private told = 0
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
    // What it printed comes before how it ended.
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
    const fresh = log.total - this.told
    if (fresh <= 0) return
    const parts = log.newest(this.told, MOST_BYTES)
    if (parts.reduce((sum, part) => sum + part.length, 0) < fresh) {
      this.start()
      return
    }
    this.told = log.total
    let text = ''
    for (const part of parts) text += this.decoder.decode(part, { stream: true })
    if (text !== '') send({ type: 'output', text })
  }

  private start(): void {
    const { log, send, task } = this.options
    const bytes = Buffer.concat(log.newest(0, MOST_BYTES))
    let from = log.total - bytes.length
    let begin = 0
    // Not in the middle of a character or an escape code: from a line on, if something is left out.
    if (from > 0) begin = bytes.indexOf(0x0a) + 1
    from += begin
    const end = Math.max(begin, wholeLength(bytes))
    this.told = log.total
    this.decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    // The beginning of a character whose end is to come.
    this.decoder.decode(bytes.subarray(end), { stream: true })
    send({ type: 'start', task: task(), text: bytes.toString('utf8', begin, end), from })
  }
}
