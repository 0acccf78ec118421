import type { MenuItemConstructorOptions } from 'electron'
import { shortcutOf, type ShortcutChoices, keysOf } from '../../../../shared/configuration/shortcuts'

const NAMES: Readonly<Record<string, string>> = {
  Mod: 'CmdOrCtrl',
  Ctrl: 'Control',
  Esc: 'Escape',
  Del: 'Delete',
  '+': 'Plus',
}

/** The `accelerator` of a menu item for a shortcut; empty for keys that the page must receive, such as `?`. */
export function acceleratorOf(shortcut: string | undefined): { accelerator?: string } {
  if (shortcut === undefined || shortcut === '') return {}
  const keys = keysOf(shortcut)
  const isPlain = !keys.slice(0, -1).some((key) => key !== 'Shift') && !/^F\d/.test(keys.at(-1) ?? '')
  return isPlain ? {} : { accelerator: keys.map((key) => NAMES[key] ?? key).join('+') }
}

/** What the menus do, beyond the system's own roles. */
export interface MenuActions {
  newSession(): void
  newWindow(): void
  openProject(): void
  openRecent(folder: string): void
  clearRecent(): void
  closeWindow(): void
  settings(): void
  find(): void
  showShortcuts(): void
  showLog(): void
  /** Installs `trestle` as a terminal command. */
  installCommand(): void
}

export interface MenuOptions extends MenuActions {
  platform: NodeJS.Platform
  appName: string
  /** A packaged app offers to install its command; an unpackaged one offers developer tools. */
  isPackaged: boolean
  /** Recent projects, newest first. */
  recent: readonly { folder: string; label: string }[]
  /** The keys that the user chose for commands. */
  shortcuts: ShortcutChoices
}

const SEPARATOR: MenuItemConstructorOptions = { type: 'separator' }

/** The application menu: the system's standard roles and Trestle's items. */
export function appMenu(options: MenuOptions): MenuItemConstructorOptions[] {
  const { platform, appName, isPackaged } = options
  const isMac = platform === 'darwin'
  const settings: MenuItemConstructorOptions = {
    label: 'Settings…',
    ...acceleratorOf(shortcutOf('settings', options.shortcuts)),
    click: () => options.settings(),
  }
  const applicationMenu: MenuItemConstructorOptions = {
    label: appName,
    submenu: [
      { role: 'about' },
      SEPARATOR,
      settings,
      SEPARATOR,
      { role: 'services' },
      SEPARATOR,
      { role: 'hide' },
      { role: 'hideOthers' },
      { role: 'unhide' },
      SEPARATOR,
      { role: 'quit' },
    ],
  }
  return [
    ...(isMac ? [applicationMenu] : []),
    fileMenu(options, settings),
    {
      role: 'editMenu',
      // The role `editMenu` would have the system's items without ours.
      submenu: [
        { role: 'undo' },
        { role: 'redo' },
        SEPARATOR,
        { role: 'cut' },
        { role: 'copy' },
        { role: 'paste' },
        { role: 'pasteAndMatchStyle' },
        { role: 'selectAll' },
        SEPARATOR,
        { label: 'Find…', ...acceleratorOf(shortcutOf('find', options.shortcuts)), click: () => options.find() },
      ],
    },
    {
      label: 'View',
      submenu: [
        ...(isPackaged ? [] : [{ role: 'reload' } as const, { role: 'toggleDevTools' } as const, SEPARATOR]),
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        // The role's shortcut is Ctrl and Plus, which requires Shift on most keyboards.
        { role: 'zoomIn', accelerator: 'CmdOrCtrl+=', visible: false, acceleratorWorksWhenHidden: true },
        { role: 'zoomOut' },
        SEPARATOR,
        { role: 'togglefullscreen' },
      ],
    },
    windowMenu(isMac),
    {
      role: 'help',
      submenu: [
        {
          label: 'Keyboard Shortcuts',
          // A menu cannot have a key without Ctrl or Cmd, so the usual `?` is left to the page.
          ...acceleratorOf(options.shortcuts['shortcuts'] ?? 'Mod+/'),
          click: () => options.showShortcuts(),
        },
        { label: 'Show Log', click: () => options.showLog() },
        ...(isPackaged ? [{ label: 'Install “trestle” Command…', click: () => options.installCommand() }] : []),
        ...(isMac ? [] : [SEPARATOR, { role: 'about' } as const]),
      ],
    },
  ]
}

function fileMenu(options: MenuOptions, settings: MenuItemConstructorOptions): MenuItemConstructorOptions {
  const { platform, recent } = options
  const isMac = platform === 'darwin'
  const openRecent: MenuItemConstructorOptions = {
    label: 'Open Recent',
    enabled: recent.length > 0,
    submenu: [
      ...recent.map(({ folder, label }) => ({ label, click: () => options.openRecent(folder) })),
      SEPARATOR,
      { label: 'Clear Menu', click: () => options.clearRecent() },
    ],
  }
  return {
    label: 'File',
    submenu: [
      {
        label: 'New Session',
        ...acceleratorOf(shortcutOf('new', options.shortcuts)),
        click: () => options.newSession(),
      },
      { label: 'New Window', accelerator: 'CmdOrCtrl+Shift+N', click: () => options.newWindow() },
      SEPARATOR,
      { label: 'Open Project…', accelerator: 'CmdOrCtrl+O', click: () => options.openProject() },
      openRecent,
      SEPARATOR,
      // Not Ctrl+W on Windows and Linux: it deletes a word in shells, and must never close the window the user types
      // in.
      { label: 'Close Window', accelerator: isMac ? 'Cmd+W' : 'Ctrl+Shift+W', click: () => options.closeWindow() },
      ...(isMac ? [] : [SEPARATOR, settings, SEPARATOR, { role: 'quit' } as const]),
    ],
  }
}

/** The role `windowMenu` would add an item that closes the window with Ctrl+W. */
function windowMenu(isMac: boolean): MenuItemConstructorOptions {
  return {
    role: 'window',
    label: 'Window',
    submenu: [{ role: 'minimize' }, { role: 'zoom' }, ...(isMac ? [SEPARATOR, { role: 'front' } as const] : [])],
  }
}
