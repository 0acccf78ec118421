/**
 * The addresses of the page's views: `/s/<session>`, `/settings/<section>/<item>`, `/tasks/<task>`, `/inbox`,
 * `/memory/<entry>`, `/usage`, `/notifications`, `/schedules/<schedule>`, `/new`; `/quick` is the quick prompt of the
 * desktop app. The hosts answer each of them with the page itself; the page reads and writes them
 * (renderer/state/session/route.ts).
 */
export const PAGE_PATHS = {
  session: 's',
  settings: 'settings',
  tasks: 'tasks',
  inbox: 'inbox',
  memory: 'memory',
  usage: 'usage',
  notifications: 'notifications',
  schedules: 'schedules',
  new: 'new',
  quick: 'quick',
} as const

const SEGMENTS: ReadonlySet<string> = new Set(Object.values(PAGE_PATHS))
/** Kind, id or section, item. */
const MAX_SEGMENTS = 3

/** Whether the path of a URL (still encoded) is a view of the page rather than a file. */
export function isPagePath(path: string): boolean {
  const segments = path.split('/').slice(1)
  const [first = ''] = segments
  const isPlain = segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..')
  return path.startsWith('/') && SEGMENTS.has(first) && segments.length <= MAX_SEGMENTS && isPlain
}

/**
 * How the desktop page gets its MessagePort: the page posts `PORT_WANTED` to its own window; the preload script
 * forwards it to the main process, which answers with `PORT_GRANTED` and a port; the preload script posts both to the
 * window.
 */
export const PORT_WANTED = 'trestle:port-wanted'
export const PORT_GRANTED = 'trestle:port-granted'

/** Scheme, host name and origin of the pages of the desktop app. */
export const APP_SCHEME = 'trestle'
export const APP_HOST = 'app'
export const APP_ORIGIN = 'trestle://app'

/**
 * The name under which the preload script extends the page's `window`: `pathOf(file)` is the path of a dropped file,
 * empty for one that was created in the page.
 */
export const DESKTOP_BRIDGE = 'trestleDesktop'

/**
 * The protocol between page and web host, besides the contract. The page opens a WebSocket with two subprotocols:
 * `SOCKET_PROTOCOL` and the token. The host answers `ready` as the first message, or closes with `SOCKET_REFUSED`. The
 * contract's own messages follow; `ping` is answered by `pong`.
 */
export const SOCKET_PROTOCOL = 'trestle.1'

/** Close code for a wrong token: this client will never be admitted. */
export const SOCKET_REFUSED = 4401

/** Path of the WebSocket on the host. */
export const SOCKET_PATH = '/socket'

/** Where a device posts its code and name, and gets its token. */
export const PAIR_PATH = '/pair'

/** The token as a subprotocol: a header, so it is in no URL, no log and no Referer. */
export function tokenProtocol(token: string): string {
  return `token.${token}`
}
