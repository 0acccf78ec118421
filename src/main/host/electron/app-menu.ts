import type { MenuItemConstructorOptions } from 'electron'
import type { HostCommand } from '../../../shared/model/push'

export interface MenuOptions {
  platform: NodeJS.Platform
  appName: string
  /** Developer tools are offered only in a build that was not packaged. */
  isPackaged: boolean
  onCommand(command: HostCommand): void
}

/** The application menu: the system's standard roles, and what Trestle adds. */
export function appMenu({ platform, appName, isPackaged, onCommand }: MenuOptions): MenuItemConstructorOptions[] {
  const isMac = platform === 'darwin'
  const separator: MenuItemConstructorOptions = { type: 'separator' }
  const newSession: MenuItemConstructorOptions = { label: 'New Session', accelerator: 'CmdOrCtrl+N', click: () => onCommand('new-session') }
  const settings: MenuItemConstructorOptions = { label: 'Settings…', accelerator: 'CmdOrCtrl+,', click: () => onCommand('open-settings') }
  const applicationMenu: MenuItemConstructorOptions = {
    label: appName,
    submenu: [
      { role: 'about' },
      separator,
      settings,
      separator,
      { role: 'services' },
      separator,
      { role: 'hide' },
      { role: 'hideOthers' },
      { role: 'unhide' },
      separator,
      { role: 'quit' },
    ],
  }
  const helpMenu: MenuItemConstructorOptions = { role: 'help', submenu: [{ role: 'about' }] }
  return [
    ...(isMac ? [applicationMenu] : []),
    {
      label: 'File',
      submenu: [
        newSession,
        ...(isMac ? [separator, { role: 'close' } as const] : [separator, settings, separator, { role: 'quit' } as const]),
      ],
    },
    { role: 'editMenu' },
    {
      label: 'View',
      submenu: [
        ...(isPackaged ? [] : [{ role: 'reload' } as const, { role: 'toggleDevTools' } as const, separator]),
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        separator,
        { role: 'togglefullscreen' },
      ],
    },
    { role: 'windowMenu' },
    ...(isMac ? [] : [helpMenu]),
  ]
}
