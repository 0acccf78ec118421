/** Where a scroll area stands. All in pixels. */
export interface ScrollMetrics {
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
