import { useSyncExternalStore } from 'react'

let now = Date.now()
let ticking: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (ticking === undefined) {
    now = Date.now()
    ticking = setInterval(() => {
      now = Date.now()
      for (const tell of listeners) tell()
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

/** Now in ms; draws again every second while `active`. One timer for all who ask. */
export function useSecond(active = true): number {
  return useSyncExternalStore(active ? subscribe : idle, () => (ticking === undefined ? Math.floor(Date.now() / 1000) * 1000 : now))
}
