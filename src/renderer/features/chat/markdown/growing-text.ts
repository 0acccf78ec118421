import { keepSame, NOTHING, splitBlocks, type Block, type SplitText } from './split-blocks'

/** What is shown of a text now. */
export interface Drawing {
  blocks: readonly Block[]
  /** More is to come, or to be drawn: the last block is incomplete. */
  open: boolean
  /** When to draw the rest: after this many ms, or in an upcoming frame; undefined: nothing is left. */
  next: number | 'frame' | undefined
  /** Number of blocks at the last drawing while the text was still open. */
  grown: number
}

/** Minimum ratio of other time to rendering time for a growing text; BEHIND_SHARE applies while much text waits. */
const COST_SHARE = 6
const BEHIND_SHARE = 2
/** Delays of up to half a frame (ms) are skipped. */
const NO_WAIT = 8
/** Characters drawn at a time: what even a slow machine renders, lays out and paints in less than 50 ms. */
const STEP = 3000
/** While much text remains, each step draws this share of it, so that catching up never takes long. */
const STEP_SHARE = 1 / 60

/** Texts up to this length are drawn and finished in the same frame. */
const SHORT = 4 * STEP

/**
 * A text that is rendered while it grows: keeps its split, so that the next render parses only the end, and its render
 * time, so that a text that is slow to render is rendered less often. However much of it arrives at once, it is drawn
 * in steps; a text that was finished from the start is drawn as a whole.
 */
export class GrowingText {
  readonly #now: () => number
  #split: SplitText | undefined
  #isWhole = false
  #grown = 0
  #beganAt = 0
  #drawnAt = 0
  #cost = 0
  #drawing = false

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** What to render now. `atOnce`: all of it, as on a hidden page. */
  draw(source: string, streaming: boolean, atOnce = false): Drawing {
    const text = source.includes('\r') ? source.replace(/\r\n?/g, '\n') : source
    const now = this.#now()
    const known = this.#split !== undefined && text.startsWith(this.#split.text) ? this.#split : undefined
    if (!known && !streaming) return this.#finish(text, NOTHING, now)
    const before = known ?? NOTHING
    const rest = text.length - before.text.length
    const step = Math.max(STEP, Math.ceil(rest * STEP_SHARE))
    if (rest <= step || atOnce) {
      // Parsing all of a long text takes a while too, so it gets its own frame.
      if (!streaming)
        return rest > 0 && text.length > SHORT && !atOnce
          ? this.#advance(text, before, now, 'frame')
          : this.#finish(text, before, now)
      const waitMs = this.#waitMs(COST_SHARE, now)
      if (waitMs > NO_WAIT && rest > 0 && !atOnce) return this.#same(before, true, waitMs)
      return this.#advance(text, before, now, undefined)
    }
    if (this.#waitMs(BEHIND_SHARE, now) > NO_WAIT) return this.#same(before, true, 'frame')
    const end = before.text.length + stepLength(text, before.text.length, step)
    return this.#advance(text.slice(0, end), before, now, 'frame')
  }

  /** The result of `draw` is in the document. */
  drawn(): void {
    if (!this.#drawing) return
    this.#drawing = false
    this.#drawnAt = this.#now()
    this.#cost = this.#drawnAt - this.#beganAt
  }

  #waitMs(share: number, now: number): number {
    return this.#drawnAt + this.#cost * share - now
  }

  #advance(text: string, before: SplitText, now: number, next: Drawing['next']): Drawing {
    this.#isWhole = false
    return this.#show(splitBlocks(text, before), now, true, next)
  }

  /** A finished text is parsed as a whole, which corrects guesses made at block ends while it grew. */
  #finish(text: string, before: SplitText, now: number): Drawing {
    if (this.#isWhole && before.text === text) return this.#same(before, false, undefined)
    this.#isWhole = true
    return this.#show(keepSame(splitBlocks(text), before.blocks), now, false, undefined)
  }

  #show(split: SplitText, now: number, open: boolean, next: Drawing['next']): Drawing {
    if (split !== this.#split) {
      this.#beganAt = now
      this.#drawing = true
    }
    this.#split = split
    return this.#same(split, open, next)
  }

  #same({ blocks }: SplitText, open: boolean, next: Drawing['next']): Drawing {
    if (open) this.#grown = blocks.length
    return { blocks, open, next, grown: this.#grown }
  }
}

/** How much to draw of a text from an offset on: about `step`, to the end of a line if one ends there. */
function stepLength(text: string, from: number, step: number): number {
  const line = text.lastIndexOf('\n', from + step - 1) + 1
  if (line > from + step / 2) return line - from
  const code = text.charCodeAt(from + step - 1)
  return code >= 0xd800 && code <= 0xdbff ? step + 1 : step
}

/** Maximum number of growing texts kept; others are drawn from the beginning when they come back on screen. */
const KEPT = 16
const growing = new Map<string, GrowingText>()

/** The growing text with this ID, including what was drawn before it left the screen. */
export function growingText(id: string | undefined): GrowingText {
  const text = (id === undefined ? undefined : growing.get(id)) ?? new GrowingText()
  if (id === undefined) return text
  growing.delete(id)
  growing.set(id, text)
  for (const oldest of growing.keys()) {
    if (growing.size <= KEPT) break
    growing.delete(oldest)
  }
  return text
}

/** Forgets a text that no longer grows. */
export function forgetGrowingText(id: string): void {
  growing.delete(id)
}
