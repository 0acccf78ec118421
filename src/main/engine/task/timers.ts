/** Timers that are forgotten together. */
export class Timers {
  readonly #timers = new Set<NodeJS.Timeout>()
  #isClosed = false

  after(ms: number, action: () => void): void {
    if (this.#isClosed) return
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      action()
    }, ms)
    this.#timers.add(timer)
  }

  clear(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
  }

  /** Clears them, and takes no more. */
  close(): void {
    this.#isClosed = true
    this.clear()
  }
}
