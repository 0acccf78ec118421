import type { Fetch } from '../model/model-fetch'

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const MOST_REDIRECTS = 20

/**
 * `fetch` through a proxy, on the requests that models are asked with, which know proxies: with redirects as `init` wants them, and a real `Response`.
 * Undefined for a body that cannot be sent so.
 */
export function proxiedFetch(send: Fetch, url: URL, init: RequestInit = {}): Promise<Response> | undefined {
  const { body } = init
  if (body !== undefined && body !== null && !(typeof body === 'string' || body instanceof Uint8Array || body instanceof URLSearchParams))
    return undefined
  return follow(send, url, init)
}

async function follow(send: Fetch, url: URL, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers)
  let body: RequestInit['body'] = init.body ?? null
  if (body instanceof URLSearchParams) {
    if (!headers.has('content-type')) headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8')
    body = body.toString()
  }
  let method = init.method ?? 'GET'
  for (let to = url, hops = 0; ; hops += 1) {
    const answer = await send(to, { method, headers, ...(body !== null && { body }), ...(init.signal && { signal: init.signal }) })
    const location = answer.headers.get('location')
    if (!REDIRECTS.has(answer.status) || location === null || init.redirect === 'manual') return responseOf(answer, to, hops > 0)
    await answer.body?.cancel()
    if (init.redirect === 'error') throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') })
    if (hops >= MOST_REDIRECTS) throw new TypeError('fetch failed', { cause: new Error('redirect count exceeded') })
    const next = new URL(location, to)
    if (next.origin !== to.origin) for (const name of ['authorization', 'cookie', 'proxy-authorization']) headers.delete(name)
    if (answer.status === 303 || ((answer.status === 301 || answer.status === 302) && method === 'POST')) {
      method = method === 'HEAD' ? 'HEAD' : 'GET'
      body = null
      headers.delete('content-type')
    }
    to = next
  }
}

/** What the answers of models lack beside a `Response`. */
function responseOf(answer: Response, url: URL, redirected: boolean): Response {
  const { status, statusText } = answer
  const headers = new Headers([...answer.headers])
  // It is unpacked.
  headers.delete('content-encoding')
  const response = new Response(answer.body, { status, statusText, headers })
  Object.defineProperties(response, { url: { value: url.href }, redirected: { value: redirected } })
  return response
}
