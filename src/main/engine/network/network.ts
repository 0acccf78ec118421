import { failureOf } from '../../../shared/errors'
import type { NetworkSettings } from '../config/settings/network-settings'
import { createHttpFetch, type Fetch, type Route } from './http-fetch'
import { trustCertificateFile, withSystemCertificates } from './certificates'
import { createProxyChoice, type ProxyDeps, type ProxyFor } from './choose-proxy'

/**
 * Trestle's own network access: through the proxies and with the certificates of the settings, the environment and the
 * system.
 */
export interface Network {
  proxyFor: ProxyFor
  /** Like Node's own; with a `route`, over those connections. */
  fetch: RoutedFetch
  /** For requests to models. */
  modelFetch: Fetch
  /** Call when the settings may have changed. */
  settingsChanged(): void
}

export type RoutedInit = RequestInit & { route?: Route }
/** `fetch` that can be given connections of its own. */
export type RoutedFetch = (input: string | URL | Request, init?: RoutedInit) => Promise<Response>

export interface NetworkDeps extends Omit<ProxyDeps, 'settings'> {
  settings(): NetworkSettings
  log(message: string): void
}

export function createNetwork(deps: NetworkDeps): Network {
  const { settings, log } = deps
  const proxyFor = createProxyChoice(deps)
  const modelFetch = createHttpFetch(proxyFor)
  let trusted: string | undefined
  const trustFile = (): void => {
    const { caFile } = settings()
    if (caFile === trusted) return
    trusted = caFile
    if (caFile === undefined) return
    try {
      trustCertificateFile(caFile)
    } catch (error) {
      log(`the certificates of [network] ca_file cannot be used: ${failureOf(error).message}`)
    }
  }
  trustFile()
  return {
    proxyFor,
    modelFetch,
    settingsChanged: trustFile,
    fetch: async (input, init) => {
      const proxy = input instanceof Request ? undefined : await proxyFor(new URL(input))
      if ((proxy || init?.route) && !(input instanceof Request)) {
        const through = proxiedFetch(modelFetch, new URL(input), init)
        if (through) return through
      }
      const isReadOnce = input instanceof Request || init?.body instanceof ReadableStream
      const send = (): Promise<Response> => globalThis.fetch(input, init)
      return isReadOnce ? send() : withSystemCertificates(send)
    },
  }
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const MAX_REDIRECTS = 20

/**
 * `fetch` through a proxy or a route, based on the model requests, which support both: with redirects as `init` says,
 * and a real `Response`. Undefined for a body that cannot be sent this way.
 */
function proxiedFetch(send: Fetch, url: URL, init: RoutedInit = {}): Promise<Response> | undefined {
  const { body } = init
  if (
    body !== undefined &&
    body !== null &&
    !(typeof body === 'string' || body instanceof Uint8Array || body instanceof URLSearchParams)
  )
    return undefined
  return follow(send, url, init)
}

async function follow(send: Fetch, url: URL, init: RoutedInit): Promise<Response> {
  const headers = new Headers(init.headers)
  let body: RequestInit['body'] = init.body ?? null
  if (body instanceof URLSearchParams) {
    if (!headers.has('content-type')) headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8')
    body = body.toString()
  }
  let method = init.method ?? 'GET'
  for (let to = url, hops = 0; ; hops += 1) {
    const answer = await send(to, {
      method,
      headers,
      ...(body !== null && { body }),
      ...(init.signal && { signal: init.signal }),
      ...(init.route && { route: init.route }),
    })
    const location = answer.headers.get('location')
    if (!REDIRECTS.has(answer.status) || location === null || init.redirect === 'manual')
      return responseOf(answer, to, hops > 0)
    await answer.body?.cancel()
    if (init.redirect === 'error') throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') })
    if (hops >= MAX_REDIRECTS) throw new TypeError('fetch failed', { cause: new Error('redirect count exceeded') })
    const next = new URL(location, to)
    if (next.origin !== to.origin)
      for (const name of ['authorization', 'cookie', 'proxy-authorization']) headers.delete(name)
    if (answer.status === 303 || ((answer.status === 301 || answer.status === 302) && method === 'POST')) {
      method = method === 'HEAD' ? 'HEAD' : 'GET'
      body = null
      headers.delete('content-type')
    }
    to = next
  }
}

/** Adds what model responses lack compared to a `Response`. */
function responseOf(answer: Response, url: URL, redirected: boolean): Response {
  const { status, statusText } = answer
  const headers = new Headers([...answer.headers])
  // The body is already decoded.
  headers.delete('content-encoding')
  const response = new Response(answer.body, { status, statusText, headers })
  Object.defineProperties(response, { url: { value: url.href }, redirected: { value: redirected } })
  return response
}
