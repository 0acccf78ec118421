/** Who works with a server just now, and how long nobody has. */
export class Uses {
  readonly #idleMs: () => number
  readonly #idle: () => void
  #count = 0
  #endedAt = 0
  #timer: NodeJS.Timeout | undefined

  /** `idle` is called when nobody has used it for `idleMs`; 0: never. */
  constructor(idleMs: () => number, idle: () => void) {
    this.#idleMs = idleMs
    this.#idle = idle
  }

  get isBusy(): boolean {
    return this.#count > 0
  }

  /** ms since the last use ended; 0 before the first. */
  get restedMs(): number {
    return this.#endedAt === 0 || this.isBusy ? 0 : performance.now() - this.#endedAt
  }

  async during<Result>(use: (restedMs: number) => Promise<Result>): Promise<Result> {
    const { restedMs } = this
    this.#count++
    this.stop()
    try {
      return await use(restedMs)
    } finally {
      this.#count--
      this.#endedAt = performance.now()
      this.#wait()
    }
  }

  /** Does not wait for anybody any more. */
  stop(): void {
    clearTimeout(this.#timer)
  }

  #wait(): void {
    clearTimeout(this.#timer)
    const idleMs = this.#idleMs()
    if (this.isBusy || idleMs === 0) return
    this.#timer = setTimeout(() => {
      if (!this.isBusy) this.#idle()
    }, idleMs)
    this.#timer.unref()
  }
}
