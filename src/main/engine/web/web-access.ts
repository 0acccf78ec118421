import type { SearchSettings } from '../config/web-settings'
import type { Network } from '../network/network'
import type { ReadArticle } from './article'

/** What the web tools of a session may do; each is asked when it is needed, so that changed settings count. */
export interface WebAccess {
  /** Hosts the user allowed although they lead to this machine or a private network. */
  allowedHosts(): readonly string[]
  /** Who searches. */
  search(): SearchSettings | undefined
  /** Why a page that another one redirects to may not be visited. */
  refusal(url: string): Promise<string | undefined>
  readArticle: ReadArticle
  /** Absent: directly, with Node's own `fetch`. */
  network?: Pick<Network, 'fetch' | 'proxyFor'>
}
