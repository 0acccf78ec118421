/** A command that can have keys, with its id in the palette and in `[shortcuts]` of config.toml. */
export interface ShortcutCommand {
  id: string
  label: string
  group: string
  /** The default keys; absent: none. */
  keys?: string
}

/** Every command whose keys can be changed. */
export const SHORTCUT_COMMANDS: readonly ShortcutCommand[] = [
  { id: 'palette', label: 'Command palette', group: 'Anywhere', keys: 'Mod+K' },
  { id: 'new', label: 'New session', group: 'Anywhere', keys: 'Mod+N' },
  { id: 'settings', label: 'Settings', group: 'Anywhere', keys: 'Mod+,' },
  { id: 'inbox', label: 'Inbox', group: 'Anywhere', keys: 'Mod+U' },
  { id: 'waiting', label: 'Next session that needs you', group: 'Anywhere' },
  { id: 'tasks', label: 'Tasks', group: 'Anywhere', keys: 'Mod+B' },
  { id: 'memory', label: 'Memory', group: 'Anywhere' },
  { id: 'schedules', label: 'Schedules', group: 'Anywhere' },
  { id: 'notifications', label: 'Alarms and notifications', group: 'Anywhere' },
  { id: 'previous', label: 'Previous session', group: 'Anywhere', keys: 'Alt+Up' },
  { id: 'next', label: 'Next session', group: 'Anywhere', keys: 'Alt+Down' },
  { id: 'shortcuts', label: 'Keyboard shortcuts', group: 'Anywhere', keys: '?' },
  { id: 'sidebar', label: 'Show or hide the sidebar', group: 'View', keys: 'Mod+\\' },
  { id: 'inspector', label: 'Show or hide the inspector', group: 'View', keys: 'Mod+I' },
  { id: 'messages', label: 'Messages', group: 'View' },
  { id: 'theme-light', label: 'Theme: light', group: 'View' },
  { id: 'theme-dark', label: 'Theme: dark', group: 'View' },
  { id: 'theme-system', label: 'Theme: system', group: 'View' },
  { id: 'stop', label: 'Stop the running turn', group: 'This session', keys: 'Mod+.' },
  { id: 'find', label: 'Find in this session', group: 'This session', keys: 'Mod+F' },
  { id: 'copy-link', label: 'Copy link to this session', group: 'This session' },
  { id: 'copy-id', label: 'Copy session ID', group: 'This session' },
]

/** The keys that the user chose, by id; an empty string: no keys. */
export type ShortcutChoices = Readonly<Record<string, string>>

/** The keys of a command now; undefined when it has none. */
export function shortcutOf(id: string, choices: ShortcutChoices | undefined): string | undefined {
  const chosen = choices?.[id]
  if (chosen !== undefined) return chosen === '' ? undefined : chosen
  return SHORTCUT_COMMANDS.find((command) => command.id === id)?.keys
}

/** In the order they are written. */
const MODIFIERS = ['Mod', 'Ctrl', 'Alt', 'Shift']
const NAMED =
  /^(?:Up|Down|Left|Right|Enter|Esc|Tab|Space|Del|Backspace|Home|End|PageUp|PageDown|Insert|F(?:[1-9]|1[0-9]|2[0-4]))$/

/** The format of a shortcut, to follow "must be". */
export const SHORTCUT_RULE = 'keys such as "Mod+Shift+K" or "F6" (Mod is Cmd on a Mac, else Ctrl), or "" for none'

/** Whether a text names keys: modifiers, each at most once, and one key. Empty: no keys. */
export function isShortcutText(text: string): boolean {
  if (text === '') return true
  const keys = keysOf(text)
  const key = keys.at(-1) ?? ''
  const modifiers = keys.slice(0, -1)
  const isKey = NAMED.test(key) || isOneSign(key)
  return isKey && modifiers.every((one, at) => MODIFIERS.includes(one) && modifiers.indexOf(one) === at)
}

/** Whether a key is a single character, such as a letter. */
function isOneSign(key: string): boolean {
  return /^.$/u.test(key)
}

/** The keys of a shortcut, the last of which is not a modifier; `Mod++` has a plus. */
export function keysOf(text: string): string[] {
  if (text === '+') return ['+']
  return text.endsWith('++') ? [...text.slice(0, -2).split('+'), '+'] : text.split('+')
}

/** Keys with a fixed meaning in the interface. The descriptions follow "is used for". */
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
  'Mod+S': 'sending a message immediately',
  'Ctrl+S': 'sending a message immediately',
}

/** Keys that browsers reserve, so that a page never receives them. */
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

/**
 * A shortcut in normalized spelling, for comparison: modifiers in order, letters in upper case, Ctrl as Mod except on a
 * Mac.
 */
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
  label?: string
  /** The conflict, as a sentence. */
  message: string
}

interface ConflictContext {
  /** Every command. */
  commands: readonly ShortcutCommand[]
  isMac: boolean
  /** Whether keys that browsers reserve count, too. */
  inBrowser: boolean
}

/** The conflicts of giving a command these keys. */
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
      conflicts.push({ kind: 'command', id: other.id, label: other.label, message: `Already used for ${other.label}.` })
  }
  if (inBrowser && BROWSER_KEYS.some(isSame))
    conflicts.push({
      kind: 'browser',
      message: 'Browsers reserve these keys. They work in the desktop app.',
    })
  return conflicts
}
