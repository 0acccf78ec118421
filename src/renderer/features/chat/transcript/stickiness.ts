/** Where a scroll area stands. All in pixels. */
export interface ScrollMetrics {
  top: number
  height: number
  viewport: number
}

/** Within this distance of the end the view counts as being at the end. */
const NEAR = 24

export function distanceFromEnd({ top, height, viewport }: ScrollMetrics): number {
  return Math.max(0, height - viewport - top)
}

/**
 * Whether the view goes on following the end after a scroll event. Only moving up lets go: content that grows leaves `top` where it was,
 * and content that shrinks above moves `top` and the end together. This needs no guess at what caused the event, so
 * scrollbars, keys, find-in-page and screen readers all count.
 */
export function followsEnd(following: boolean, before: ScrollMetrics, now: ScrollMetrics): boolean {
  const distance = distanceFromEnd(now)
  if (distance <= NEAR) return true
  if (!following) return false
  const movedUp = before.top - now.top
  const shrunk = before.height - now.height
  return !(movedUp > 1 && movedUp > shrunk + 1)
}
