import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import { CodedError } from '../../../../shared/errors'
import type { Appearance } from '../../../../shared/configuration/appearance'
import { SOCKET_PATH, SOCKET_PROTOCOL, SOCKET_REFUSED } from '../../../../shared/contract/page-host'
import type { LogBug } from '../../../api/implementer'
import { pageHeaders, readPageFile } from '../../../api/page-files'

/** The parts that each kind of page server defines itself. */
export interface PageServerOptions {
  /** From `node:http` or `node:https`, not yet listening. */
  server: Server
  scheme: 'http' | 'https'
  /** The built interface (out/renderer). */
  rendererDir: string
  appearance(): Appearance
  logBug: LogBug
  /** The Host check: whether the header names this server. */
  isOurHost(host: string | undefined, port: number): boolean
  /** The response to a request with another host name. */
  refusal: string
  /** What frames of the page can show; empty: no frames. */
  frames: string
  /** Returns how to serve a client with one of these subprotocols; undefined: its token is wrong. */
  admit(protocols: readonly string[], request: IncomingMessage): ((socket: WebSocket) => void) | undefined
  /** Handles a POST and returns true if it is a known one. Only called after the Host and Origin checks. */
  post?(request: IncomingMessage, response: ServerResponse): boolean
}

/** A server of the page, with the contract over its WebSocket. */
export interface PageServer {
  /** The admitted clients. */
  readonly clients: ReadonlySet<WebSocket>
  port(): number
  /** Fails with `host.port` when the port is unavailable. */
  listen(port: number, host: string): Promise<void>
  /** Disconnects every client and frees the port. */
  close(): Promise<void>
}

/** Maximum message size in bytes: a prompt with images, as JSON. */
const MAX_MESSAGE_BYTES = 64 << 20
const CLOSE_GRACE_MS = 1000
/** Limits of the servers of all hosts. */
export const SERVER_LIMITS = {
  maxHeaderSize: 16 << 10,
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5000,
}

/** Serves the interface and the contract. The rules are in ../README.md. */
export function createPageServer(options: PageServerOptions): PageServer {
  const { server, scheme, admit, logBug } = options
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    handleProtocols: () => SOCKET_PROTOCOL,
  })
  // For rejected clients: no large messages are read from them.
  const refusals = new WebSocketServer({
    noServer: true,
    maxPayload: 1024,
    perMessageDeflate: false,
    handleProtocols: () => SOCKET_PROTOCOL,
  })
  const port = (): number => (server.address() as AddressInfo | null)?.port ?? 0
  /**
   * The Origin check: whether the header names one of our own pages. Browsers always send it with a WebSocket; a
   * program without it still needs the token.
   */
  const isOurOrigin = (origin: string | undefined): boolean =>
    origin === undefined ||
    (origin.startsWith(`${scheme}://`) && options.isOurHost(origin.slice(`${scheme}://`.length), port()))

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    void answer(request, response, options, { port: port(), isOurOrigin }).catch((error: unknown) => {
      logBug('a page request failed', error)
      response.destroy()
    })
  })
  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on('error', () => stream.destroy())
    const { host, origin } = request.headers
    const refused =
      !options.isOurHost(host, port()) || !isOurOrigin(origin)
        ? '403 Forbidden'
        : request.url !== SOCKET_PATH
          ? '404 Not Found'
          : !offeredProtocols(request).includes(SOCKET_PROTOCOL)
            ? '400 Bad Request'
            : undefined
    if (refused) {
      stream.end(`HTTP/1.1 ${refused}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
      return
    }
    // A wrong token does get a WebSocket, because the page can only see its close code.
    const serve = admit(offeredProtocols(request), request)
    if (serve) sockets.handleUpgrade(request, stream, head, serve)
    else refusals.handleUpgrade(request, stream, head, refuse)
  })
  return {
    clients: sockets.clients,
    port,
    listen: (wanted, host) => listen(server, wanted, host),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets.clients) socket.close(1001, 'Trestle is closing')
      server.closeIdleConnections()
      const timer = setTimeout(() => {
        for (const socket of [...sockets.clients, ...refusals.clients]) socket.terminate()
        server.closeAllConnections()
      }, CLOSE_GRACE_MS)
      await closed
      clearTimeout(timer)
    },
  }
}

/** Signs a client out: its page explains how to sign in again. No further messages of it are read. */
export function refuse(socket: WebSocket): void {
  socket.removeAllListeners('message')
  socket.on('error', () => socket.terminate())
  socket.close(SOCKET_REFUSED, 'wrong token')
  const timer = setTimeout(() => socket.terminate(), CLOSE_GRACE_MS)
  socket.on('close', () => clearTimeout(timer))
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: PageServerOptions,
  { port, isOurOrigin }: { port: number; isOurOrigin(origin: string | undefined): boolean },
): Promise<void> {
  const { rendererDir, scheme, frames, refusal, appearance } = options
  const { host, origin } = request.headers
  const isOurs = options.isOurHost(host, port)
  // Not every browser treats a WebSocket of the same origin as 'self'. A policy cannot name an IPv6 address; 'self' has
  // to suffice there.
  const socket = isOurs && host?.startsWith('[') === false ? `${scheme.replace('http', 'ws')}://${host}` : ''
  for (const [name, value] of Object.entries(pageHeaders(socket, frames))) response.setHeader(name, value)
  const say = (status: number, text: string): void => {
    // A request with a body or a failed guess closes the connection; the body is not read.
    response.writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      connection: 'close',
    })
    response.end(request.method === 'HEAD' ? undefined : `${text}\n`)
  }
  if (!isOurs) {
    say(403, refusal)
    return
  }
  if (request.method === 'POST' && options.post && isOurOrigin(origin) && options.post(request, response)) return
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD')
    say(405, 'Only GET and HEAD.')
    return
  }
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
  const file = await readPageFile(rendererDir, path, request.headers['accept-encoding'], appearance)
  if (!file) {
    say(404, path === '/' ? 'The interface has not been built; run npm run build.' : 'Not found.')
    return
  }
  const known = { 'cache-control': file.cacheControl, etag: file.etag, vary: 'Accept-Encoding' }
  if (request.headers['if-none-match'] === file.etag) {
    response.writeHead(304, known)
    response.end()
    return
  }
  response.writeHead(200, {
    ...known,
    'content-type': file.contentType,
    'content-length': file.body.length,
    ...(file.encoding && { 'content-encoding': file.encoding }),
  })
  response.end(request.method === 'HEAD' ? undefined : file.body)
}

function offeredProtocols(request: IncomingMessage): string[] {
  return (request.headers['sec-websocket-protocol'] ?? '').split(',').map((offered) => offered.trim())
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === 'EADDRINUSE'
          ? `port ${port} is in use`
          : error.code === 'EACCES'
            ? `port ${port} is not allowed: ports below 1024 are the system's`
            : error.code === 'EADDRNOTAVAIL'
              ? `${host} is not an address of this machine`
              : error.message
      reject(new CodedError('host.port', `${reason}.`, { cause: error }))
    })
    server.listen(port, host, () => {
      server.removeAllListeners('error')
      resolve()
    })
  })
}
