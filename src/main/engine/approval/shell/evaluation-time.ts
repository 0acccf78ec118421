/** A long command may take this long to be taken apart, in milliseconds of the processor's time; then it asks. */
const LONG_MS = 20
/** A short one cannot take long in itself: its limit is for what nobody thought of, so that code that runs for the first time keeps it as well. */
const SHORT_MS = 40
const SHORT_CHARS = 1500
/** And so many times that on the clock, on a busy machine or a slow disk. */
const CLOCK_FACTOR = 50
/** After this long others get their turn: one command never holds up another client. */
const SLICE_MS = 5

/** How long a text of this length may be judged, given the limit for a long one. */
export function evaluationLimit(chars: number, long = LONG_MS): number {
  return chars <= SHORT_CHARS ? SHORT_MS : long
}

/** Thrown when a command takes too long to be judged. */
export class EvaluationTimeout extends Error {
  constructor() {
    super('it takes too long to be checked')
  }
}

/**
 * The time that one evaluation may take. Whoever loops over what comes from a model calls `check`, or awaits `turn`; both throw
 * `EvaluationTimeout` when the time is over. While others have their turn, it stands still.
 */
export class EvaluationTime {
  #before = { clock: 0, processor: 0 }
  #since = now()
  /** When other work last had its turn; a wait that ends at once (`#since`) gives nobody one. */
  #turned = this.#since
  readonly #limit: number

  constructor(limit = LONG_MS) {
    this.#limit = limit
  }

  /** The time that is left, in ms; never negative. */
  remaining(): number {
    const clock = this.#before.clock + performance.now() - this.#since.clock
    // Most evaluations end here: asking the system for the processor's time costs more than the clock.
    if (clock < this.#limit / 4) return this.#limit - clock
    if (clock > this.#limit * CLOCK_FACTOR) return 0
    return Math.max(0, this.#limit - this.#before.processor - (processorTime() - this.#since.processor))
  }

  check(): void {
    if (this.remaining() === 0) throw new EvaluationTimeout()
  }

  /** Lets others run when this evaluation has run for a while. */
  async yieldIfDue(): Promise<void> {
    this.check()
    if (performance.now() - this.#turned.clock < SLICE_MS || processorTime() - this.#turned.processor < SLICE_MS) return
    await this.waitFor(new Promise((resolve) => setImmediate(resolve)))
    this.#turned = now()
  }

  /** Waits for what is not this evaluation's own work. */
  async waitFor<T>(work: Promise<T>): Promise<T> {
    const { clock, processor } = now()
    this.#before = {
      clock: this.#before.clock + clock - this.#since.clock,
      processor: this.#before.processor + processor - this.#since.processor,
    }
    try {
      return await work
    } finally {
      this.#since = now()
    }
  }
}

function now(): { clock: number; processor: number } {
  return { clock: performance.now(), processor: processorTime() }
}

/** What this thread has used of the processor, in ms. */
function processorTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
