import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type RefObject, type MouseEvent, type WheelEvent } from 'react'
import type { CacheSnapshot, VirtualizerHandle } from 'virtua'
import type { TranscriptItem } from '../../../../shared/model/transcript-item'
import { savedPositions } from './positions'
import { distanceFromEnd, followsEnd, type ScrollMetrics } from './stickiness'

interface ScrollOwnerInput {
  sessionId: string
  items: readonly TranscriptItem[]
  hasMore: boolean
  list: RefObject<VirtualizerHandle | null>
  scroller: RefObject<HTMLElement | null>
  /** Everything that scrolls. */
  content: RefObject<HTMLElement | null>
  /** Space above the list, in px. */
  paddingTop: number
  onLoadOlder: () => void
}

interface ScrollOwner {
  onScroll: () => void
  onWheel: (event: WheelEvent) => void
  onClick: (event: MouseEvent) => void
  goToEnd: () => void
  goTo: (index: number) => void
  /** The reader is away from the end. */
  away: boolean
  /** How many rows have come since the reader left the end. */
  fresh: number
  /** Sizes measured on an earlier visit. */
  sizes: CacheSnapshot | undefined
}

/** So near to the beginning (px), older rows are asked for. */
const LOAD_AHEAD = 1600
/** So long after an input (ms) a movement counts as its doing; smooth scrolling takes that long. */
const INPUT_MS = 600
const INPUTS = ['wheel', 'keydown', 'pointerdown', 'pointermove', 'touchmove', 'focusin'] as const

/**
 * The one owner of a transcript's scroll position: nobody else sets it. It follows the end until the reader moves up, keeps the place
 * while rows above are measured (the virtual list does), and puts a session back where it was left. One instance per session
 * (the transcript is mounted with the session as its key).
 */
export function useScrollOwner({
  sessionId,
  items,
  hasMore,
  list,
  scroller,
  content,
  paddingTop,
  onLoadOlder,
}: ScrollOwnerInput): ScrollOwner {
  const saved = useMemo(() => savedPositions.get(sessionId), [sessionId])
  const following = useRef(saved?.following ?? true)
  const last = useRef<ScrollMetrics>({ top: 0, height: 0, viewport: 0 })
  /** When the reader last did something that can scroll. */
  const touched = useRef(Number.NEGATIVE_INFINITY)
  const [away, setAway] = useState(false)
  const [lastSeen, setLastSeen] = useState<string>()
  const now = useRef({ items, hasMore, onLoadOlder })
  now.current = { items, hasMore, onLoadOlder }

  const toEnd = useCallback(() => {
    const element = scroller.current
    if (!element || !following.current) return
    element.scrollTop = element.scrollHeight
    last.current = metrics(element)
  }, [scroller])

  const leave = useCallback(() => {
    following.current = false
    setLastSeen(now.current.items.at(-1)?.id)
  }, [])

  const look = useCallback(() => {
    const element = scroller.current
    if (!element) return
    const here = metrics(element)
    const byReader = performance.now() - touched.current < INPUT_MS
    const follows = followsEnd(following.current, last.current, here, byReader)
    if (following.current && !follows) leave()
    following.current = follows
    last.current = here
    setAway(!follows && distanceFromEnd(here) > 80)
    if (here.top < LOAD_AHEAD && now.current.hasMore) now.current.onLoadOlder()
  }, [scroller, leave])

  // The first drawing: where the session was left, or its end.
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const index = saved && !saved.following ? now.current.items.findIndex((item) => item.id === saved.itemId) : -1
    if (saved && index >= 0) list.current?.scrollToIndex(index, { align: 'start', offset: saved.offset })
    else {
      following.current = true
      list.current?.scrollToIndex(now.current.items.length - 1, { align: 'end' })
      toEnd()
    }
    last.current = metrics(element)
    return () => {
      const handle = list.current
      if (!handle) return
      const first = handle.findItemIndex(handle.scrollOffset)
      const itemId = now.current.items[first]?.id
      const firstId = now.current.items[0]?.id
      savedPositions.set(sessionId, {
        following: following.current,
        offset: handle.scrollOffset - handle.getItemOffset(first) - paddingTop,
        sizes: handle.cache,
        count: now.current.items.length,
        ...(itemId !== undefined && { itemId }),
        ...(firstId !== undefined && { firstId }),
      })
    }
  }, [sessionId, saved, list, scroller, paddingTop, toEnd])

  // New rows and grown ones. Reading the height here costs the layout that this frame needs anyway.
  useLayoutEffect(toEnd)

  // Rows being measured, pictures, cards, the waiting row, and the window itself: told after layout and before the frame is shown.
  useEffect(() => {
    const watch = new ResizeObserver(() => (following.current ? toEnd() : look()))
    if (content.current) watch.observe(content.current)
    if (scroller.current) watch.observe(scroller.current)
    return () => watch.disconnect()
  }, [content, scroller, toEnd, look])

  useEffect(() => {
    const element = scroller.current
    if (!element) return
    const note = (event: Event): void => {
      // A pointer that only passes over does not scroll; one that is held (the scrollbar, a selection) does.
      if (event instanceof PointerEvent && event.type === 'pointermove' && event.buttons === 0) return
      touched.current = performance.now()
    }
    for (const input of INPUTS) element.addEventListener(input, note, { passive: true })
    return () => {
      for (const input of INPUTS) element.removeEventListener(input, note)
    }
  }, [scroller])

  const onWheel = useCallback(
    (event: WheelEvent) => {
      const element = scroller.current
      // The first pixels up count at once: text that arrives in this very frame must not pull the reader back.
      if (event.deltaY < 0 && following.current && element && element.scrollTop > 0 && !event.ctrlKey) leave()
    },
    [scroller, leave],
  )

  const onClick = useCallback(
    (event: MouseEvent) => {
      // What is opened stays where it was clicked, even at the end; when it is closed again, the end is followed again.
      const opener = event.target instanceof Element && event.target.closest('button[aria-expanded], [data-grows]')
      if (opener && following.current) leave()
    },
    [leave],
  )

  const goToEnd = useCallback(() => {
    following.current = true
    setAway(false)
    list.current?.scrollToIndex(now.current.items.length - 1, { align: 'end' })
    toEnd()
    scroller.current?.focus({ preventScroll: true })
  }, [list, scroller, toEnd])

  const goTo = useCallback(
    (index: number) => {
      if (following.current) leave()
      list.current?.scrollToIndex(index, { align: 'center' })
    },
    [list, leave],
  )

  const firstId = items[0]?.id
  const sizes = saved && saved.count === items.length && saved.firstId === firstId ? saved.sizes : undefined
  const fresh = away ? freshRows(items, lastSeen) : 0
  return useMemo(
    () => ({ onScroll: look, onWheel, onClick, goToEnd, goTo, away, fresh, sizes }),
    [look, onWheel, onClick, goToEnd, goTo, away, fresh, sizes],
  )
}

function metrics(element: HTMLElement): ScrollMetrics {
  return { top: element.scrollTop, height: element.scrollHeight, viewport: element.clientHeight }
}

function freshRows(items: readonly TranscriptItem[], lastSeen: string | undefined): number {
  let count = 0
  for (let n = items.length - 1; n >= 0; n -= 1) {
    const item = items[n]
    if (!item || item.id === lastSeen) break
    if (item.kind !== 'answer' || item.segments.length > 0) count += 1
  }
  return count
}
