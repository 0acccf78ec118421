import type { ScheduleClock } from '../../src/main/engine/schedule/schedule-clock'

/** A clock controlled by tests; timers run when they are due, but not while the machine sleeps. */
export class TestClock implements ScheduleClock {
  time: number
  #timers: { due: number; run: () => void }[] = []
  constructor(time: number) {
    this.time = time
  }
  now = (): number => this.time
  after(ms: number, run: () => void): () => void {
    const timer = { due: this.time + ms, run }
    this.#timers.push(timer)
    return () => (this.#timers = this.#timers.filter((other) => other !== timer))
  }
  get timers(): number {
    return this.#timers.length
  }
  /** Advances the time and runs everything that is due. */
  async until(time: number): Promise<void> {
    for (;;) {
      await settle()
      const next = this.#timers.toSorted((a, b) => a.due - b.due)[0]
      if (!next || next.due > time) break
      this.time = Math.max(this.time, next.due)
      this.#timers = this.#timers.filter((timer) => timer !== next)
      next.run()
    }
    this.time = Math.max(this.time, time)
    await settle()
  }
  /** Sets the clock, or wakes the machine from sleep: timers do not advance. */
  async jump(to: number): Promise<void> {
    const by = to - this.time
    this.time = to
    for (const timer of this.#timers) timer.due += by
    await settle()
  }
}

/** Runs everything that waits only for promises. */
export async function settle(): Promise<void> {
  for (let n = 0; n < 4; n += 1) await new Promise((resolve) => setImmediate(resolve))
}
