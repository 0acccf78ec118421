import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { isOfServer } from './preview-target'

/** The two origins of a preview: the server's own, and the one that the frame loads it from. */
export interface PreviewOrigins {
  target: string
  frame: string
  /** Pages that can show the frame, as a policy names them. */
  ancestors: string
}

/** Headers that apply to one connection only. */
const PER_CONNECTION = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'http2-settings',
]

/** Response headers that would affect more than the frame, or would prevent it from being shown. */
const BEYOND_FRAME = [
  'x-frame-options',
  'cross-origin-opener-policy',
  'strict-transport-security',
  'clear-site-data',
  'alt-svc',
  'service-worker-allowed',
]

/** Headers that describe the bytes of a page, which the proxy changes. */
const OF_BYTES = ['content-length', 'content-md5', 'content-digest', 'digest', 'repr-digest', 'accept-ranges']

/**
 * The headers of a request to the server: as if the page had been opened directly. `isUpgrade`: the connection becomes
 * a WebSocket.
 */
export function requestHeaders(
  headers: IncomingHttpHeaders,
  { target, frame }: PreviewOrigins,
  isUpgrade = false,
): OutgoingHttpHeaders {
  const sent: OutgoingHttpHeaders = { ...headers, host: new URL(target).host }
  if (!isUpgrade) {
    for (const name of [...PER_CONNECTION, ...namedIn(headers.connection)]) delete sent[name]
    // The server has to know where the body ends.
    if (headers['transfer-encoding'] !== undefined) sent['transfer-encoding'] = 'chunked'
  }
  // The proxy changes pages, so they must not be compressed.
  delete sent['accept-encoding']
  if (headers.origin !== undefined) sent['origin'] = target
  const from = URL.parse(headers.referer ?? '')
  if (from?.origin === frame) sent['referer'] = target + from.pathname + from.search
  else delete sent['referer']
  if (isFrameLoad(headers)) {
    sent['sec-fetch-dest'] = 'document'
    if (headers['sec-fetch-site'] !== 'same-origin') sent['sec-fetch-site'] = 'none'
  }
  return sent
}

/** Whether a request loads the page of the frame rather than something in it. */
export function isFrameLoad(headers: IncomingHttpHeaders): boolean {
  return ['iframe', 'frame', 'document'].includes(String(headers['sec-fetch-dest']))
}

/**
 * The headers of a response to the frame: redirects and cookies of its own origin, and only Trestle's page can show it.
 */
export function responseHeaders(
  headers: IncomingHttpHeaders,
  origins: PreviewOrigins,
  { path = '/', isChanged = false }: { path?: string; isChanged?: boolean } = {},
): OutgoingHttpHeaders {
  const sent: OutgoingHttpHeaders = { ...headers }
  for (const name of [...PER_CONNECTION, ...BEYOND_FRAME, ...namedIn(headers.connection)]) delete sent[name]
  if (isChanged) for (const name of OF_BYTES) delete sent[name]
  delete sent['location']
  const location = headers.location === undefined ? undefined : movedTo(headers.location, origins, path)
  if (location !== undefined) sent['location'] = location.href
  delete sent['refresh']
  const refresh = /^\s*(\d+)(?:\s*[;,]\s*(?:url\s*=\s*)?["']?(.+?)["']?\s*)?$/i.exec(String(headers['refresh'] ?? ''))
  const next = refresh?.[2] === undefined ? undefined : movedTo(refresh[2], origins, path)
  if (refresh && (next || refresh[2] === undefined)) sent['refresh'] = refresh[1] + (next ? `; url=${next.href}` : '')
  const cookies = headers['set-cookie']
  if (cookies) sent['set-cookie'] = cookies.map((cookie) => cookie.replaceAll(/;\s*domain\s*(?:=[^;]*)?(?=;|$)/gi, ''))
  return { ...sent, ...frameHeaders(origins, headers['content-security-policy']) }
}

/** The headers of every response to a frame: only Trestle's page can show it, in its own process. */
export function frameHeaders(
  { ancestors }: Pick<PreviewOrigins, 'ancestors'>,
  policies?: string | string[],
): OutgoingHttpHeaders {
  const own = [policies ?? []]
    .flat()
    .flatMap((policy) => policy.split(','))
    .map((policy) =>
      policy
        .split(';')
        .map((directive) => directive.trim())
        .filter((directive) => directive !== '' && !/^(?:frame-ancestors|sandbox)(?:\s|$)/i.test(directive))
        .join('; '),
    )
    .filter((policy) => policy !== '')
  return {
    // Several policies apply together.
    'content-security-policy': [`frame-ancestors ${ancestors}`, ...own].join(', '),
    'origin-agent-cluster': '?1',
    // Trestle's page has another origin.
    'cross-origin-resource-policy': 'cross-origin',
  }
}

/** The target of a redirect; `isElsewhere`: on another server. Undefined for a target that cannot be shown. */
export function movedTo(
  location: string,
  { target, frame }: PreviewOrigins,
  path: string,
): { href: string; isElsewhere: boolean } | undefined {
  const url = URL.parse(location, target + path)
  if (!url || !/^https?:$/.test(url.protocol)) return undefined
  if (isOfServer(url, target)) return { href: frame + url.pathname + url.search + url.hash, isElsewhere: false }
  url.username = ''
  url.password = ''
  return { href: url.href, isElsewhere: true }
}

/** Whether a response is a page that can be changed. */
export function isPage(headers: IncomingHttpHeaders): boolean {
  return (
    /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i.test(headers['content-type'] ?? '') &&
    /^\s*(?:identity\s*)?$/i.test(headers['content-encoding'] ?? '')
  )
}

/** The headers that a `Connection` header lists. */
function namedIn(connection: string | undefined): string[] {
  return (connection ?? '').split(',').map((name) => name.trim().toLowerCase())
}
