/** A command that can have keys, by the id that it has in the palette and in `[shortcuts]` of config.toml. */
export interface ShortcutCommand {
  id: string
  label: string
  group: string
  /** The keys it has unless the user chose others; absent: none. */
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

/** The keys that the user chose, by id; an empty text: none. */
export type ShortcutChoices = Readonly<Record<string, string>>

/** The keys of a command now; undefined when it has none. */
export function shortcutOf(id: string, choices: ShortcutChoices | undefined): string | undefined {
  const chosen = choices?.[id]
  if (chosen !== undefined) return chosen === '' ? undefined : chosen
  return SHORTCUT_COMMANDS.find((command) => command.id === id)?.keys
}

/** In the order they are written. */
export const MODIFIERS = ['Mod', 'Ctrl', 'Alt', 'Shift']
const NAMED =
  /^(?:Up|Down|Left|Right|Enter|Esc|Tab|Space|Del|Backspace|Home|End|PageUp|PageDown|Insert|F(?:[1-9]|1[0-9]|2[0-4]))$/

/** What a shortcut must be, to follow "must be". */
export const SHORTCUT_RULE = 'keys such as "Mod+Shift+K" or "F6" (Mod is Cmd on a Mac, else Ctrl), or "" for none'

/** Whether a text names keys: modifiers, each once, and one key. Empty: none. */
export function isShortcutText(text: string): boolean {
  if (text === '') return true
  const keys = keysOf(text)
  const key = keys.at(-1) ?? ''
  const modifiers = keys.slice(0, -1)
  const isKey = NAMED.test(key) || isOneSign(key)
  return isKey && modifiers.every((one, at) => MODIFIERS.includes(one) && modifiers.indexOf(one) === at)
}

/** Whether a key is one sign, such as a letter. */
export function isOneSign(key: string): boolean {
  return /^.$/u.test(key)
}

/** The keys of a shortcut, the last of which is no modifier; `Mod++` has a plus. */
export function keysOf(text: string): string[] {
  if (text === '+') return ['+']
  return text.endsWith('++') ? [...text.slice(0, -2).split('+'), '+'] : text.split('+')
}
