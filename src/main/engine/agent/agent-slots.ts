/**
 * Limits how many subagents run at once; the others wait in order. Subagents that released their slot come before those
 * that have not started.
 */
export class AgentSlots {
  readonly #max: () => number
  #taken = 0
  readonly #returning: (() => void)[] = []
  readonly #waiting: (() => void)[] = []

  constructor(max: () => number) {
    this.#max = max
  }

  /** Whether the next `acquire` has to wait. */
  get isFull(): boolean {
    return this.#taken >= this.#max() || this.#waiting.length > 0 || this.#returning.length > 0
  }

  /** Resolves when it has a slot; rejects if `signal` aborts first. */
  async acquire(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (!this.isFull) {
      this.#taken += 1
      return
    }
    await this.#wait(this.#waiting, signal)
  }

  /** Like `acquire`, for a subagent that had a slot before. */
  async reacquire(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#taken < this.#max()) {
      this.#taken += 1
      return
    }
    await this.#wait(this.#returning, signal)
  }

  release(): void {
    this.#taken -= 1
    while (this.#taken < this.#max()) {
      const next = this.#returning.shift() ?? this.#waiting.shift()
      if (!next) return
      this.#taken += 1
      next()
    }
  }

  async #wait(queue: (() => void)[], signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = (): void => {
      const index = queue.indexOf(resolve)
      if (index >= 0) queue.splice(index, 1)
      reject(signal.reason instanceof Error ? signal.reason : new Error('stopped'))
    }
    queue.push(resolve)
    signal.addEventListener('abort', leave, { once: true })
    await promise.finally(() => signal.removeEventListener('abort', leave))
  }
}
