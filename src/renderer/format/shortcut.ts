import { keysOf } from '../../shared/configuration/shortcuts'

/** Whether this is an Apple system, where Mod is Cmd. */
export const APPLE = /Mac|iPhone|iPad/.test(typeof navigator === 'undefined' ? '' : navigator.platform)

const APPLE_SIGNS: Record<string, string> = { Mod: '⌘', Shift: '⇧', Alt: '⌥', Ctrl: '⌃' }
const ARROWS: Record<string, string> = { Up: '↑', Down: '↓', Left: '←', Right: '→' }

const SPOKEN: Record<string, string> = {
  Ctrl: 'Control',
  Alt: APPLE ? 'Option' : 'Alt',
  Esc: 'Escape',
  Del: 'Delete',
  Up: 'Up arrow',
  Down: 'Down arrow',
  Left: 'Left arrow',
  Right: 'Right arrow',
  '?': 'Question mark',
  ',': 'Comma',
  '.': 'Period',
  '/': 'Slash',
  '\\': 'Backslash',
}

/** A shortcut for display: `Mod+K` is `⌘K` on a Mac and `Ctrl K` elsewhere. */
export function shortcutText(shortcut: string): string {
  const keys = keysOf(shortcut).map((key) => ARROWS[key] ?? key)
  if (APPLE) return keys.map((key) => APPLE_SIGNS[key] ?? key).join('')
  return keys.map((key) => (key === 'Mod' ? 'Ctrl' : key)).join(' ')
}

/** The same spelled out for screen readers: `Mod+Shift+K` is `Command Shift K` or `Control Shift K`. */
export function spokenShortcut(shortcut: string): string {
  return keysOf(shortcut)
    .map((key) => (key === 'Mod' ? (APPLE ? 'Command' : 'Control') : (SPOKEN[key] ?? key)))
    .join(' ')
}

/** The same for `aria-keyshortcuts`: `Mod+K` is `Meta+K` or `Control+K`. */
export function shortcutAria(shortcut: string): string {
  return shortcut
    .replace('Mod', APPLE ? 'Meta' : 'Control')
    .replace('Ctrl', 'Control')
    .replace(/\b(Up|Down|Left|Right)\b/, 'Arrow$1')
}

/** Keys that have different names in the browser. */
const NAMES: Readonly<Record<string, string>> = { Esc: 'Escape', Del: 'Delete', Space: ' ' }

interface KeyPress {
  key: string
  /** The key's position, such as `KeyK`. */
  code?: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  shiftKey: boolean
}

/** Whether a key press matches this shortcut, e.g. `Mod+K`, `Alt+Up`, `F2`. Mod is Cmd on a Mac and Ctrl elsewhere. */
export function isShortcut(event: KeyPress, shortcut: string): boolean {
  const keys = keysOf(shortcut)
  const key = keys.at(-1) ?? ''
  const name = key in ARROWS ? `Arrow${key}` : (NAMES[key] ?? key)
  const mod = keys.includes('Mod')
  const wantMeta = mod && APPLE
  const wantCtrl = (mod && !APPLE) || keys.includes('Ctrl')
  // A character like "?" already implies Shift on most layouts; letters and named keys do not.
  const shiftMatters = name.length > 1 || /[a-z]/i.test(name)
  return (
    (event.key.toLowerCase() === name.toLowerCase() || isSameLetter(event, name)) &&
    event.metaKey === wantMeta &&
    event.ctrlKey === wantCtrl &&
    event.altKey === keys.includes('Alt') &&
    (!shiftMatters || event.shiftKey === keys.includes('Shift'))
  )
}

/**
 * Whether a letter key may type another character: with Alt (Option on a Mac), and on Cyrillic, Greek and other
 * keyboards. Its position then gives the letter.
 */
function typesOtherCharacter({ key, altKey }: KeyPress): boolean {
  return altKey || (key.length === 1 && key > '~')
}

function isSameLetter(event: KeyPress, name: string): boolean {
  return typesOtherCharacter(event) && /^[a-z]$/i.test(name) && event.code === `Key${name.toUpperCase()}`
}

const BROWSER_NAMES: Readonly<Record<string, string>> = {
  Escape: 'Esc',
  Delete: 'Del',
  ' ': 'Space',
  ArrowUp: 'Up',
  ArrowDown: 'Down',
  ArrowLeft: 'Left',
  ArrowRight: 'Right',
}

/** The shortcut for a key press; undefined while only modifiers are held. */
export function shortcutFrom(event: KeyPress): string | undefined {
  const { key, code, ctrlKey, metaKey, altKey, shiftKey } = event
  if (['Control', 'Shift', 'Alt', 'AltGraph', 'Meta', 'OS', 'Dead', 'Process', 'Unidentified'].includes(key))
    return undefined
  const letter = typesOtherCharacter(event) ? /^Key([A-Z])$/.exec(code ?? '')?.[1] : undefined
  const name = letter ?? BROWSER_NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key)
  const shiftMatters = name.length > 1 || /\p{L}/u.test(name)
  return [
    ...((APPLE ? metaKey : ctrlKey) ? ['Mod'] : []),
    ...(APPLE && ctrlKey ? ['Ctrl'] : []),
    ...(altKey ? ['Alt'] : []),
    ...(shiftKey && shiftMatters ? ['Shift'] : []),
    name,
  ].join('+')
}
