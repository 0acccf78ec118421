/** Time as the scheduler sees it; tests bring their own. */
export interface ScheduleClock {
  /** ms since the epoch, by the clock of the machine, which may jump. */
  now(): number
  /** Calls `run` after about `ms`; while the machine sleeps, no time may pass. Returns how to cancel. */
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
