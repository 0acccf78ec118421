/** Where a scroll area stands. All in pixels. */
export interface ScrollMetrics {
  top: number
  height: number
  viewport: number
}

/** Within this distance of the end the view counts as being at the end. */
const NEAR = 24
/** A jump of this share of the viewport that no input explains: find in page, a screen reader. */
const JUMP = 0.6

export function distanceFromEnd({ top, height, viewport }: ScrollMetrics): number {
  return Math.max(0, height - viewport - top)
}

/**
 * Whether the view goes on following the end after a scroll event. Only moving up lets go. `byReader`: the reader has just done something
 * that can scroll (wheel, key, touch, scrollbar, focus); without that, small movements come from rows above being measured while
 * others below grow, and only a jump lets go.
 */
export function followsEnd(following: boolean, before: ScrollMetrics, now: ScrollMetrics, byReader: boolean): boolean {
  if (distanceFromEnd(now) <= NEAR) return true
  if (!following) return false
  const movedUp = before.top - now.top
  const shrunk = Math.max(0, before.height - now.height)
  return movedUp <= shrunk + (byReader ? 1 : now.viewport * JUMP)
}
