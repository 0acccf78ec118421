import { useEffect } from 'react'
import { useInbox } from './inbox-state'

/** `(2) Trestle` and an amber dot on the icon while something waits, so that the tab or taskbar says it. */
export function useWaitingSigns(): void {
  const waiting = useInbox((state) => state.entries.length)
  useEffect(() => {
    document.title = waiting > 0 ? `(${waiting}) Trestle` : 'Trestle'
    const icon = waiting > 0 ? './icon-waiting.svg' : './icon.svg'
    const link = document.querySelector<HTMLLinkElement>('link[rel=icon]')
    if (link && link.getAttribute('href') !== icon) link.href = icon
  }, [waiting])
}
