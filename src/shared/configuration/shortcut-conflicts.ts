import { isOneSign, keysOf, MODIFIERS, type ShortcutChoices, type ShortcutCommand } from './shortcuts'

/** Keys that always mean the same in the interface. What to say of them follows "is used for". */
export const FIXED_KEYS: Readonly<Record<string, string>> = {
  Enter: 'sending a message and pressing buttons',
  'Shift+Enter': 'a new line',
  Tab: 'moving between controls',
  'Shift+Tab': 'moving between controls',
  Esc: 'closing and stopping',
  Space: 'pressing buttons',
  Up: 'moving in lists',
  Down: 'moving in lists',
  Left: 'moving in lists',
  Right: 'moving in lists',
  Home: 'moving in lists',
  End: 'moving in lists',
  Backspace: 'deleting text',
  Del: 'deleting',
  'Mod+C': 'copying',
  'Mod+V': 'pasting',
  'Mod+X': 'cutting',
  'Mod+A': 'selecting everything',
  'Mod+Z': 'undoing',
  'Mod+S': 'sending a message at once',
  'Ctrl+S': 'sending a message at once',
}

/** Keys that browsers keep for themselves, so that a page never gets them. */
const BROWSER_KEYS: readonly string[] = [
  'Mod+T',
  'Mod+W',
  'Mod+N',
  'Mod+Shift+T',
  'Mod+Shift+N',
  'Mod+Shift+W',
  'Ctrl+Tab',
  'Ctrl+Shift+Tab',
  'Mod+Q',
  'F11',
]

/** A shortcut in one spelling, to compare: modifiers in order, letters in upper case, Ctrl as Mod off a Mac. */
export function comparableKeys(text: string, isMac: boolean): string {
  const keys = keysOf(text)
  const key = keys.at(-1) ?? ''
  const modifiers = new Set(keys.slice(0, -1).map((one) => (one === 'Ctrl' && !isMac ? 'Mod' : one)))
  // A character such as "?" already implies Shift.
  if (isOneSign(key) && !/\p{L}/u.test(key)) modifiers.delete('Shift')
  return [...MODIFIERS.filter((one) => modifiers.has(one)), isOneSign(key) ? key.toUpperCase() : key].join('+')
}

/** Why keys should not, or cannot, be used for a command. */
export interface ShortcutConflict {
  /** `fixed`: it cannot be used. `browser`: it works on desktop only. */
  kind: 'command' | 'fixed' | 'browser'
  /** The other command. */
  id?: string
  /** What is in the way, as a sentence. */
  message: string
}

export interface ConflictContext {
  /** Every command there is. */
  commands: readonly ShortcutCommand[]
  isMac: boolean
  /** Keys that browsers keep count, too. */
  inBrowser: boolean
}

/** What is in the way of giving a command these keys. */
export function conflictsOf(
  id: string,
  keys: string,
  choices: ShortcutChoices,
  { commands, isMac, inBrowser }: ConflictContext,
): ShortcutConflict[] {
  if (keys === '') return []
  const same = comparableKeys(keys, isMac)
  const isSame = (other: string): boolean => comparableKeys(other, isMac) === same
  const fixed = Object.entries(FIXED_KEYS).find(([other]) => isSame(other))
  const conflicts: ShortcutConflict[] = fixed ? [{ kind: 'fixed', message: `This is used for ${fixed[1]}.` }] : []
  for (const other of commands) {
    const theirs = choices[other.id] ?? other.keys
    if (other.id !== id && theirs !== undefined && theirs !== '' && isSame(theirs))
      conflicts.push({ kind: 'command', id: other.id, message: `${other.label} has these keys.` })
  }
  if (inBrowser && BROWSER_KEYS.some(isSame))
    conflicts.push({
      kind: 'browser',
      message: 'Browsers keep these keys for themselves; they work in the desktop app.',
    })
  return conflicts
}
