import type { TaskUsage } from '../../../../shared/model/task/task'
import { usageOf } from './remote-lists'
import type { WireLink } from './wire-link'

/** The resource usage of a place's running tasks, read while a client watches. */
export class RemoteUsage {
  newest: TaskUsage[] = []
  readonly #link: (signal: AbortSignal) => Promise<WireLink>
  readonly #tasks: { has(taskId: string): boolean }
  #watching: AbortController | undefined

  constructor(link: (signal: AbortSignal) => Promise<WireLink>, tasks: { has(taskId: string): boolean }) {
    this.#link = link
    this.#tasks = tasks
  }

  watch(changed: () => void): void {
    if (this.#watching) return
    this.#watching = new AbortController()
    void this.#follow(this.#watching.signal, changed)
  }

  stop(): void {
    this.#watching?.abort()
    this.#watching = undefined
    this.newest = []
  }

  async #follow(signal: AbortSignal, changed: () => void): Promise<void> {
    while (!signal.aborted) {
      let link: WireLink | undefined
      try {
        link = await this.#link(signal)
        for await (const push of link.subscribe('push.usage', undefined, signal)) {
          this.newest = usageOf(this.#tasks, (push as { usage?: unknown } | null)?.usage)
          changed()
        }
      } catch {
        // The next connection continues.
      }
      if (signal.aborted) return
      if (this.newest.length > 0) {
        this.newest = []
        changed()
      }
      // Otherwise, an engine that ends the subscription would be called in a tight loop.
      if (link && !link.reason) await Promise.race([link.ended, aborted(signal)])
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
