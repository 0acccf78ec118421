import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react'
import { GRACE_MS } from './answer-grace'

export interface Grace {
  /** Whether a click counts. */
  isArmed: boolean
  /** When the card came to its place, on the clock of key presses. */
  since: RefObject<{ place: string; at: number }>
}

/** The moment in which a card takes no answer: after it has come up, and again whenever `place` changes, that is when it moved under the cursor. */
export function useGrace(place: string): Grace {
  const [armedAt, setArmedAt] = useState<string>()
  const since = useRef({ place, at: Number.POSITIVE_INFINITY })
  useLayoutEffect(() => {
    since.current = { place, at: performance.now() }
  }, [place])
  useEffect(() => {
    const timer = setTimeout(() => setArmedAt(place), GRACE_MS)
    return () => clearTimeout(timer)
  }, [place])
  return { isArmed: armedAt === place, since }
}
