import { QUICK_PROMPT } from '../../../../shared/configuration/settings'
import { custom, flag, settingTable, type ValuesOf, number, type Setting } from '../toml/setting-table'

const SHORTCUT_RULE = QUICK_PROMPT.must.replace(/^must be /, '')

/** `[desktop]`: how the desktop app behaves. */
export const DESKTOP = settingTable('desktop', {
  tray: flag('tray', true, 'show an icon in the tray or menu bar'),
  closeToTray: flag('close_to_tray', false, 'closing the last window keeps the app running in the tray'),
  startAtLogin: flag('start_at_login', false, 'start Trestle when you sign in'),
  keepAwake: flag('keep_awake', true, 'keep the computer awake while a turn runs'),
  quickPrompt: custom(
    'quick_prompt',
    '',
    'a shortcut that opens the quick prompt from anywhere, for example `"Ctrl+Shift+Space"`',
    (reader) =>
      reader.string('quick_prompt', {
        test: (value) => QUICK_PROMPT.pattern.test(value),
        must: SHORTCUT_RULE,
        canBeEmpty: true,
      }),
  ),
  windowPerProject: flag('window_per_project', false, 'open each project in its own window'),
  menuBar: flag('menu_bar', false, 'show the menu bar (Windows and Linux)'),
})

/** `[notifications]`: how the app notifies the user while it is in the background. */
export const NOTIFICATIONS = settingTable('notifications', {
  enabled: flag('enabled', true, 'notify you when a session needs you and Trestle is in the background'),
  sound: flag('sound', false, 'play a sound'),
  finished: flag('finished', true, 'also notify you when a session has finished its work'),
})

/** `[environment]`: where the environment of commands, servers and hooks comes from. */
export const ENVIRONMENT = settingTable('environment', {
  loginShell: flag(
    'login_shell',
    true,
    "the desktop app uses the environment of your login shell when it isn't started from a terminal: " +
      '[troubleshooting.md](troubleshooting.md)',
  ),
  shell: custom<string | undefined>(
    'shell',
    undefined,
    'absolute path of the shell to ask',
    (reader) =>
      reader.string('shell', {
        test: (path) => path.startsWith('/'),
        must: 'the absolute path of a shell like "/bin/zsh"',
      }),
    'your login shell',
  ),
})
export type EnvironmentSettings = ValuesOf<typeof ENVIRONMENT.fields>

/** The tables of this file, for the documentation. */
export const DESKTOP_TABLES = [DESKTOP, NOTIFICATIONS, ENVIRONMENT]

/** `[engine]`: the engine of the home while the desktop app is closed. */
export const ENGINE = settingTable('engine', {
  idleMs: number(
    'idle_minutes',
    600_000,
    { min: 0, max: 525_600, whole: false, scale: 60_000 },
    'minutes after which `trestle engine` exits when no turn or background task runs and no client is connected',
  ),
  shared: flag(
    'shared',
    false,
    '`trestle chat`, `acp` and `serve` start `trestle engine` when none runs, ' +
      'so that what they begin continues after they end',
  ),
})
export type EngineSettings = ValuesOf<typeof ENGINE.fields>

const text = (key: string, about: string): Setting<string> =>
  custom(
    key,
    '',
    about,
    (reader) => reader.string(key, { test: () => true, must: 'text in quotes', canBeEmpty: true }),
    'none',
  )

/** `[devices]`: how `trestle serve` listens for phones and other computers. */
export const DEVICES = settingTable('devices', {
  listen: text(
    'listen',
    'address of this machine on which `trestle serve` listens for paired devices, ' +
      'for example `"192.168.1.5:4747"`; `"0.0.0.0"`: all',
  ),
  name: text('name', 'a name under which devices reach this machine'),
  cert: text('cert', 'file of a certificate of your own, as PEM, instead of the one Trestle makes'),
  key: text('key', 'file of its key'),
  tailscale: flag('tailscale', false, 'listen for `tailscale serve`'),
})
export type DeviceSettings = ValuesOf<typeof DEVICES.fields>
