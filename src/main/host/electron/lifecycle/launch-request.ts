import { statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import type { HostCommand } from '../../../../shared/events/push'
import { PAGE_PATHS } from '../../../../shared/contract/page-host'

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
export function readLaunchRequest(
  args: readonly string[],
  workingFolder: string,
  isFolder: (path: string) => boolean,
): LaunchRequest {
  const commands: HostCommand[] = []
  for (const arg of args) {
    if (arg === NEW_SESSION_ARGUMENT) commands.push('new-session')
    else if (arg.toLowerCase().startsWith(`${LINK_SCHEME}:`)) {
      const command = parseDeepLink(arg)
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

/** Links that open the app from elsewhere. `trestle:` is the page's own scheme and cannot be one. */
export const LINK_SCHEME = 'trestle-app'

/** Longer links are no links of ours. */
const MAX_CHARS = 300
const LINK_ID = /^\w[\w.:-]{0,99}$/

/**
 * What a link opens: `trestle-app://session/<id>`, `trestle-app://task/<id>`, `trestle-app://settings/<section>` or `trestle-app://inbox`. Anybody can write a link, so it only
 * ever shows something that exists: it adds nothing, runs nothing and fills in nothing. Undefined for every other link.
 */
export function parseDeepLink(link: string): HostCommand | undefined {
  const [scheme, rest] = splitScheme(link)
  if (scheme !== LINK_SCHEME || rest.length > MAX_CHARS) return undefined
  const [kind, id, ...more] = rest.replace(/^\/\//, '').replace(/\/$/, '').split('/')
  if (more.length > 0 || (id !== undefined && !LINK_ID.test(id))) return undefined
  switch (kind) {
    case 'session':
      return id === undefined ? undefined : { open: 'session', sessionId: id }
    case 'task':
      return id === undefined ? undefined : { open: 'task', taskId: id }
    case PAGE_PATHS.settings:
      return id === undefined ? 'open-settings' : { open: 'settings', section: id }
    case PAGE_PATHS.inbox:
      return id === undefined ? 'open-inbox' : undefined
    default:
      return undefined
  }
}

function splitScheme(link: string): [scheme: string, rest: string] {
  const colon = link.indexOf(':')
  return colon < 0 ? ['', link] : [link.slice(0, colon).toLowerCase(), link.slice(colon + 1)]
}
