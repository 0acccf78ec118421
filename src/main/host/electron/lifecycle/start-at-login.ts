import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ElectronModule } from '../platform/electron-module'
import { HIDDEN_ARGUMENT } from './launch-request'

export interface LoginOptions {
  app: Pick<ElectronModule['app'], 'setLoginItemSettings' | 'isPackaged'>
  platform: NodeJS.Platform
  /** The app's command: the program and, if unpackaged, its script. */
  command: readonly string[]
  /** The user's configuration folder: `$XDG_CONFIG_HOME` or `~/.config`. */
  configFolder: string
}

/** Enables or disables starting the app at login, without a window. Throws if the system refuses. */
export function setStartAtLogin({ app, platform, command, configFolder }: LoginOptions, openAtLogin: boolean): void {
  const [program = '', ...script] = command
  if (platform !== 'linux') {
    app.setLoginItemSettings({ openAtLogin, path: program, args: [...script, HIDDEN_ARGUMENT] })
    return
  }
  const file = join(configFolder, 'autostart', 'trestle.desktop')
  if (!openAtLogin) {
    rmSync(file, { force: true })
    return
  }
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, autostartEntry([...command, HIDDEN_ARGUMENT]))
}

/** A desktop entry of the autostart specification. */
export function autostartEntry(command: readonly string[]): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Trestle',
    'Comment=Workbench for coding agents',
    `Exec=${command.map(quoted).join(' ')}`,
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n')
}

/**
 * Quotes as the desktop entry specification requires: in quotes with \ before " ` $ \, that \ doubled because the value
 * is a string, and % doubled.
 */
function quoted(argument: string): string {
  const inQuotes = argument
    .replaceAll(/["`$\\]/g, (sign) => `\\${sign}`)
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')
  return /^[\w./-]+$/.test(argument) ? argument : `"${inQuotes}"`
}
