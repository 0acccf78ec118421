/** Time as the push queues see it; a test passes its own. */
export interface Clock {
  /** ms from any fixed point, never going back. */
  now(): number
  /** Calls `run` once after `ms`; the returned function prevents it. */
  after(ms: number, run: () => void): () => void
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}
