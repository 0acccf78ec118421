const APPLE = /Mac|iPhone|iPad/.test(typeof navigator === 'undefined' ? '' : navigator.platform)

const APPLE_SIGNS: Record<string, string> = { Mod: '⌘', Shift: '⇧', Alt: '⌥', Ctrl: '⌃' }
const ARROWS: Record<string, string> = { Up: '↑', Down: '↓', Left: '←', Right: '→' }

/** A shortcut for display: `Mod+K` is `⌘K` on a Mac and `Ctrl K` elsewhere. */
export function shortcutText(shortcut: string): string {
  const keys = shortcut.split('+').map((key) => ARROWS[key] ?? key)
  if (APPLE) return keys.map((key) => APPLE_SIGNS[key] ?? key).join('')
  return keys.map((key) => (key === 'Mod' ? 'Ctrl' : key)).join(' ')
}

/** The same for `aria-keyshortcuts`: `Mod+K` is `Meta+K` or `Control+K`. */
export function shortcutAria(shortcut: string): string {
  return shortcut
    .replace('Mod', APPLE ? 'Meta' : 'Control')
    .replace('Ctrl', 'Control')
    .replace(/\b(Up|Down|Left|Right)\b/, 'Arrow$1')
}

interface KeyPress {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  shiftKey: boolean
}

/** Whether a key press matches this shortcut, e.g. `Mod+K`, `Alt+Up`, `F2`. Mod is Cmd on a Mac and Ctrl elsewhere. */
export function isShortcut(event: KeyPress, shortcut: string): boolean {
  const keys = shortcut.split('+')
  const key = keys.at(-1) ?? ''
  const name = key in ARROWS ? `Arrow${key}` : key === 'Esc' ? 'Escape' : key
  const mod = keys.includes('Mod')
  const wantMeta = mod && APPLE
  const wantCtrl = (mod && !APPLE) || keys.includes('Ctrl')
  // A character like "?" already implies Shift on most layouts; letters and named keys do not.
  const shiftMatters = name.length > 1 || /[a-z]/i.test(name)
  return (
    event.key.toLowerCase() === name.toLowerCase() &&
    event.metaKey === wantMeta &&
    event.ctrlKey === wantCtrl &&
    event.altKey === keys.includes('Alt') &&
    (!shiftMatters || event.shiftKey === keys.includes('Shift'))
  )
}
