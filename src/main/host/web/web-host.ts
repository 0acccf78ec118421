import { randomBytes, createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import { CodedError } from '../../../shared/errors'
import { SOCKET_PATH, SOCKET_PROTOCOL, SOCKET_REFUSED, tokenProtocol } from '../../../shared/contract/page-host'
import { createRouter } from '../../api/router'
import { createRpcServer } from '../../api/rpc-server'
import type { HostActions, LogBug } from '../../api/implementer'
import type { Engine } from '../../engine/engine-api'
import type { JoinedEngine } from '../../role/joined-engine'
import { pageHeaders, readPageFile } from '../../api/page-files'
import { createUserEditor } from '../../api/user-editor'
import type { PreviewProxies } from '../../api/preview/preview-proxy'
import { serveSocket, SOCKET_LIMITS, type SocketLimits } from './web-socket'

export interface WebHostOptions {
  /** In this process, or the one of the home that it has joined. */
  engine: Engine | JoinedEngine
  /** The built interface (out/renderer). */
  rendererDir: string
  /** 0 or absent: any free port. */
  port?: number
  /** Loopback only; default `127.0.0.1`. */
  host?: '127.0.0.1' | 'localhost' | '::1'
  /** At least 32 characters of letters, digits, `-` and `_`; default: 256 random bits. */
  token?: string
  /** Default: stderr. */
  logBug?: LogBug
  socketLimits?: Partial<SocketLimits>
}

export interface WebHost {
  /**
   * The URL for the user, with the token after `#`, which browsers never send. Print it to the user's terminal; never
   * log it.
   */
  readonly url: string
  port: number
  /** Replaces the token; clients with another one are disconnected at once. */
  useToken(token: string): void
  /** Disconnects every client and frees the port; the engine keeps running. */
  close(): Promise<void>
}

/** Maximum message size in bytes: a prompt with images, as JSON. */
const MAX_MESSAGE_BYTES = 64 << 20
const CLOSE_GRACE_MS = 1000
/** Previews of servers on this machine, each from a port of its own. */
const PREVIEW_FRAMES = 'http://127.0.0.1:*'

/**
 * Serves the interface and the contract on loopback. Fails with `host.port` when the port is unavailable, and with
 * `request.invalid` when the options are invalid. The rules are in README.md beside this file.
 */
export async function startWebHost(options: WebHostOptions): Promise<WebHost> {
  const { engine, rendererDir, host = '127.0.0.1' } = options
  let token = checkedToken(options.token ?? randomBytes(32).toString('hex'))
  const logBug: LogBug =
    options.logBug ??
    ((message, error) =>
      void process.stderr.write(
        `trestle: ${message}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
      ))
  if (!['127.0.0.1', 'localhost', '::1'].includes(host))
    throw new CodedError(
      'request.invalid',
      `host: ${host} is not loopback; use an SSH tunnel to reach Trestle from elsewhere`,
    )

  // Loaded with the first preview.
  let proxies: Promise<PreviewProxies> | undefined
  const previews = (): Promise<PreviewProxies> =>
    (proxies ??= import('../../api/preview/preview-proxy').then(
      ({ PreviewProxies: Proxies }) =>
        new Proxies({
          ancestors: ['127.0.0.1', 'localhost'].map((name) => `http://${name}:${portOf(server)}`).join(' '),
          isOwnPort: (own) => own === portOf(server),
          log: logBug,
        }),
    ))

  // It only listens on loopback, so the user is at this machine.
  const actions: HostActions = {
    kind: 'web',
    chooseFolder: async () => null,
    openExternal: async () => false,
    files: createUserEditor(process),
    preview: async (url) => (await previews()).open(url),
  }
  const router = 'router' in engine ? engine.router(actions, logBug) : createRouter({ engine, host: actions, logBug })
  const rpc = createRpcServer(router, logBug)
  const limits: SocketLimits = { ...SOCKET_LIMITS, ...options.socketLimits }
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    handleProtocols: () => SOCKET_PROTOCOL,
  })
  // Importing the module would load everything it exports, including Node's `fetch`.
  const server = process
    .getBuiltinModule('node:http')
    .createServer({ maxHeaderSize: 16 << 10, headersTimeout: 10_000, requestTimeout: 10_000, keepAliveTimeout: 5000 })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    void answer(request, response, { rendererDir, engine }, portOf(server)).catch((error: unknown) => {
      logBug('a page request failed', error)
      response.destroy()
    })
  })
  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on('error', () => stream.destroy())
    const refusal = refusalOf(request, portOf(server))
    if (refusal) {
      stream.end(`HTTP/1.1 ${refusal}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
      return
    }
    const isAllowed = offeredProtocols(request).some((offered) => isSameToken(offered, tokenProtocol(token)))
    sockets.handleUpgrade(request, stream, head, (socket) => {
      if (isAllowed) serveSocket(rpc, socket, limits)
      else refuse(socket)
    })
  })
  await listen(server, options.port ?? 0, host)
  const port = portOf(server)
  return {
    get url() {
      return `http://${host === '::1' ? '[::1]' : host}:${port}/#token=${token}`
    },
    port,
    useToken(next) {
      if (next === token) return
      token = checkedToken(next)
      for (const socket of sockets.clients) refuse(socket)
    },
    async close() {
      await Promise.all([close(server, sockets), (await proxies)?.close()])
    },
  }
}

function checkedToken(token: string): string {
  if (!/^[\w-]{32,}$/.test(token)) throw new CodedError('request.invalid', 'token: at least 32 letters, digits, - or _')
  return token
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { rendererDir, engine }: { rendererDir: string; engine: WebHostOptions['engine'] },
  port: number,
): Promise<void> {
  const { host } = request.headers
  const isOurs = isOurHost(host, port)
  // Not every browser treats a WebSocket of the same origin as 'self'. A policy cannot name an IPv6 address; 'self' has
  // to suffice there.
  const headers = pageHeaders(isOurs && host?.startsWith('[') === false ? `ws://${host}` : '', PREVIEW_FRAMES)
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
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
    say(403, 'Trestle answers only to its loopback address.')
    return
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD')
    say(405, 'Only GET and HEAD.')
    return
  }
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
  const file = await readPageFile(rendererDir, path, request.headers['accept-encoding'], () =>
    engine.settings.appearance(),
  )
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

/**
 * The status line of a rejected upgrade. A wrong token does get a WebSocket, because the page can only see its close
 * code.
 */
function refusalOf(request: IncomingMessage, port: number): string | undefined {
  if (!isOurHost(request.headers.host, port) || !isOurOrigin(request.headers.origin, port)) return '403 Forbidden'
  if (request.url !== SOCKET_PATH) return '404 Not Found'
  if (!offeredProtocols(request).includes(SOCKET_PROTOCOL)) return '400 Bad Request'
  return undefined
}

function offeredProtocols(request: IncomingMessage): string[] {
  return (request.headers['sec-websocket-protocol'] ?? '').split(',').map((offered) => offered.trim())
}

function refuse(socket: WebSocket): void {
  // Ignores everything such a client sends.
  socket.removeAllListeners('message')
  socket.on('error', () => socket.terminate())
  socket.close(SOCKET_REFUSED, 'wrong token')
  const timer = setTimeout(() => socket.terminate(), CLOSE_GRACE_MS)
  socket.on('close', () => clearTimeout(timer))
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === 'EADDRINUSE'
          ? `port ${port} is in use`
          : error.code === 'EACCES'
            ? `port ${port} is not allowed: ports below 1024 are the system's`
            : error.message
      reject(new CodedError('host.port', `${reason}.`, { cause: error }))
    })
    server.listen(port, host, () => {
      server.removeAllListeners('error')
      resolve()
    })
  })
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo | null)?.port ?? 0
}

async function close(server: Server, sockets: WebSocketServer): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  for (const socket of sockets.clients) socket.close(1001, 'Trestle is closing')
  server.closeIdleConnections()
  const timer = setTimeout(() => {
    for (const socket of sockets.clients) socket.terminate()
    server.closeAllConnections()
  }, CLOSE_GRACE_MS)
  await closed
  clearTimeout(timer)
}

/** Loopback names of this machine. */
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])

/**
 * The Host check: whether the header names this machine and our port. With DNS rebinding it would name the foreign
 * site.
 */
function isOurHost(host: string | undefined, port: number): boolean {
  if (host === undefined) return false
  const at = host.lastIndexOf(':')
  const name = (at <= host.lastIndexOf(']') ? host : host.slice(0, at)).toLowerCase()
  const named = at <= host.lastIndexOf(']') ? '80' : host.slice(at + 1)
  return LOOPBACK.has(name) && named === String(port)
}

/**
 * The Origin check: whether the header names one of our own pages. Browsers always send it with a WebSocket; a program
 * without it still needs the token.
 */
function isOurOrigin(origin: string | undefined, port: number): boolean {
  if (origin === undefined) return true
  return origin.startsWith('http://') && isOurHost(origin.slice('http://'.length), port)
}

/** Constant-time comparison that reveals neither the position of a difference nor the length. */
function isSameToken(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
