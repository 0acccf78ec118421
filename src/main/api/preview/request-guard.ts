import type { IncomingMessage } from 'node:http'

/**
 * Why a request is not passed on; undefined: it may be. Other pages can guess the port of a preview: they reach nothing
 * through it, and a server that was previewed leaves no service worker at the port for what is there next.
 */
export function refusalOf({ headers, method, url }: IncomingMessage, frame: string): string | undefined {
  if (headers.host !== new URL(frame).host) return 'Only Trestle shows this.'
  if (!url?.startsWith('/')) return 'Only paths of this server.'
  if (headers['service-worker'] !== undefined || headers['sec-fetch-dest'] === 'serviceworker')
    return 'A preview cannot install service workers.'
  const { origin } = headers
  if (origin !== undefined && origin !== frame) return 'Only pages of this preview may ask for this.'
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return undefined
  const isShown = headers['sec-fetch-mode'] === 'navigate' && (method === 'GET' || method === 'HEAD')
  return isShown ? undefined : 'Only pages of this preview may ask for this.'
}

/** The same for a WebSocket, which is always opened by a page. */
export function socketRefusalOf(request: IncomingMessage, frame: string): string | undefined {
  const { headers, method } = request
  if (headers.origin !== frame || method !== 'GET') return 'Only pages of this preview may open this.'
  if (headers.upgrade?.toLowerCase() !== 'websocket') return 'Only WebSockets.'
  return refusalOf(request, frame)
}
