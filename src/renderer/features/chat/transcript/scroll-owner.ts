import type { VirtualizerHandle, CacheSnapshot } from 'virtua'
import type { TranscriptItem } from '../../../../shared/events/transcript-item'
import { watchScrollInput } from './reader-input'

/** The visible state that the owner needs. */
export interface ShownItems {
  items: readonly TranscriptItem[]
  hasMore: boolean
  onLoadOlder: () => void
}

export interface ScrollParts {
  list: { readonly current: VirtualizerHandle | null }
  scroller: HTMLElement
  /** The content that scrolls. */
  content: HTMLElement
}

/** The user has left the end: with the last row seen there, to count new ones. */
export type AwayFromEnd = { lastSeen: string | undefined } | undefined

/** Distance from the beginning (px) at which older rows are loaded. */
const LOAD_AHEAD = 1600
/** Within this distance of the end (px) the button that jumps to the end is hidden. */
const WORTH_A_JUMP = 80
/** How long after an input (ms) a movement is attributed to it; smooth scrolling takes that long. */
const INPUT_MS = 600
/** How long after jumping to the end (ms) an earlier touch can still move the view. */
const FLING_MS = 2500
/** How long after the area changed its size (ms) the list corrects its position for rows that it measures again. */
const RESIZED_MS = 1500
/** How long after expanding something (ms) growth is attributed to it: details can load a moment later. */
const OPENING_MS = 1500

/**
 * The only writer of a transcript's scroll position. It follows the end until the user scrolls up; anything else that
 * moves the view away from the end (rows being measured, a smaller window) is corrected immediately. It keeps the
 * position while rows above are measured (the virtual list does), and restores the last position of a session. One
 * instance per session on screen.
 */
export class ScrollOwner {
  readonly saved: ScrollPosition | undefined
  readonly #sessionId: string
  /** Space above the list, in px. */
  readonly #paddingTop: number
  readonly #onAway: (away: AwayFromEnd) => void
  #shown: ShownItems = { items: [], hasMore: false, onLoadOlder: () => undefined }
  #parts: ScrollParts | undefined
  #following: boolean
  #away = false
  #lastSeen: string | undefined
  #last: ScrollMetrics = { top: 0, height: 0, viewport: 0 }
  /** Time of the user's last input that can scroll. */
  #touchedAt = Number.NEGATIVE_INFINITY
  /** Time of the last jump to the end. */
  #wentAt = Number.NEGATIVE_INFINITY
  /** Time of the last change of the area's own size, such as that of the window. */
  #resizedAt = Number.NEGATIVE_INFINITY
  /** The owner has moved the view to the end; its scroll event is still to come. */
  #isOwnScroll = false
  #watch: ResizeObserver | undefined
  #lastRow: Element | undefined
  /** The element the user expanded last, and when. */
  #opened: { control: Element; at: number } | undefined

  constructor(sessionId: string, paddingTop: number, onAway: (away: AwayFromEnd) => void) {
    this.#sessionId = sessionId
    this.#paddingTop = paddingTop
    this.#onAway = onAway
    this.saved = savedPositions.get(sessionId)
    this.#following = this.saved?.following ?? true
  }

  /** Whether these items are the previous ones with older ones in front. */
  isPrepended(items: readonly TranscriptItem[]): boolean {
    const before = this.#shown.items
    return before.length > 0 && items.length > before.length && items[0]?.id !== before[0]?.id
  }

  /**
   * Called after each render with the current items. It measures nothing: size changes are reported after the frame's
   * layout and before paint.
   */
  show(shown: ShownItems): void {
    this.#shown = shown
    this.#watchLastRow()
  }

  /** The last row grows before the list, which adds up the sizes of its rows a moment later. */
  #watchLastRow(): void {
    const row = this.#parts?.content.firstElementChild?.lastElementChild ?? undefined
    if (row === this.#lastRow) return
    if (this.#lastRow) this.#watch?.unobserve(this.#lastRow)
    this.#lastRow = row
    if (row) this.#watch?.observe(row)
  }

  /** Attaches to the elements; returns the detach function, which stores the position. */
  attach(parts: ScrollParts): () => void {
    this.#parts = parts
    const { scroller, content } = parts
    const stopWatching = watchScrollInput(scroller, {
      touched: () => (this.#touchedAt = performance.now()),
      up: () => this.#leave(),
      opened: (control) => (this.#opened = { control, at: performance.now() }),
    })
    // Rows being measured, images, cards, the waiting row, and the window itself: called after layout and before paint.
    const watch = new ResizeObserver((entries) => {
      if (entries.some(({ target }) => target === scroller)) this.#resizedAt = performance.now()
      this.#resized()
    })
    watch.observe(content)
    watch.observe(scroller)
    this.#watch = watch
    this.#watchLastRow()
    this.#setInitialPosition()
    return () => {
      watch.disconnect()
      this.#watch = undefined
      this.#lastRow = undefined
      stopWatching()
      this.#keep()
      this.#parts = undefined
    }
  }

  /** The scroll area has moved or changed its size. */
  onScrolled(): void {
    if (!this.#parts || this.#isHidden()) return
    const now = performance.now()
    // The event of a jump to the end adds no information, and measuring would lay out the page once more.
    if (this.#isOwnEvent()) return this.#atEnd()
    const here = metrics(this.#parts.scroller)
    const isFling = this.#following && now - this.#wentAt < FLING_MS && this.#touchedAt < this.#wentAt
    const byReader = now - this.#touchedAt < INPUT_MS
    const isCorrection = this.#following && !byReader && now - this.#resizedAt < RESIZED_MS
    const follows = isFling || isCorrection || followsEnd(this.#following, this.#last, here, byReader)
    this.#last = here
    if (!follows) this.#leave()
    else if (this.#following) this.#toEnd()
    else this.#following = true
    this.#setAway(!follows && distanceFromEnd(here) > WORTH_A_JUMP)
    this.#loadAhead()
  }

  /** Whether it is behind another pane: without a size, everything seems to be at the end. */
  #isHidden(): boolean {
    return this.#parts?.scroller.clientHeight === 0
  }

  /** Whether the latest position the list knows is the one that the owner has set. */
  #isOwnEvent(): boolean {
    const isOwn = this.#isOwnScroll
    this.#isOwnScroll = false
    const reported = this.#parts?.list.current?.scrollOffset ?? Number.NaN
    return isOwn && this.#following && Math.abs(reported - this.#last.top) < 1
  }

  #atEnd(): void {
    this.#setAway(false)
    this.#loadAhead()
  }

  #loadAhead(): void {
    if (this.#last.top < LOAD_AHEAD && this.#shown.hasMore) this.#shown.onLoadOlder()
  }

  /** Jumps to the very end and follows it, even while rows on the way are still being measured. */
  goToEnd(): void {
    this.#following = true
    this.#opened = undefined
    // Earlier input, like the click that led here, must not count as leaving the end again.
    this.#touchedAt = Number.NEGATIVE_INFINITY
    this.#wentAt = performance.now()
    this.#setAway(false)
    this.#toEnd()
  }

  /** Like `goToEnd`, and moves the focus, because the clicked button disappears. */
  jumpToEnd(): void {
    this.goToEnd()
    this.#parts?.scroller.focus({ preventScroll: true })
  }

  /** Scrolls to a row; false when it is not loaded. */
  goToItem(itemId: string): boolean {
    const index = this.#shown.items.findIndex((item) => item.id === itemId)
    if (index === -1) return false
    this.#leave()
    this.#parts?.list.current?.scrollToIndex(index, { align: 'center' })
    return true
  }

  /** Scrolls to a call; returns the ID of its row, or undefined when it is not loaded. */
  goToCall(callId: string): string | undefined {
    const index = this.#shown.items.findIndex((item) => item.kind === 'tool' && item.callId === callId)
    const item = this.#shown.items[index]
    if (!item) return undefined
    this.#leave()
    this.#parts?.list.current?.scrollToIndex(index, { align: 'center' })
    return item.id
  }

  /** First render: the session's last position, or its end. */
  #setInitialPosition(): void {
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

  /** The rows, the footer, or the area itself changed size. */
  #resized(): void {
    if (this.#following) this.#settle()
    else this.onScrolled()
  }

  #settle(): void {
    if (!this.#hidesOpened()) return this.#toEnd()
    this.#leave()
    this.onScrolled()
  }

  /** Whether jumping to the end would scroll the just expanded element off the screen: then it stays in view. */
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
    const before = this.#last.top
    scroller.scrollTop = scroller.scrollHeight
    this.#last = metrics(scroller)
    if (this.#last.top !== before) this.#isOwnScroll = true
  }

  #leave(): void {
    if (!this.#following) return
    this.#following = false
    this.#lastSeen = this.#shown.items.at(-1)?.id
  }

  #setAway(away: boolean): void {
    if (away === this.#away) return
    this.#away = away
    this.#onAway(away ? { lastSeen: this.#lastSeen } : undefined)
  }
}

function metrics(element: HTMLElement): ScrollMetrics {
  return { top: element.scrollTop, height: element.scrollHeight, viewport: element.clientHeight }
}

/** Number of rows added since the user left the end. */
export function countNewRows(items: readonly TranscriptItem[], lastSeen: string | undefined): number {
  let count = 0
  for (let n = items.length - 1; n >= 0; n -= 1) {
    const item = items[n]
    if (!item || item.id === lastSeen) break
    if (item.kind !== 'answer' || item.segments.length > 0) count += 1
  }
  return count
}

/** The position of a scroll area. All in pixels. */
interface ScrollMetrics {
  top: number
  height: number
  viewport: number
}

/** Positions are fractions of a pixel on some screens: within this distance counts as exactly at the end. */
const AT_END = 1
/** Scrolling down to within this distance of the end counts as reaching it. */
const NEAR = 24

export function distanceFromEnd({ top, height, viewport }: ScrollMetrics): number {
  return Math.max(0, height - viewport - top)
}

/**
 * Whether the view follows the end after it moved or changed its size. Only the user leaves the end, by scrolling up:
 * if content and viewport kept their sizes, nothing else moves up (find in page and screen readers count as the user);
 * if they changed, a movement is the user's only `byReader`: right after an input that can scroll. Following resumes
 * when the user scrolls down to the end, or when the end comes into view.
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

/** The last position in a transcript: its end, or an item with the number of its pixels above the edge. */
interface ScrollPosition {
  following: boolean
  itemId?: string
  offset: number
  /** Measured sizes, valid for exactly `count` items starting with `firstId`. */
  sizes: CacheSnapshot
  firstId?: string
  count: number
}

const KEPT = 40
const positions = new Map<string, ScrollPosition>()

/** Scroll positions per session, until the page is closed. */
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
