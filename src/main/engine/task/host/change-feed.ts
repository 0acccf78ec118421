import type { HostedTask } from './hosted-task'
import type { Touch } from './task-host'

/** Changes of the same moment go together. */
const STATE_MS = 15
/** Output alone is told this rarely: it changes a row of a list, no more. */
const OUTPUT_MS = 1_000

/** Collects which tasks have changed, for one client, and has it told in batches; the next one waits until the client has taken the last. */
export class ChangeFeed {
  private readonly send: (changed: HostedTask[], removed: HostedTask[]) => Promise<void>
  private changed = new Set<HostedTask>()
  private readonly removed = new Set<HostedTask>()
  private timer: NodeJS.Timeout | undefined
  private due = Number.POSITIVE_INFINITY
  private isSending = false
  private closed = false

  constructor(send: (changed: HostedTask[], removed: HostedTask[]) => Promise<void>) {
    this.send = send
  }

  touch(hosted: HostedTask, touch: Touch): void {
    if (this.closed) return
    if (touch === 'removed') this.removed.add(hosted)
    else this.changed.add(hosted)
    this.arm(performance.now() + (touch === 'output' ? OUTPUT_MS : STATE_MS))
  }

  close(): void {
    this.closed = true
    clearTimeout(this.timer)
  }

  private arm(due: number): void {
    if (due >= this.due || this.isSending) return
    this.due = due
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.flush(), due - performance.now())
  }

  private async flush(): Promise<void> {
    this.due = Number.POSITIVE_INFINITY
    const [changed, removed] = [[...this.changed], [...this.removed]]
    this.changed = new Set()
    this.removed.clear()
    this.isSending = true
    await this.send(changed, removed).catch(() => this.close())
    this.isSending = false
    if (!this.closed && this.changed.size + this.removed.size > 0) this.arm(performance.now() + OUTPUT_MS / 4)
  }
}
