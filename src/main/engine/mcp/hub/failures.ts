const FIRST_MS = 500
const MOST_MS = 60_000

/** How often in a row a server has failed, and when it is worth trying again: twice as late each time, a little random so that many do not come at once. */
export class Failures {
  readonly #random: () => number
  #count = 0
  #retryAt = 0

  constructor(random: () => number) {
    this.#random = random
  }

  get count(): number {
    return this.#count
  }

  /** ms until the next attempt; 0 when it can be made now. */
  get waitMs(): number {
    return Math.max(0, this.#retryAt - performance.now())
  }

  /** `helpless`: only somebody else can mend it, so waiting is of no use. */
  add(helpless = false): void {
    this.#count++
    const wait = Math.min(FIRST_MS * 2 ** (this.#count - 1), MOST_MS)
    this.#retryAt = helpless ? 0 : performance.now() + Math.round(wait * (0.75 + this.#random() * 0.5))
  }

  /** The next attempt is made now. */
  retryNow(): void {
    this.#retryAt = 0
  }

  /** What went wrong before counts no longer. */
  forget(): void {
    this.#count = 0
    this.#retryAt = 0
  }
}
