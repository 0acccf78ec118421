/** A server that tells of progress for ever does not work for ever. */
const LONGEST_CALL_MS = 60 * 60_000

/** The time limit of a call: progress begins it anew, and it stands still while a person is asked. */
export class CallClock {
  readonly #ms: number
  readonly #late: () => void
  #timer: NodeJS.Timeout | undefined
  readonly #longest: NodeJS.Timeout
  #holds = 0
  #isOver = false

  constructor(ms: number, late: () => void) {
    this.#ms = ms
    this.#late = late
    this.#longest = setTimeout(late, Math.max(LONGEST_CALL_MS, ms))
    this.reset()
  }

  reset(): void {
    clearTimeout(this.#timer)
    if (this.#holds === 0 && !this.#isOver) this.#timer = setTimeout(this.#late, this.#ms)
  }

  /** Stands still until what it returns is called. */
  hold(): () => void {
    this.#holds++
    clearTimeout(this.#timer)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#holds--
      this.reset()
    }
  }

  end(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    clearTimeout(this.#longest)
  }
}
