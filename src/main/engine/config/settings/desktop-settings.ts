import { QUICK_PROMPT, type DesktopSettings } from '../../../../shared/configuration/settings'
import type { TableReader } from './table-reader'

export const DEFAULT_DESKTOP: DesktopSettings = {
  tray: true,
  closeToTray: false,
  startAtLogin: false,
  keepAwake: true,
  quickPrompt: '',
  windowPerProject: false,
  menuBar: false,
}

const SHORTCUT_RULE = QUICK_PROMPT.must.replace(/^must be /, '')

/** Reads `[desktop]`; what is wrong in it is reported, and its default applies. */
export function readDesktop(reader: TableReader | undefined): DesktopSettings {
  if (!reader) return DEFAULT_DESKTOP
  const settings = {
    tray: reader.flag('tray') ?? DEFAULT_DESKTOP.tray,
    closeToTray: reader.flag('close_to_tray') ?? DEFAULT_DESKTOP.closeToTray,
    startAtLogin: reader.flag('start_at_login') ?? DEFAULT_DESKTOP.startAtLogin,
    keepAwake: reader.flag('keep_awake') ?? DEFAULT_DESKTOP.keepAwake,
    quickPrompt:
      reader.string('quick_prompt', {
        test: (value) => QUICK_PROMPT.pattern.test(value),
        must: SHORTCUT_RULE,
        canBeEmpty: true,
      }) ?? DEFAULT_DESKTOP.quickPrompt,
    windowPerProject: reader.flag('window_per_project') ?? DEFAULT_DESKTOP.windowPerProject,
    menuBar: reader.flag('menu_bar') ?? DEFAULT_DESKTOP.menuBar,
  }
  reader.finish()
  return settings
}

/** `[environment]`: where the environment of commands, servers and hooks comes from. */
export interface EnvironmentSettings {
  /** The desktop app reads the environment of the login shell when it was not started from a terminal. */
  loginShell: boolean
  /** Absolute path of the shell to ask; default: the user's. */
  shell?: string
}

export const DEFAULT_ENVIRONMENT: EnvironmentSettings = { loginShell: true }

/** Reads `[environment]`. */
export function readEnvironmentSettings(reader: TableReader | undefined): EnvironmentSettings {
  if (!reader) return DEFAULT_ENVIRONMENT
  const loginShell = reader.flag('login_shell') ?? DEFAULT_ENVIRONMENT.loginShell
  const shell = reader.string('shell', {
    test: (path) => path.startsWith('/'),
    must: 'the absolute path of a shell like "/bin/zsh"',
  })
  reader.finish()
  return { loginShell, ...(shell !== undefined && { shell }) }
}
