/** The clock of the push queues; tests pass their own. */
export interface Clock {
  /** Monotonic time in ms from any fixed point. */
  now(): number
  /** Calls `run` once after `ms`; the returned function cancels it. */
  after(ms: number, run: () => void): () => void
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}
