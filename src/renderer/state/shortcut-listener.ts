import { useEffect, useRef } from 'react'
import { isShortcut } from '../ui/shortcut'

interface Bound {
  shortcut?: string
  run?: () => void
}

/**
 * Runs the bound action when its shortcut is pressed anywhere on the page. A shortcut without Ctrl, Cmd or Alt (like `?`) is left to
 * fields that one types into, and nothing happens behind an open dialog.
 */
export function useShortcuts(bound: readonly Bound[]): void {
  const latest = useRef(bound)
  useEffect(() => {
    latest.current = bound
  }, [bound])
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || event.repeat) return
      const plain = !event.ctrlKey && !event.metaKey && !event.altKey
      if (plain && isTyping(event.target)) return
      const hit = latest.current.find(({ shortcut, run }) => shortcut !== undefined && run !== undefined && isShortcut(event, shortcut))
      if (!hit?.run || isBehindDialog()) return
      event.preventDefault()
      hit.run()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))
}

function isBehindDialog(): boolean {
  return document.querySelector('[role=dialog]:not([data-nonmodal]), [role=alertdialog]') !== null
}
