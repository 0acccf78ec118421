import type { ViewPlace } from '../../../shared/model/page-preview'

/** Points in each direction at which the area is looked for: anything larger than the gaps is noticed. */
const GRID = 6
/** Handles at the edges of a pane reach this far into it. */
const EDGE_PX = 6

/**
 * Tells where an element is, whenever that changes, and null while something else of the page lies over it: a view above
 * the page would hide it. Returns a function that stops, and tells null.
 */
export function watchPlace(element: HTMLElement, tell: (place: ViewPlace | null) => void): () => void {
  let last: string | undefined
  const look = (): void => {
    const place = isUncovered(element) ? placeOf(element) : null
    const next = JSON.stringify(place)
    if (next !== last) {
      last = next
      tell(place)
    }
    frame = requestAnimationFrame(look)
  }
  let frame = requestAnimationFrame(look)
  return () => {
    cancelAnimationFrame(frame)
    tell(null)
  }
}

function placeOf(element: HTMLElement): ViewPlace | null {
  const { x, y, width, height } = element.getBoundingClientRect()
  return width < 1 || height < 1 ? null : { x, y, width, height }
}

/** Whether nothing lies over the element, as far as the points of the grid show. */
function isUncovered(element: HTMLElement): boolean {
  const { left, top, width, height } = element.getBoundingClientRect()
  for (let row = 0; row < GRID; row += 1) {
    for (let column = 0; column < GRID; column += 1) {
      const x = left + EDGE_PX + ((width - 2 * EDGE_PX) * column) / (GRID - 1)
      const y = top + EDGE_PX + ((height - 2 * EDGE_PX) * row) / (GRID - 1)
      const found = document.elementFromPoint(x, y)
      // Outside the window there is nothing.
      if (found && !element.contains(found)) return false
    }
  }
  return true
}
