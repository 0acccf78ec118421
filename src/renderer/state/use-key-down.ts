import { useEffect, useEffectEvent, type RefObject } from 'react'

/** Calls `onKeyDown` for keys pressed within the element: for areas that are no control themselves but know what a key means in them. */
export function useKeyDown(area: RefObject<HTMLElement | null>, onKeyDown: (event: KeyboardEvent) => void): void {
  const tell = useEffectEvent(onKeyDown)
  useEffect(() => {
    const element = area.current
    const listen = (event: KeyboardEvent): void => tell(event)
    element?.addEventListener('keydown', listen)
    return () => element?.removeEventListener('keydown', listen)
  }, [area])
}
