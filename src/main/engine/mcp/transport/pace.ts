import { setTimeout as pause } from 'node:timers/promises'

/** Work up to this long is not worth a pause. */
const FREE_MS = 4
/** For each ms of work so many ms are left to everybody else. */
const REST = 1
const LONGEST_REST_MS = 200

/**
 * Keeps one server that never stops sending from taking the whole processor: after some work on what it sent it has to wait, as long as the work took.
 * Until then its pipe or socket fills up and holds it back.
 */
export class Pace {
  #worked = 0
  #since = performance.now()

  /** Does a piece of work; answers the pause that is due, or undefined. */
  work(piece: () => void): Promise<void> | undefined {
    const begun = performance.now()
    // Whoever has been quiet starts anew.
    if (begun - this.#since > 1000) [this.#worked, this.#since] = [0, begun]
    piece()
    this.#worked += performance.now() - begun
    if (this.#worked < FREE_MS) return undefined
    const rest = Math.min(this.#worked * REST, LONGEST_REST_MS)
    this.#worked = 0
    this.#since = performance.now()
    return pause(rest)
  }
}
