/** Who may work: at most so many at once, the others in order. One that has lent its slot comes before those that have not begun. */
export class AgentSlots {
  readonly #most: () => number
  #taken = 0
  readonly #returning: (() => void)[] = []
  readonly #waiting: (() => void)[] = []

  constructor(most: () => number) {
    this.#most = most
  }

  /** Whether whoever comes now has to wait. */
  get isFull(): boolean {
    return this.#taken >= this.#most() || this.#waiting.length > 0 || this.#returning.length > 0
  }

  /** Resolves when there is a slot; rejects when `signal` aborts first. */
  async acquire(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (!this.isFull) {
      this.#taken += 1
      return
    }
    await this.#wait(this.#waiting, signal)
  }

  /** The same for one that had a slot before. */
  async reacquire(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#taken < this.#most()) {
      this.#taken += 1
      return
    }
    await this.#wait(this.#returning, signal)
  }

  release(): void {
    this.#taken -= 1
    while (this.#taken < this.#most()) {
      const next = this.#returning.shift() ?? this.#waiting.shift()
      if (!next) return
      this.#taken += 1
      next()
    }
  }

  async #wait(line: (() => void)[], signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = (): void => {
      const place = line.indexOf(resolve)
      if (place >= 0) line.splice(place, 1)
      reject(signal.reason instanceof Error ? signal.reason : new Error('stopped'))
    }
    line.push(resolve)
    signal.addEventListener('abort', leave, { once: true })
    await promise.finally(() => signal.removeEventListener('abort', leave))
  }
}
