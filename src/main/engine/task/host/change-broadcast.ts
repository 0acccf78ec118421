import type { HostedTask } from './hosted-task'
import type { TaskChangeKind, TaskHost } from './task-host'
import type { UsagePush } from '../../../../shared/events/push'

/** Changes within this time are sent together. */
const STATE_MS = 15
/** Changes of output alone are sent only this often: they affect a single row of a list. */
const OUTPUT_MS = 1_000

/**
 * Collects the changed tasks for one client and sends them in batches; the next batch waits until the client has
 * received the previous one.
 */
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

  touch(hosted: HostedTask, touch: TaskChangeKind): void {
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

const EVERY_MS = 1_000

/** Measures the resource usage of tasks once a second while there are listeners; one measurement serves all of them. */
export class UsageBroadcast {
  private readonly host: TaskHost
  private readonly log: (message: string) => void
  private readonly listeners = new Set<(push: UsagePush) => void>()
  private timer: NodeJS.Timeout | undefined
  private meter: Promise<{ measure(): Promise<Map<string, UsagePush['usage'][number]>> }> | undefined

  constructor(host: TaskHost, log: (message: string) => void) {
    this.host = host
    this.log = log
  }

  add(listener: (push: UsagePush) => void): () => void {
    this.listeners.add(listener)
    this.meter ??= import('./usage-meter').then(({ UsageMeter }) => new UsageMeter())
    this.timer ??= setTimeout(() => void this.measure(), 0)
    return () => this.listeners.delete(listener)
  }

  private async measure(): Promise<void> {
    const startedAt = performance.now()
    try {
      const measured = (await (await this.meter)?.measure()) ?? new Map<string, UsagePush['usage'][number]>()
      const push: UsagePush = {
        at: Date.now(),
        usage: [...measured.values()].filter(({ taskId }) => this.host.has(taskId)),
      }
      for (const listener of this.listeners) listener(push)
    } catch (error) {
      this.log(`measuring failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    }
    this.timer = undefined
    if (this.listeners.size > 0)
      this.timer = setTimeout(() => void this.measure(), Math.max(200, EVERY_MS - (performance.now() - startedAt)))
    // The next listener starts with new samples.
    else this.meter = undefined
  }
}
