import { useEffect, useRef } from 'react'
import { optionForKey, type CardKey } from './answer-grace'

/** When keys were pressed in this page, the present one and the one before; kept over cards, so that a new one knows that somebody is typing. */
const presses = { last: Number.NEGATIVE_INFINITY, before: Number.NEGATIVE_INFINITY }
if (typeof window !== 'undefined') {
  // Registered before any card's listener, so it hears each press first, whoever stops it later.
  const note = (event: KeyboardEvent): void => {
    presses.before = presses.last
    presses.last = event.timeStamp
  }
  window.addEventListener('keydown', note, { capture: true })
}

/** Calls `onOption` for keys 1 to 9 that are meant for the card. `active` false: the card asks for something else just now. */
export function useCardKeys(options: number, active: boolean, onOption: (option: number) => void): void {
  const shownAt = useRef(performance.now())
  const latest = useRef(onOption)
  latest.current = onOption
  useEffect(() => {
    if (!active) return
    const listen = (event: KeyboardEvent): void => {
      const option = optionForKey(pressOf(event), { shownAt: shownAt.current, lastKeyAt: presses.before, options })
      if (option === undefined) return
      event.preventDefault()
      event.stopPropagation()
      latest.current(option)
    }
    window.addEventListener('keydown', listen, { capture: true })
    return () => window.removeEventListener('keydown', listen, { capture: true })
  }, [options, active])
}

function pressOf(event: KeyboardEvent): CardKey {
  return {
    key: event.key,
    at: event.timeStamp,
    repeat: event.repeat,
    modified: event.ctrlKey || event.metaKey || event.altKey,
    composing: event.isComposing,
    where: placeOf(event.target),
  }
}

function placeOf(target: EventTarget | null): CardKey['where'] {
  if (
    document.querySelector('[role="dialog"][data-state="open"], [role="menu"][data-state="open"], [role="alertdialog"][data-state="open"]')
  )
    return 'overlay'
  if (!(target instanceof Element)) return 'elsewhere'
  if (target instanceof HTMLTextAreaElement) return target.value === '' ? 'empty-text' : 'text'
  // Other fields (search, rename) are somewhere else in the page, and a number is meant for them.
  if (
    target instanceof HTMLInputElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLElement && target.isContentEditable)
  )
    return 'text'
  return 'elsewhere'
}
