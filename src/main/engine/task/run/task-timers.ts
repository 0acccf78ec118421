/** A countdown that can be paused. */
export class TimeLimit {
  private readonly onOver: () => void
  private leftMs: number | undefined
  private since = 0
  private timer: NodeJS.Timeout | undefined

  constructor(onOver: () => void) {
    this.onOver = onOver
  }

  /** Starts counting; `null`: no limit. */
  start(ms: number | null): void {
    this.clear()
    if (ms === null) return
    this.leftMs = ms
    this.resume()
  }

  pause(): void {
    if (this.timer === undefined || this.leftMs === undefined) return
    clearTimeout(this.timer)
    this.timer = undefined
    this.leftMs = Math.max(0, this.leftMs - (performance.now() - this.since))
  }

  resume(): void {
    if (this.timer !== undefined || this.leftMs === undefined) return
    this.since = performance.now()
    this.timer = setTimeout(() => {
      this.clear()
      this.onOver()
    }, this.leftMs)
  }

  clear(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.leftMs = undefined
  }
}

/** Timers that are cleared together. */
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

  /** Clears them, and accepts no more. */
  close(): void {
    this.#isClosed = true
    this.clear()
  }
}
