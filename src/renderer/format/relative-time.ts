import { useSyncExternalStore } from 'react'
import { formatDate } from '../../shared/language/speak'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A short age: `now`, `5 min`, `2 h`, `Tue`, `3 Mar`, `3 Mar 2025`. Both in ms since the epoch. */
export function relativeTime(at: number, now: number): string {
  const age = now - at
  if (age < MINUTE) return 'now'
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min`
  if (age < 12 * HOUR) return `${Math.floor(age / HOUR)} h`
  const date = new Date(at)
  if (age < 6 * DAY) return formatDate(date, { weekday: 'short' })
  const sameYear = date.getFullYear() === new Date(now).getFullYear()
  return formatDate(date, { day: 'numeric', month: 'short', ...(!sameYear && { year: 'numeric' }) })
}

/** A duration: `840 ms`, `3.2 s`, `1 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < MINUTE) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`
  return `${Math.floor(ms / MINUTE)} min ${Math.round((ms % MINUTE) / 1000)} s`
}

let ticking: ReturnType<typeof setInterval> | undefined
let minute = Math.floor(Date.now() / MINUTE) * MINUTE
const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  ticking ??= setInterval(() => {
    const next = Math.floor(Date.now() / MINUTE) * MINUTE
    if (next === minute) return
    minute = next
    for (const notify of listeners) notify()
  }, 5000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(ticking)
    ticking = undefined
  }
}

/** The current time, to the minute; components that use it re-render once a minute. One timer for all of them. */
export function useNowEachMinute(): number {
  // Half a minute ahead, so that something a few seconds old is not in the future.
  return useSyncExternalStore(subscribe, () => minute) + MINUTE
}
