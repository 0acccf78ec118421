import { useEffect } from 'react'
import { callsOf } from './calls'
import { useInbox } from './inbox-state'
import { useTasks } from './tasks-state'

/** `(2) Fix the login – Trestle` and an amber dot on the icon while something waits, so that the tab or taskbar says it. `place`: what is open. */
export function useWaitingSigns(place: string | undefined): void {
  const entries = useInbox((state) => state.entries)
  const asking = useTasks((state) => state.waiting)
  const waiting = callsOf(entries, asking).length
  useEffect(() => {
    const name = place === undefined ? 'Trestle' : `${place} – Trestle`
    document.title = waiting > 0 ? `(${waiting}) ${name}` : name
    const icon = waiting > 0 ? '/icon-waiting.svg' : '/icon.svg'
    const link = document.querySelector<HTMLLinkElement>('link[rel=icon]')
    if (link && link.getAttribute('href') !== icon) link.href = icon
  }, [waiting, place])
}
