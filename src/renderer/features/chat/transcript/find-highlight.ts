import { useEffect, type RefObject } from 'react'
import { useFindMarks } from '../../../state/session/find-state'
import { matchRanges } from './text-matches'

/** The names of the highlights, as in transcript.css. */
const ALL = 'find-match'
const CURRENT = 'find-current'
/** More are not marked: the rows near the screen hold fewer. */
const MAX_RANGES = 2000
/** Rows that change (an answer that is being written) are marked again at most this often, in ms. */
const REST_MS = 120

/**
 * Highlights what the find bar looks for in the rows that are on the page, and scrolls to the current match. The rows
 * themselves do not change: browsers highlight ranges of text.
 */
export function useFindHighlight(sessionId: string, content: RefObject<HTMLElement | null>): void {
  const marks = useFindMarks((state) => (state.sessionId === sessionId ? state : undefined))
  useEffect(() => {
    const root = content.current
    if (!marks || marks.query === '' || !root || !('highlights' in CSS)) return undefined
    const { query, matchCase, itemId } = marks
    // Scrolls once, when the row of the current match is there.
    let hasShown = itemId === undefined
    const mark = (): void => {
      const all: Range[] = []
      const current: Range[] = []
      for (const row of root.querySelectorAll<HTMLElement>('[data-item]')) {
        const isCurrent = row.dataset['item'] === itemId
        const found = matchRanges(row, query, matchCase, MAX_RANGES - all.length - current.length)
        ;(isCurrent ? current : all).push(...found)
        if (!isCurrent || hasShown || !found[0]) continue
        hasShown = true
        bringIntoView(found[0])
      }
      CSS.highlights.set(ALL, new Highlight(...all))
      CSS.highlights.set(CURRENT, new Highlight(...current))
    }
    let timer: ReturnType<typeof setTimeout> | undefined
    const soon = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined
        mark()
      }, REST_MS)
    }
    mark()
    const observer = new MutationObserver(soon)
    observer.observe(root, { childList: true, subtree: true, characterData: true })
    return () => {
      observer.disconnect()
      clearTimeout(timer)
      CSS.highlights.delete(ALL)
      CSS.highlights.delete(CURRENT)
    }
  }, [marks, content])
}

/** In a long row the match can be off the screen although the row is on it. */
function bringIntoView(range: Range): void {
  const { top, bottom } = range.getBoundingClientRect()
  const scroller = range.startContainer.parentElement?.closest('.transcript-scroll')
  const view = scroller?.getBoundingClientRect()
  if (!scroller || !view || (top >= view.top + 8 && bottom <= view.bottom - 8)) return
  scroller.scrollBy({ top: top - view.top - view.height / 3 })
}
