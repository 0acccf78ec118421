import { useEffect, useRef, useState } from 'react'
import { useAppCommands, type CommandInput } from './app-commands'
import { Palette } from './views/lazy-views'
import { isShortcut } from './format/shortcut'
import { useLayout } from './state/page/layout-state'
import { useKeys } from './state/page/shortcuts'

interface AppShortcutsProps extends Omit<CommandInput, 'withSessions'> {
  /** Leaves a page other than a session; undefined while no such page is shown. */
  leave: (() => void) | undefined
}

/** The commands of the page: their shortcuts, and the palette that lists them. */
export function AppShortcuts({ leave, ...input }: AppShortcutsProps) {
  const paletteOpen = useLayout((layout) => layout.paletteOpen)
  const commands = useAppCommands({ ...input, withSessions: paletteOpen })
  const [search, setSearch] = useState('')
  const setOpen = (open: boolean): void => {
    setSearch('')
    useLayout.getState().setPaletteOpen(open)
  }
  const palette = useKeys('palette')
  const paletteKeys = palette === undefined ? {} : { shortcut: palette }
  useShortcuts([
    { ...paletteKeys, run: () => useLayout.getState().setPaletteOpen(true) },
    ...commands,
    ...(leave ? [{ shortcut: 'Esc', run: leave }] : []),
  ])
  return paletteOpen && <Palette open onOpenChange={setOpen} commands={commands} search={search} onSearch={setSearch} />
}

interface Bound {
  shortcut?: string
  /** Whether the shortcut works while this element has the focus; default: everywhere. */
  isFor?: (target: EventTarget | null) => boolean
  run?: () => void
}

/**
 * Runs the bound action when its shortcut is pressed anywhere on the page. Text fields keep shortcuts without Ctrl, Cmd
 * or Alt (like `?`), and shortcuts are off while a dialog is open.
 */
function useShortcuts(bound: readonly Bound[]): void {
  const latest = useRef(bound)
  useEffect(() => {
    latest.current = bound
  }, [bound])
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || event.repeat) return
      const plain = !event.ctrlKey && !event.metaKey && !event.altKey
      if (plain && isTyping(event.target)) return
      const hit = latest.current.find(
        ({ shortcut, run, isFor }) =>
          shortcut !== undefined && run !== undefined && isShortcut(event, shortcut) && (isFor?.(event.target) ?? true),
      )
      if (!hit?.run || isBehindDialog()) return
      event.preventDefault()
      hit.run()
    }
    window.addEventListener('keydown', onKeyDown)
    // Shows tests that the page handles keys from now on.
    document.documentElement.dataset['keys'] = 'ready'
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))
}

function isBehindDialog(): boolean {
  return document.querySelector('[role=dialog]:not([data-nonmodal]), [role=alertdialog]') !== null
}
