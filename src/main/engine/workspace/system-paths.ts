import { statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { win32 } from 'node:path'
import { findShell } from '../task/find-shell'
import { pathFlavor, type PathFlavor } from './path-flavor'
import type { WindowsPlaces } from './windows-path'

let places: WindowsPlaces | undefined

/** The path rules of this machine. */
export const SYSTEM_PATHS: PathFlavor = pathFlavor(process.platform, () => (places ??= { git: gitFolder(), temp: tmpdir() }))

/** On Windows the folder that Git Bash shows as `/`: where the bash that runs commands was installed. */
export function gitFolder(): string | undefined {
  const shell = findShell({ platform: 'win32', env: process.env, isFile })
  return 'error' in shell ? undefined : gitFolderOf(shell.path)
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

/** `C:\Program Files\Git` of `…\Git\bin\bash.exe` and `…\Git\usr\bin\bash.exe`. */
export function gitFolderOf(bash: string): string {
  const folder = win32.dirname(win32.dirname(bash))
  return win32.basename(folder).toLowerCase() === 'usr' ? win32.dirname(folder) : folder
}
