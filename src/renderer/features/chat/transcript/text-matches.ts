/** Elements whose text stands apart from the text around them. */
const BLOCKS = 'p, li, td, th, h1, h2, h3, h4, h5, h6, pre, blockquote, figcaption, summary, button, div'

interface Piece {
  node: Text
  /** Where its text begins in the text of the row. */
  start: number
}

/** The visible text of an element, and the text nodes it is made of. Blocks are separated, so that no match spans two. */
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
export function matchRanges(element: Element, query: string, matchCase: boolean, limit: number): Range[] {
  const { text, pieces } = textOf(element)
  const folded = matchCase ? text : text.toLowerCase()
  // Lower case can have another length (İ): positions would be wrong.
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
