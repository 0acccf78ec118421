import { setImmediate as nextTurn } from 'node:timers/promises'

/** How long a loop works before requests, streams and timers get their turn. */
const SLICE_MS = 8

/**
 * Splits a long loop of the main thread so that the rest of the program never waits for it:
 *
 *     const slices = new WorkSlices()
 *     for (const item of items) {
 *       if (slices.isOver) await slices.next()
 *       ...
 *     }
 *
 * Reading the clock costs less than awaiting a promise, so the loop only awaits when it must.
 */
export class WorkSlices {
  #end = performance.now() + SLICE_MS

  /** Whether the loop has worked long enough for now. */
  get isOver(): boolean {
    return performance.now() >= this.#end
  }

  /** Lets all other pending work run, then starts the next slice. */
  async next(): Promise<void> {
    await nextTurn()
    this.#end = performance.now() + SLICE_MS
  }
}
