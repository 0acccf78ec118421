import { statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import type { HostCommand } from '../../../../shared/events/push'
import { PAGE_PATHS } from '../../../../shared/contract/page-host'

/** What to open when the app starts, in addition to a window. */
export interface LaunchRequest {
  /** In the order given: folders to open and links to follow. */
  commands: HostCommand[]
  /** Started at login: no window until one is needed. */
  hidden: boolean
}

/** The argument of a start at login (start-at-login.ts). */
export const HIDDEN_ARGUMENT = '--hidden'
/** The argument of the jump list and the desktop entry. */
export const NEW_SESSION_ARGUMENT = '--new-session'

/**
 * Parses the arguments, without the program and its script. Chromium adds its own switches, so unknown ones are
 * ignored. Relative folders are resolved against `workingFolder`; other paths are ignored.
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

/** Maximum length of a link. */
const MAX_CHARS = 300
const LINK_ID = /^\w[\w.:-]{0,99}$/

/**
 * What a link opens: `trestle-app://session/<id>`, `trestle-app://task/<id>`, `trestle-app://settings/<section>` or
 * `trestle-app://inbox`. Any page or program can create a link, so it only shows something that exists: it never adds,
 * runs or fills in anything. Undefined for every other link.
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
