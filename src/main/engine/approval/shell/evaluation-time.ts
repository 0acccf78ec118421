import { threadTime } from '../../process/thread-time'

/** Time limit for breaking down a long command, in ms of processor time; beyond it, the command asks. */
const LONG_MS = 20
/**
 * The limit for short commands: a safeguard against unforeseen input, with room for code running for the first time.
 */
const SHORT_MS = 80
const SHORT_CHARS = 1500
/** The wall-clock limit as a multiple of the processor time limit, for a busy machine or a slow disk. */
const CLOCK_FACTOR = 50
/** Yields to other work after this many ms, so that one command never holds up another client. */
const SLICE_MS = 5

/** Time limit for judging a text of this length, given the limit for a long one. */
export function evaluationLimit(chars: number, long = LONG_MS): number {
  return chars <= SHORT_CHARS ? SHORT_MS : long
}

/** Thrown when a command takes too long to judge. */
export class EvaluationTimeout extends Error {
  constructor() {
    super('it takes too long to be checked')
  }
}

/**
 * The time limit of one evaluation. Loops over input from a model call `check` or await `yieldIfDue`; both throw
 * `EvaluationTimeout` when the time is up. The clock pauses while other work runs.
 */
export class EvaluationTime {
  #before = { clock: 0, processor: 0 }
  #since = now()
  /** When other work last ran; a wait that ends immediately (`#since`) does not count. */
  #turned = this.#since
  readonly #limit: number

  constructor(limit = LONG_MS) {
    this.#limit = limit
  }

  /** The remaining time in ms; never negative. */
  remaining(): number {
    const clock = this.#before.clock + performance.now() - this.#since.clock
    // Most evaluations end here, because reading the processor time costs more than reading the clock.
    if (clock < this.#limit / 4) return this.#limit - clock
    if (clock > this.#limit * CLOCK_FACTOR) return 0
    return Math.max(0, this.#limit - this.#before.processor - (threadTime() - this.#since.processor))
  }

  check(): void {
    if (this.remaining() === 0) throw new EvaluationTimeout()
  }

  /** Yields to other work when this evaluation has run for a while. */
  async yieldIfDue(): Promise<void> {
    this.check()
    if (performance.now() - this.#turned.clock < SLICE_MS || threadTime() - this.#turned.processor < SLICE_MS) return
    await this.waitFor(new Promise((resolve) => setImmediate(resolve)))
    this.#turned = now()
  }

  /** Waits for work that does not count toward this evaluation. */
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
  return { clock: performance.now(), processor: threadTime() }
}
