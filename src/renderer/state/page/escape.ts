import { useEffect, useEffectEvent, type RefObject } from 'react'

/**
 * The order in which Escape closes things. Outermost to innermost: stopping the turn, a pending approval card, a form
 * opened in it, and popups over all of them. Dialogs and menus handle the key before any of these.
 */
const LAYERS = ['stop', 'card', 'form', 'popover'] as const
export type EscapeLayer = (typeof LAYERS)[number]

/** `false`: not handled; the next layer out gets the key. */
type Handler = (event: KeyboardEvent) => boolean | void

interface Entry {
  layer: EscapeLayer
  handle: Handler
}

/** In the order they were opened. */
const open: Entry[] = []

/** Passes Escape to the innermost layer that is open and handles it. */
function onKeyDown(event: KeyboardEvent): void {
  if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return
  const inward = open.toSorted((a, b) => LAYERS.indexOf(a.layer) - LAYERS.indexOf(b.layer))
  for (const { handle } of inward.toReversed()) {
    if (handle(event) === false) continue
    event.preventDefault()
    return
  }
}

// Registered before any other listener of the page, so that leaving a page by Escape comes last.
if (typeof window !== 'undefined') window.addEventListener('keydown', onKeyDown)

/** While `active`, Escape anywhere on the page calls `handle`, unless an inner layer handles it. */
export function useEscape(layer: EscapeLayer, active: boolean, handle: Handler): void {
  const handler = useEffectEvent(handle)
  useEffect(() => {
    if (!active) return undefined
    const entry: Entry = { layer, handle: (event) => handler(event) }
    open.push(entry)
    return () => {
      open.splice(open.indexOf(entry), 1)
    }
  }, [layer, active])
}

/**
 * Calls `onKeyDown` for keys pressed within the element: for areas that are not controls themselves but have shortcuts.
 */
export function useKeyDown(area: RefObject<HTMLElement | null>, onKeyDown: (event: KeyboardEvent) => void): void {
  const handle = useEffectEvent(onKeyDown)
  useEffect(() => {
    const element = area.current
    const listen = (event: KeyboardEvent): void => handle(event)
    element?.addEventListener('keydown', listen)
    return () => element?.removeEventListener('keydown', listen)
  }, [area])
}
