import { useEffect, useEffectEvent } from 'react'
import { answerKey, type CardKey } from './answer-grace'
import type { Grace } from './use-grace'

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

/** Calls `onKey` for those of the card's keys that are meant for it; it is in its place `since`. `active` false: the card asks for something else just now. */
export function useCardKeys(keys: readonly string[], active: boolean, since: Grace['since'], onKey: (key: string) => void): void {
  const keyFor = useEffectEvent((event: KeyboardEvent) =>
    answerKey(pressOf(event), { shownAt: since.current.at, lastKeyAt: presses.before, keys }),
  )
  const answer = useEffectEvent(onKey)
  useEffect(() => {
    if (!active) return undefined
    const listen = (event: KeyboardEvent): void => {
      const key = keyFor(event)
      if (key === undefined) return
      event.preventDefault()
      event.stopPropagation()
      answer(key)
    }
    window.addEventListener('keydown', listen, { capture: true })
    return () => window.removeEventListener('keydown', listen, { capture: true })
  }, [active])
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

const OVERLAY = ['dialog', 'alertdialog', 'menu'].map((role) => `[role="${role}"][data-state="open"]`).join(', ')

function placeOf(target: EventTarget | null): CardKey['where'] {
  if (document.querySelector(OVERLAY)) return 'overlay'
  if (!(target instanceof HTMLElement)) return 'elsewhere'
  // The composer, where the focus mostly is. Other fields (search, rename, edit) are somewhere else in the page: a number is meant for them.
  if (target instanceof HTMLTextAreaElement && target.dataset['composer'] !== undefined)
    return target.dataset['composer'] === 'empty' ? 'empty-text' : 'text'
  return target.matches('input, textarea, select') || target.isContentEditable ? 'text' : 'elsewhere'
}
