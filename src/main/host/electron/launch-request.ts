import { statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { commandOfLink, LINK_SCHEME } from './deep-link'
import type { HostCommand } from '../../../shared/model/push'

/** What a start of the app asks for, besides showing a window. */
export interface LaunchRequest {
  /** In the order given: folders to open and links to follow. */
  commands: HostCommand[]
  /** Started at login: no window until there is a reason for one. */
  hidden: boolean
}

/** Given to a start at login (start-at-login.ts). */
export const HIDDEN_ARGUMENT = '--hidden'
/** Given by the jump list and the desktop entry. */
export const NEW_SESSION_ARGUMENT = '--new-session'

/**
 * Reads the arguments of a start, without the program and its script. Chromium adds switches of its own, so unknown ones are ignored. Relative folders are relative to
 * `workingFolder`; whatever is no folder is ignored.
 */
export function readLaunchRequest(args: readonly string[], workingFolder: string, isFolder: (path: string) => boolean): LaunchRequest {
  const commands: HostCommand[] = []
  for (const arg of args) {
    if (arg === NEW_SESSION_ARGUMENT) commands.push('new-session')
    else if (arg.toLowerCase().startsWith(`${LINK_SCHEME}:`)) {
      const command = commandOfLink(arg)
      if (command) commands.push(command)
    } else if (arg !== '' && !arg.startsWith('-')) {
      const folder = isAbsolute(arg) ? arg : resolve(workingFolder, arg)
      if (isFolder(folder)) commands.push({ open: 'folder', folder })
    }
  }
  return { commands, hidden: args.includes(HIDDEN_ARGUMENT) }
}

/** The arguments after the program; an app that is not packaged has its script before them. */
export function ownArguments(argv: readonly string[], isPackaged: boolean): string[] {
  const rest = argv.slice(1)
  if (isPackaged) return rest
  const script = rest.findIndex((arg) => !arg.startsWith('-'))
  return rest.toSpliced(script, script < 0 ? 0 : 1)
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
