import type { VirtualizerHandle, CacheSnapshot } from 'virtua'
import type { TranscriptItem } from '../../../../shared/events/transcript-item'
import { watchScrollInput } from './reader-input'

/** What is shown, as the owner needs to know it. */
export interface ShownItems {
  items: readonly TranscriptItem[]
  hasMore: boolean
  onLoadOlder: () => void
}

export interface ScrollParts {
  list: { readonly current: VirtualizerHandle | null }
  scroller: HTMLElement
  /** Everything that scrolls. */
  content: HTMLElement
}

/** The reader has left the end: with the last row seen there, to count what has come since. */
export type AwayFromEnd = { lastSeen: string | undefined } | undefined

/** So near to the beginning (px), older rows are asked for. */
const LOAD_AHEAD = 1600
/** Nearer to the end than this (px), there is nothing to jump to. */
const WORTH_A_JUMP = 80
/** So long after an input (ms) a movement counts as its doing; smooth scrolling takes that long. */
const INPUT_MS = 600
/** So long after going to the end (ms) a touch before it can still have the view moving. */
const FLING_MS = 2500
/** So long after something was opened (ms) what grows is what was opened: details can come a moment later. */
const OPENING_MS = 1500

/**
 * The one owner of a transcript's scroll position: nobody else sets it. It follows the end until the reader moves up; whatever else moves
 * the view away from the end (rows being measured, a smaller window) is put right at once. It keeps the place while rows above are
 * measured (the virtual list does), and puts a session back where it was left. One instance per session on screen.
 */
export class ScrollOwner {
  readonly saved: ScrollPosition | undefined
  readonly #sessionId: string
  /** Space above the list, in px. */
  readonly #paddingTop: number
  readonly #tell: (away: AwayFromEnd) => void
  #shown: ShownItems = { items: [], hasMore: false, onLoadOlder: () => undefined }
  #parts: ScrollParts | undefined
  #following: boolean
  #away = false
  #lastSeen: string | undefined
  #last: ScrollMetrics = { top: 0, height: 0, viewport: 0 }
  /** When the reader last did something that can scroll. */
  #touchedAt = Number.NEGATIVE_INFINITY
  /** When the view was last sent to the end. */
  #wentAt = Number.NEGATIVE_INFINITY
  /** What the reader has opened last, and when. */
  #opened: { control: Element; at: number } | undefined

  constructor(sessionId: string, paddingTop: number, tell: (away: AwayFromEnd) => void) {
    this.#sessionId = sessionId
    this.#paddingTop = paddingTop
    this.#tell = tell
    this.saved = savedPositions.get(sessionId)
    this.#following = this.saved?.following ?? true
  }

  /** Whether these items are those shown before with older ones in front. */
  isPrepended(items: readonly TranscriptItem[]): boolean {
    const before = this.#shown.items
    return before.length > 0 && items.length > before.length && items[0]?.id !== before[0]?.id
  }

  /** After each drawing: what is shown now. Reading the height here costs the layout that the frame needs anyway. */
  show(shown: ShownItems): void {
    this.#shown = shown
    if (this.#following) this.#settle()
  }

  /** Takes hold of the elements; returns how to let go, which keeps the position. */
  attach(parts: ScrollParts): () => void {
    this.#parts = parts
    const { scroller, content } = parts
    const stopWatching = watchScrollInput(scroller, {
      touched: () => (this.#touchedAt = performance.now()),
      up: () => this.#leave(),
      opened: (control) => (this.#opened = { control, at: performance.now() }),
    })
    // Rows being measured, pictures, cards, the waiting row, and the window itself: told after layout and before the frame is shown.
    const watch = new ResizeObserver(() => this.#resized())
    watch.observe(content)
    watch.observe(scroller)
    this.#begin()
    return () => {
      watch.disconnect()
      stopWatching()
      this.#keep()
      this.#parts = undefined
    }
  }

  /** The scroll area has moved or changed its size. */
  onScrolled(): void {
    if (!this.#parts) return
    const here = metrics(this.#parts.scroller)
    const now = performance.now()
    const isFling = this.#following && now - this.#wentAt < FLING_MS && this.#touchedAt < this.#wentAt
    const follows = isFling || followsEnd(this.#following, this.#last, here, now - this.#touchedAt < INPUT_MS)
    this.#last = here
    if (!follows) this.#leave()
    else if (this.#following) this.#toEnd()
    else this.#following = true
    this.#setAway(!follows && distanceFromEnd(here) > WORTH_A_JUMP)
    if (here.top < LOAD_AHEAD && this.#shown.hasMore) this.#shown.onLoadOlder()
  }

  /** Goes to the very end and follows it, also while rows on the way are still being measured. */
  goToEnd(): void {
    this.#following = true
    this.#opened = undefined
    // What the reader did a moment ago, like the click that led here, is not a wish to leave again.
    this.#touchedAt = Number.NEGATIVE_INFINITY
    this.#wentAt = performance.now()
    this.#setAway(false)
    this.#toEnd()
  }

  /** The same, and the focus goes with it: the button that was clicked goes away. */
  jumpToEnd(): void {
    this.goToEnd()
    this.#parts?.scroller.focus({ preventScroll: true })
  }

  /** Brings a row into view; false when it is not loaded. */
  goToItem(itemId: string): boolean {
    const index = this.#shown.items.findIndex((item) => item.id === itemId)
    if (index === -1) return false
    this.#leave()
    this.#parts?.list.current?.scrollToIndex(index, { align: 'center' })
    return true
  }

  /** Brings a call into view; returns the id of its row, or undefined when it is not loaded. */
  goToCall(callId: string): string | undefined {
    const index = this.#shown.items.findIndex((item) => item.kind === 'tool' && item.callId === callId)
    const item = this.#shown.items[index]
    if (!item) return undefined
    this.#leave()
    this.#parts?.list.current?.scrollToIndex(index, { align: 'center' })
    return item.id
  }

  /** The first drawing: where the session was left, or its end. */
  #begin(): void {
    const { saved } = this
    const index = saved && !saved.following ? this.#shown.items.findIndex((item) => item.id === saved.itemId) : -1
    const list = this.#parts?.list.current
    if (saved && index >= 0) {
      list?.scrollToIndex(index, { align: 'start', offset: saved.offset })
      if (this.#parts) this.#last = metrics(this.#parts.scroller)
      return
    }
    this.#following = true
    this.#toEnd()
  }

  #keep(): void {
    const list = this.#parts?.list.current
    if (!list) return
    const first = list.findItemIndex(list.scrollOffset)
    const { items } = this.#shown
    const itemId = items[first]?.id
    const firstId = items[0]?.id
    savedPositions.set(this.#sessionId, {
      following: this.#following,
      offset: list.scrollOffset - list.getItemOffset(first) - this.#paddingTop,
      sizes: list.cache,
      count: items.length,
      ...(itemId !== undefined && { itemId }),
      ...(firstId !== undefined && { firstId }),
    })
  }

  /** The rows, the foot, or the area itself have another size now. */
  #resized(): void {
    if (this.#following) this.#settle()
    else this.onScrolled()
  }

  #settle(): void {
    if (!this.#hidesOpened()) return this.#toEnd()
    this.#leave()
    this.onScrolled()
  }

  /** Whether going to the end would take what was just opened off the screen: it is about to be read, so it stays. */
  #hidesOpened(): boolean {
    const opened = this.#opened
    if (!opened || !this.#parts || performance.now() - opened.at > OPENING_MS) return false
    const { scroller } = this.#parts
    const top = opened.control.getBoundingClientRect().top - scroller.getBoundingClientRect().top
    return top >= 0 && top < distanceFromEnd(metrics(scroller))
  }

  #toEnd(): void {
    if (!this.#parts || !this.#following) return
    const { scroller } = this.#parts
    scroller.scrollTop = scroller.scrollHeight
    this.#last = metrics(scroller)
  }

  #leave(): void {
    if (!this.#following) return
    this.#following = false
    this.#lastSeen = this.#shown.items.at(-1)?.id
  }

  #setAway(away: boolean): void {
    if (away === this.#away) return
    this.#away = away
    this.#tell(away ? { lastSeen: this.#lastSeen } : undefined)
  }
}

function metrics(element: HTMLElement): ScrollMetrics {
  return { top: element.scrollTop, height: element.scrollHeight, viewport: element.clientHeight }
}

/** How many rows have come since the reader left the end. */
export function countNewRows(items: readonly TranscriptItem[], lastSeen: string | undefined): number {
  let count = 0
  for (let n = items.length - 1; n >= 0; n -= 1) {
    const item = items[n]
    if (!item || item.id === lastSeen) break
    if (item.kind !== 'answer' || item.segments.length > 0) count += 1
  }
  return count
}

/** Where a scroll area stands. All in pixels. */
interface ScrollMetrics {
  top: number
  height: number
  viewport: number
}

/** Positions are fractions of a pixel on some screens: this near counts as being exactly at the end. */
const AT_END = 1
/** Scrolling down to within this distance of the end means the end. */
const NEAR = 24

export function distanceFromEnd({ top, height, viewport }: ScrollMetrics): number {
  return Math.max(0, height - viewport - top)
}

/**
 * Whether the view follows the end after it moved or changed its size. Only the reader lets go of the end, by moving up: where the content
 * and the viewport are as large as before, nothing else moves up (find in page and screen readers count as the reader); where they
 * changed, a movement is the reader's only `byReader`: right after an input that can scroll. Who has let go comes back by scrolling down
 * to the end, or when the end comes to them.
 */
export function followsEnd(following: boolean, before: ScrollMetrics, now: ScrollMetrics, byReader: boolean): boolean {
  const distance = distanceFromEnd(now)
  const movedUp = before.top - now.top
  const shrunk = Math.max(0, before.height - now.height)
  const widened = Math.max(0, now.viewport - before.viewport)
  if (!following) {
    if (movedUp < 0) return distance <= NEAR
    return distance <= AT_END && (shrunk > 0 || widened > 0 || !byReader)
  }
  if (distance <= AT_END) return true
  const isSameSize = now.height === before.height && now.viewport === before.viewport
  return !(isSameSize || byReader) || movedUp <= shrunk + widened + 1
}

/** Where a transcript was left: at its end, or at an item with so many pixels of it above the edge. */
interface ScrollPosition {
  following: boolean
  itemId?: string
  offset: number
  /** Measured sizes, good for exactly `count` items beginning with `firstId`. */
  sizes: CacheSnapshot
  firstId?: string
  count: number
}

const KEPT = 40
const positions = new Map<string, ScrollPosition>()

/** Scroll positions per session, for as long as the page lives. */
const savedPositions = {
  get: (sessionId: string): ScrollPosition | undefined => positions.get(sessionId),
  set(sessionId: string, position: ScrollPosition): void {
    positions.delete(sessionId)
    positions.set(sessionId, position)
    for (const oldest of positions.keys()) {
      if (positions.size <= KEPT) return
      positions.delete(oldest)
    }
  },
}
