import { useSyncExternalStore } from 'react'

/** The time since a moment (ms since the epoch), in seconds: `8 s`, `2:05`. Empty during the first second. */
export function Elapsed({ since }: { since: number }) {
  const now = useNowEachSecond()
  const seconds = Math.floor((now - since) / 1000)
  return seconds < 1 ? null : <span className="tabular-nums">{formatElapsed(seconds)}</span>
}

export function formatElapsed(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  const rest = String(seconds % 60).padStart(2, '0')
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${rest}`
  return `${Math.floor(seconds / 3600)}:${String(Math.floor((seconds % 3600) / 60)).padStart(2, '0')}:${rest}`
}

let now = Date.now()
let ticking: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (ticking === undefined) {
    now = Date.now()
    ticking = setInterval(() => {
      now = Date.now()
      for (const notify of listeners) notify()
    }, 1000)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(ticking)
    ticking = undefined
  }
}

function idle(): () => void {
  return () => undefined
}

/** Now in ms; re-renders every second while `active`. One timer for all users of the hook. */
export function useNowEachSecond(active = true): number {
  return useSyncExternalStore(active ? subscribe : idle, () =>
    ticking === undefined ? Math.floor(Date.now() / 1000) * 1000 : now,
  )
}
