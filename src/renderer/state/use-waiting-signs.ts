import { useEffect } from 'react'
import { callsOf } from './calls'
import { useInbox } from './inbox-state'
import { useTasks } from './tasks-state'

/** `(2) Trestle` and an amber dot on the icon while something waits, so that the tab or taskbar says it. */
export function useWaitingSigns(): void {
  const entries = useInbox((state) => state.entries)
  const asking = useTasks((state) => state.waiting)
  const waiting = callsOf(entries, asking).length
  useEffect(() => {
    document.title = waiting > 0 ? `(${waiting}) Trestle` : 'Trestle'
    const icon = waiting > 0 ? './icon-waiting.svg' : './icon.svg'
    const link = document.querySelector<HTMLLinkElement>('link[rel=icon]')
    if (link && link.getAttribute('href') !== icon) link.href = icon
  }, [waiting])
}
