/** `[desktop]` of config.toml: how the desktop app behaves. Other hosts ignore it. */
export interface DesktopSettings {
  /** An icon in the tray or menu bar with what runs and what is pending. */
  tray: boolean
  /** Closing the last window leaves the app running in the tray. */
  closeToTray: boolean
  startAtLogin: boolean
  /** The computer does not go to sleep while a turn runs. */
  keepAwake: boolean
  /** Keyboard shortcut that opens the quick prompt from anywhere, e.g. `Ctrl+Shift+Space`; empty: none. */
  quickPrompt: string
  /** Opening a project opens a window of its own. */
  windowPerProject: boolean
  /** Windows and Linux: the menu bar is shown. Its shortcuts work either way. */
  menuBar: boolean
}

/** The names in `[desktop]`. */
export const DESKTOP_KEYS: Readonly<Record<keyof DesktopSettings, string>> = {
  tray: 'tray',
  closeToTray: 'close_to_tray',
  startAtLogin: 'start_at_login',
  keepAwake: 'keep_awake',
  quickPrompt: 'quick_prompt',
  windowPerProject: 'window_per_project',
  menuBar: 'menu_bar',
}

const MODIFIER = '(?:CommandOrControl|CmdOrCtrl|Command|Cmd|Control|Ctrl|Alt|Option|AltGr|Shift|Super|Meta)'
const KEY =
  "(?:[A-Z0-9]|F(?:[1-9]|1\\d|2[0-4])|Space|Tab|Enter|Return|Up|Down|Left|Right|Home|End|PageUp|PageDown|Insert|Plus|[-=[\\];',./`\\\\])"

/** What a shortcut may be: modifiers and a key, as Electron writes them; or empty. */
export const QUICK_PROMPT = {
  pattern: new RegExp(`^(?:(?:${MODIFIER}\\+)+${KEY})?$`, 'i'),
  must: 'must be modifiers and a key, for example Ctrl+Shift+Space',
}

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

/** What the page shows of the desktop app that runs it. */
export interface DesktopView {
  /** Whether windows are drawn with the graphics card; a change applies at the next start. */
  acceleratedGraphics: boolean
  /** Why the shortcut of the quick prompt does not work. */
  quickPromptProblem?: string
  /** Sessions that were working when the app last ended without warning, and have not been resumed. */
  interrupted: { sessionId: string; title: string }[]
}
