import type { UsagePush } from '../../../../shared/model/push'
import type { TaskHost } from './task-host'

const EVERY_MS = 1_000

/** Measures what tasks use once a second, while anybody listens; one measurement serves all. */
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
    this.meter ??= import('../watch/usage-meter').then(({ UsageMeter }) => new UsageMeter())
    this.timer ??= setTimeout(() => void this.measure(), 0)
    return () => this.listeners.delete(listener)
  }

  private async measure(): Promise<void> {
    const begun = performance.now()
    try {
      const measured = (await (await this.meter)?.measure()) ?? new Map<string, UsagePush['usage'][number]>()
      const push: UsagePush = { at: Date.now(), usage: [...measured.values()].filter(({ taskId }) => this.host.has(taskId)) }
      for (const listener of this.listeners) listener(push)
    } catch (error) {
      this.log(`measuring failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    }
    this.timer = undefined
    if (this.listeners.size > 0) this.timer = setTimeout(() => void this.measure(), Math.max(200, EVERY_MS - (performance.now() - begun)))
    // The next to listen starts from new samples.
    else this.meter = undefined
  }
}
