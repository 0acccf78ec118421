import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react'
import { GRACE_MS } from './answer-grace'

export interface Grace {
  /** Whether a click counts. */
  isArmed: boolean
  /** When the card came to where it is, on the clock of key presses. */
  since: RefObject<number>
}

/** The moment in which a card takes no answer: after it has come up, and again whenever `place` changes, that is when it moved under the cursor. */
export function useGrace(place: string): Grace {
  const [armedAt, setArmedAt] = useState<string>()
  const since = useRef(Number.POSITIVE_INFINITY)
  useLayoutEffect(() => {
    since.current = performance.now()
  }, [place])
  useEffect(() => {
    const timer = setTimeout(() => setArmedAt(place), GRACE_MS)
    return () => clearTimeout(timer)
  }, [place])
  return { isArmed: armedAt === place, since }
}
