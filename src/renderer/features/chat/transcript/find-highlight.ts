import { useEffect, type RefObject } from 'react'
import { useFindMarks } from '../../../state/session/find-state'

/** Elements whose text is separate from the surrounding text. */
const BLOCKS = 'p, li, td, th, h1, h2, h3, h4, h5, h6, pre, blockquote, figcaption, summary, button, div'

interface Piece {
  node: Text
  /** Where its text starts in the text of the row. */
  start: number
}

/**
 * The visible text of an element, and the text nodes it is made of. Blocks are separated, so that no match spans two.
 */
function textOf(element: Element): { text: string; pieces: Piece[] } {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  const pieces: Piece[] = []
  let text = ''
  let block: Element | null = null
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement
    if (!(node instanceof Text) || !parent || parent.closest('.sr-only')) continue
    const own = parent.closest(BLOCKS)
    if (own !== block && text !== '') text += '\u0000'
    block = own
    pieces.push({ node, start: text.length })
    text += node.data
  }
  return { text, pieces }
}

/** Ranges of the text in an element, in order; at most `limit`. */
function matchRanges(element: Element, query: string, matchCase: boolean, limit: number): Range[] {
  const { text, pieces } = textOf(element)
  const folded = matchCase ? text : text.toLowerCase()
  // Lowercase text can have a different length (İ), which would shift positions.
  const usable = folded.length === text.length ? folded : text
  const wanted = matchCase ? query : query.toLowerCase()
  const ranges: Range[] = []
  if (wanted === '') return ranges
  let piece = 0
  for (
    let at = usable.indexOf(wanted);
    at >= 0 && ranges.length < limit;
    at = usable.indexOf(wanted, at + wanted.length)
  ) {
    while ((pieces[piece + 1]?.start ?? Infinity) <= at) piece += 1
    let last = piece
    const end = at + wanted.length
    while ((pieces[last + 1]?.start ?? Infinity) < end) last += 1
    const from = pieces[piece]
    const to = pieces[last]
    if (!from || !to) break
    const range = document.createRange()
    range.setStart(from.node, Math.min(from.node.length, at - from.start))
    range.setEnd(to.node, Math.min(to.node.length, end - to.start))
    ranges.push(range)
  }
  return ranges
}

/** The names of the highlights, as in transcript.css. */
const ALL = 'find-match'
const CURRENT = 'find-current'
/** Maximum number of highlighted matches; the rows near the screen usually have fewer. */
const MAX_RANGES = 2000
/** Minimum interval for highlighting changing rows (an answer that is being written) again, in ms. */
const REST_MS = 120

/**
 * Highlights the matches of the find bar in the rendered rows, and scrolls to the current one. The rows themselves do
 * not change: browsers highlight ranges of text.
 */
export function useFindHighlight(sessionId: string, content: RefObject<HTMLElement | null>): void {
  const marks = useFindMarks((state) => (state.sessionId === sessionId ? state : undefined))
  useEffect(() => {
    const root = content.current
    if (!marks || marks.query === '' || !root || !('highlights' in CSS)) return undefined
    const { query, matchCase, itemId } = marks
    // Scrolls once, when the row of the current match is rendered.
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

/** Scrolls to the match itself: in a long row it can be off screen while the row is on screen. */
function bringIntoView(range: Range): void {
  const { top, bottom } = range.getBoundingClientRect()
  const scroller = range.startContainer.parentElement?.closest('.transcript-scroll')
  const view = scroller?.getBoundingClientRect()
  if (!scroller || !view || (top >= view.top + 8 && bottom <= view.bottom - 8)) return
  scroller.scrollBy({ top: top - view.top - view.height / 3 })
}
