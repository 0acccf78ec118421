import { splitBlocks, type Block, type SplitText } from './split-blocks'

/** A growing text is drawn at most as often as leaves this many times its cost for everything else. */
const COST_SHARE = 6
/** A wait that is not longer than half a frame (ms) is none. */
const NO_WAIT = 8

/**
 * A text that is drawn while it grows: remembers how it was split, so that the next drawing reads only its end, and how long drawing
 * took, so that a text that is slow to draw is drawn less often.
 */
export class GrowingText {
  #split: SplitText | undefined
  #beganAt = 0
  #drawnAt = 0
  #cost = 0
  #drawing = false

  /** The blocks to draw now: of the text, or while it grows and drawing is slow, of the text of a moment ago; then draw again in `waitMs`. */
  draw(text: string, streaming: boolean): { blocks: readonly Block[]; waitMs: number } {
    const before = this.#split
    const now = performance.now()
    const waitMs = this.#drawnAt + this.#cost * COST_SHARE - now
    if (streaming && before && waitMs > NO_WAIT && text.startsWith(before.text)) return { blocks: before.blocks, waitMs }
    this.#beganAt = now
    this.#drawing = true
    // A finished text is read as a whole: what was guessed at a block's end while it grew is put right.
    this.#split = splitBlocks(text, streaming || before?.text === text ? before : undefined)
    return { blocks: this.#split.blocks, waitMs: 0 }
  }

  /** What `draw` gave is in the document. */
  drawn(): void {
    if (!this.#drawing) return
    this.#drawing = false
    this.#drawnAt = performance.now()
    this.#cost = this.#drawnAt - this.#beganAt
  }
}
