import type { CacheSnapshot } from 'virtua'

/** Where a transcript was left: at its end, or at an item with so many pixels of it above the edge. */
export interface Position {
  following: boolean
  itemId?: string
  offset: number
  /** Measured sizes, good for exactly `count` items beginning with `firstId`. */
  sizes: CacheSnapshot
  firstId?: string
  count: number
}

const KEPT = 40
const positions = new Map<string, Position>()

/** Scroll positions per session, for as long as the page lives. */
export const savedPositions = {
  get: (sessionId: string): Position | undefined => positions.get(sessionId),
  set(sessionId: string, position: Position): void {
    positions.delete(sessionId)
    positions.set(sessionId, position)
    for (const oldest of positions.keys()) {
      if (positions.size <= KEPT) return
      positions.delete(oldest)
    }
  },
}
