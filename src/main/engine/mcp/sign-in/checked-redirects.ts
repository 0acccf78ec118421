import { isLoopbackName } from '../../../../shared/loopback'
import { CodedError } from '../../../../shared/errors'
import type { RoutedInit } from '../../network/network'
import type { FetchLike } from './mcp-auth'
import type { ServerHost } from './server-host'

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const MAX_REDIRECTS = 5
/** The headers that another origin can receive; any other header could be a key, no matter what it is called. */
const SENT_ELSEWHERE = /^(?:accept|accept-language|content-type|user-agent|last-event-id|mcp-.*)$/

/**
 * `fetch` for a server. The server chooses where its redirects lead, so they are limited: never to this machine or a
 * private network if the server itself is on the internet, never from https to http except on this machine, and to
 * another origin without the headers that the user configured for the server. `given`: the server's host; default:
 * the one that the process remembers (see `serverHost`).
 */
export function checkedRedirects(
  serverUrl: string,
  fetch: (url: string | URL, init?: RoutedInit) => Promise<Response>,
  given?: ServerHost,
): FetchLike {
  return async (url, init = {}) => {
    const host = given ?? (await import('./server-host')).serverHost(serverUrl)
    let [to, sent]: [URL, RequestInit] = [new URL(url), { ...init, redirect: 'manual' }]
    for (let hops = 0; ; hops += 1) {
      const route = host.route(to)
      const answer = await fetch(to, route ? { ...sent, route } : sent)
      const location = answer.headers.get('location')
      if (init.redirect !== undefined || !REDIRECTS.has(answer.status) || location === null)
        return hops === 0 ? answer : redirected(answer, to)
      await answer.body?.cancel()
      if (hops >= MAX_REDIRECTS) throw refused(`it redirects more than ${MAX_REDIRECTS} times`)
      if (!URL.canParse(location, to.href)) throw refused('it redirects to what is no address')
      const next = new URL(location, to)
      const problem = await redirectProblem(to, next, serverUrl, host)
      if (problem !== undefined)
        throw refused(`it redirects to ${next.protocol}//${next.host}, which is not followed: ${problem}`)
      sent = redirectedRequest(sent, answer.status, next.origin === to.origin)
      to = next
    }
  }
}

/** Why a redirect is not followed, as a clause; undefined when it is. */
async function redirectProblem(from: URL, to: URL, serverUrl: string, host: ServerHost): Promise<string | undefined> {
  const isDowngrade = from.protocol === 'https:' && to.protocol === 'http:'
  // Also on the server's own host, where endpoints without TLS are allowed: the request would be sent unencrypted.
  if (isDowngrade && !isLoopbackName(to.hostname)) return 'only https is safe'
  const { endpointProblem } = await import('./oauth-fetch')
  return endpointProblem(to, serverUrl, host)
}

function refused(why: string): CodedError {
  return new CodedError('mcp.connection', `The server cannot be used: ${why}.`)
}

/** The next request as the `fetch` standard defines it, but with fewer headers for another origin. */
function redirectedRequest(sent: RequestInit, status: number, isSameOrigin: boolean): RequestInit {
  const all = [...new Headers(sent.headers)]
  const headers = new Headers(isSameOrigin ? all : all.filter(([name]) => SENT_ELSEWHERE.test(name.toLowerCase())))
  const { method = 'GET', body: _body, ...rest } = sent
  if (!(status === 303 && method !== 'HEAD') && !(status <= 302 && method === 'POST')) return { ...sent, headers }
  headers.delete('content-type')
  return { ...rest, method: 'GET', headers }
}

function redirected(answer: Response, to: URL): Response {
  return Object.defineProperties(answer, { url: { value: to.href }, redirected: { value: true } })
}
