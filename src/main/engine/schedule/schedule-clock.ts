/** The scheduler's clock; tests use their own. */
export interface ScheduleClock {
  /** ms since the epoch, according to the system clock, which may jump. */
  now(): number
  /**
   * Calls `run` after about `ms`; the timer may stand still while the machine sleeps. Returns the function that cancels
   * it.
   */
  after(ms: number, run: () => void): () => void
}

/** The clock of this machine. Its timers do not keep the process alive. */
export const systemScheduleClock: ScheduleClock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref()
    return () => clearTimeout(timer)
  },
}
