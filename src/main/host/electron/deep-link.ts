import { PAGE_PATHS } from '../../../shared/contract/page-paths'
import type { HostCommand } from '../../../shared/model/push'

/** Links that open the app from elsewhere. `trestle:` is the page's own scheme and cannot be one. */
export const LINK_SCHEME = 'trestle-app'

/** Longer links are no links of ours. */
const MOST_CHARS = 300
const ID = /^\w[\w.:-]{0,99}$/

/**
 * What a link opens: `trestle-app://session/<id>`, `trestle-app://task/<id>`, `trestle-app://settings/<section>` or `trestle-app://inbox`. Anybody can write a link, so it only
 * ever shows something that exists: it adds nothing, runs nothing and fills in nothing. Undefined for every other link.
 */
export function commandOfLink(link: string): HostCommand | undefined {
  const [scheme, rest] = splitScheme(link)
  if (scheme !== LINK_SCHEME || rest.length > MOST_CHARS) return undefined
  const [kind, id, ...more] = rest.replace(/^\/\//, '').replace(/\/$/, '').split('/')
  if (more.length > 0 || (id !== undefined && !ID.test(id))) return undefined
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
