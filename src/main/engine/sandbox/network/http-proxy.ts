import type { IncomingMessage, OutgoingHttpHeaders, RequestOptions, Server, ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { pipeline, type Duplex } from 'node:stream'
import {
  fixedLookup,
  httpModule,
  HostDeniedError,
  proxyAuthorization,
  type OutboundConnections,
  type Route,
  joinSockets,
} from './outbound-connections'
import { canonicalHost, hostAndPort } from '../../network/host-list'
import { errorCode } from '../../../../shared/error-text'

/** Header of every response that comes from the filter itself and not from the requested server. */
const OWN_ANSWER = 'x-trestle-sandbox'
/** Headers that concern one connection only (RFC 9110, section 7.6.1), and `Host`, which is rewritten. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'expect',
  'host',
])
const HEADERS_MS = 30_000
const KEEP_ALIVE_MS = 60_000

/**
 * An HTTP proxy: CONNECT for everything encrypted, whole `http://` URLs for the rest. Nothing is passed on verbatim: a
 * request is read by Node's strict parser and rewritten, so that the server gets exactly the request and `Host` that
 * were checked.
 */
export function createHttpProxy(outside: OutboundConnections): Server {
  // The `Host` of a request is ignored: the URL has the target.
  const server = httpModule('http:').createServer({
    requireHostHeader: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: HEADERS_MS,
    requestTimeout: 0,
    noDelay: true,
  })
  server.on('request', (request, response) => void forward(request, response, outside))
  server.on(
    'connect',
    (request: IncomingMessage, socket: Duplex, head: Buffer) => void tunnel(request.url ?? '', socket, head, outside),
  )
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end(rawAnswer(400, 'This is not a request that a proxy takes.\n'))
    else socket.destroy()
  })
  return server
}

async function tunnel(authority: string, client: Duplex, head: Buffer, outside: OutboundConnections): Promise<void> {
  client.on('error', () => client.destroy())
  const target = hostAndPort(authority)
  if (target === undefined)
    return void client.end(rawAnswer(400, 'CONNECT needs a host and a port, like example.com:443.\n'))
  try {
    const server = await outside.open(target.host, target.port)
    if (client.destroyed) return void server.destroy()
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.length > 0) client.unshift(head)
    joinSockets(client, server)
  } catch (error) {
    const { status, text } = answerTo(error, target.host)
    client.end(rawAnswer(status, text))
  }
}

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  outside: OutboundConnections,
): Promise<void> {
  request.on('error', () => response.destroy())
  const url = URL.parse(request.url ?? '')
  const host = url === null ? undefined : canonicalHost(url.hostname)
  if (url?.protocol !== 'http:' || host === undefined || url.username !== '' || url.password !== '')
    return answer(
      response,
      400,
      'This is a proxy: it takes whole http:// URLs without a name or password, and CONNECT for everything else.\n',
    )
  const port = url.port === '' ? 80 : Number(url.port)
  try {
    const route = await outside.route(host, port)
    if (response.destroyed) return
    await exchange(request, response, url, route)
  } catch (error) {
    const { status, text } = answerTo(error, host)
    answer(response, status, text)
  }
}

async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  { host, port, via }: Route,
): Promise<void> {
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}${port === 80 ? '' : `:${port}`}`
  const path = `${url.pathname}${url.search}`
  const headers: OutgoingHttpHeaders = { ...endToEnd(request), host: authority }
  // Framing is decided here and not copied: a body has either the announced length or is sent in chunks.
  const hasBody = request.headers['transfer-encoding'] !== undefined || request.headers['content-length'] !== undefined
  if (request.headers['transfer-encoding'] !== undefined) headers['transfer-encoding'] = 'chunked'
  const options: RequestOptions =
    'upstream' in via
      ? {
          host: via.upstream.host,
          port: via.upstream.port,
          path: `http://${authority}${path}`,
          headers: { ...headers, ...proxyAuthorization(via.upstream) },
        }
      : { host, port, path, headers, lookup: fixedLookup(via.addresses) }
  const { request: send } = httpModule('upstream' in via ? via.upstream.protocol : 'http:')
  await new Promise<void>((settle, reject) => {
    const asked = send({ ...options, method: request.method, agent: false, setHost: false, insecureHTTPParser: false })
    response.once('close', () => asked.destroy())
    asked.once('error', reject)
    let answered = false
    asked.once('close', () => answered || reject(new Error('The server closed the connection without an answer')))
    asked.once('response', (got) => {
      answered = true
      try {
        response.writeHead(got.statusCode ?? 502, got.statusMessage, endToEnd(got))
      } catch {
        got.destroy()
        return reject(new Error('The server answered with headers that cannot be passed on'))
      }
      pipeline(got, response, () => settle())
    })
    if (hasBody) pipeline(request, asked, (error) => error && asked.destroy(error))
    else asked.end()
  })
}

/**
 * The end-to-end headers of a message, without those that `Connection` names. Repeated headers stay separate.
 */
function endToEnd({ headersDistinct, headers }: IncomingMessage): OutgoingHttpHeaders {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase())
  const left = new Set([...HOP_BY_HOP, ...named.filter((name) => name !== 'content-length')])
  const kept = Object.entries(headersDistinct).filter(([name]) => !left.has(name) && !name.startsWith('proxy-'))
  return Object.fromEntries(kept.map(([name, values]) => [name, values?.length === 1 ? values[0] : values]))
}

/** The error response to a client when a connection fails, with the cause. */
function answerTo(error: unknown, host: string): { status: number; text: string } {
  if (error instanceof HostDeniedError) return { status: 403, text: `${error.message}\n` }
  const code = errorCode(error)
  if (code === 'ETIMEDOUT') return { status: 504, text: `${host} did not answer in time.\n` }
  return { status: 502, text: `${host} cannot be reached${code === undefined ? '' : ` (${code})`}.\n` }
}

function answer(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent) return void response.destroy()
  // An unread body must not be parsed as the next request.
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    [OWN_ANSWER]: ownWord(status),
    connection: 'close',
  })
  response.end(text)
}

function rawAnswer(status: number, text: string): string {
  const reason = { 400: 'Bad Request', 403: 'Forbidden', 502: 'Bad Gateway', 504: 'Gateway Timeout' }[status] ?? 'Error'
  const headers = [
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Trestle-Sandbox: ${ownWord(status)}`,
  ]
  return `HTTP/1.1 ${status} ${reason}\r\n${headers.join('\r\n')}\r\nConnection: close\r\n\r\n${text}`
}

function ownWord(status: number): string {
  return status === 403 ? 'denied' : 'error'
}
