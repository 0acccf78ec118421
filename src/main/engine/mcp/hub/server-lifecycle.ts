const FIRST_RETRY_MS = 500
const MAX_RETRY_MS = 60_000

/** Consecutive failures of a server, and when to retry: with exponential backoff and some jitter. */
export class ReconnectBackoff {
  readonly #random: () => number
  #count = 0
  #retryAt = 0

  constructor(random: () => number) {
    this.#random = random
  }

  get count(): number {
    return this.#count
  }

  /** ms until the next attempt; 0 when it can start now. */
  get waitMs(): number {
    return Math.max(0, this.#retryAt - performance.now())
  }

  /** `helpless`: only the user can fix it, so retrying is useless. */
  recordFailure(helpless = false): void {
    this.#count++
    const wait = Math.min(FIRST_RETRY_MS * 2 ** (this.#count - 1), MAX_RETRY_MS)
    this.#retryAt = helpless ? 0 : performance.now() + Math.round(wait * (0.75 + this.#random() * 0.5))
  }

  /** Allows the next attempt to start now. */
  retryNow(): void {
    this.#retryAt = 0
  }

  /** Resets the count. */
  reset(): void {
    this.#count = 0
    this.#retryAt = 0
  }
}

/** The running uses of a server, and how long it has been idle. */
export class IdleTimer {
  readonly #idleMs: () => number
  readonly #idle: () => void
  #count = 0
  #endedAt = 0
  #timer: NodeJS.Timeout | undefined

  /** `idle` is called after `idleMs` without use; 0: never. */
  constructor(idleMs: () => number, idle: () => void) {
    this.#idleMs = idleMs
    this.#idle = idle
  }

  get isBusy(): boolean {
    return this.#count > 0
  }

  /** ms since the last use ended; 0 before the first. */
  get idleForMs(): number {
    return this.#endedAt === 0 || this.isBusy ? 0 : performance.now() - this.#endedAt
  }

  async track<Result>(use: (restedMs: number) => Promise<Result>): Promise<Result> {
    const { idleForMs } = this
    this.#count++
    this.stop()
    try {
      return await use(idleForMs)
    } finally {
      this.#count--
      this.#endedAt = performance.now()
      this.#wait()
    }
  }

  /** Stops the idle timer. */
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

/** The same promise for a caller that can stop waiting; the work itself continues for others. */
export function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('Stopped.'))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
