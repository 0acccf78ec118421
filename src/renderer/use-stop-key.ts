import { useEffect, useState, type RefObject } from 'react'
import { useEscape } from './state/escape'

/** A second Escape counts as one for this long (ms). */
const ARMED_MS = 4000

/**
 * Escape, when nothing further in takes it, asks whether to stop; a second one stops. `work` is what runs now (undefined: nothing).
 * Returns whether the next Escape stops it.
 */
export function useStopKey(root: RefObject<HTMLElement | null>, work: string | undefined, stop: () => void): boolean {
  const [armed, setArmed] = useState<string>()
  useEffect(() => {
    if (armed === undefined) return undefined
    const timer = setTimeout(() => setArmed(undefined), ARMED_MS)
    return () => clearTimeout(timer)
  }, [armed])
  useEscape('stop', work !== undefined, (event) => {
    // It may be meant for another part of the page: the list of sessions, a terminal.
    const here = event.target === document.body || (event.target instanceof Node && root.current?.contains(event.target))
    if (!here) return false
    if (event.repeat) return true
    const isSecond = armed === work
    setArmed(isSecond ? undefined : work)
    if (isSecond) stop()
    return true
  })
  return work !== undefined && armed === work
}
