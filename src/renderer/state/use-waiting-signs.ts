import { useEffect } from 'react'
import { useInbox } from './inbox-state'
import { useTasks } from './tasks-state'

/** `(2) Trestle` and an amber dot on the icon while something waits, so that the tab or taskbar says it. */
export function useWaitingSigns(): void {
  const requests = useInbox((state) => state.entries.length)
  const prompts = useTasks((state) => state.waiting.length)
  const waiting = requests + prompts
  useEffect(() => {
    document.title = waiting > 0 ? `(${waiting}) Trestle` : 'Trestle'
    const icon = waiting > 0 ? './icon-waiting.svg' : './icon.svg'
    const link = document.querySelector<HTMLLinkElement>('link[rel=icon]')
    if (link && link.getAttribute('href') !== icon) link.href = icon
  }, [waiting])
}
