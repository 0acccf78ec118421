import type * as Http from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import {
  isPage,
  requestHeaders,
  responseHeaders,
  SCRIPT_PATH,
  withScript,
  type PreviewOrigins,
} from './preview-headers'
import { FRAME_SCRIPT } from './page-code'
import { previewTarget, type PreviewTarget } from './preview-target'

const http = (): typeof Http => process.getBuiltinModule('node:http')

/** A page larger than this is passed on as it is. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024
const MAX_TARGETS = 20

export interface PreviewProxiesOptions {
  /** Pages that may show a frame, as a content security policy names them. */
  ancestors: string
  /** Ports of Trestle itself. */
  isOwnPort: (port: number) => boolean
  log: (message: string, error: unknown) => void
}

/** A reverse proxy for each previewed server, on a loopback port of its own: that gives each its own origin. */
export class PreviewProxies {
  readonly #options: PreviewProxiesOptions
  readonly #proxies = new Map<string, Promise<{ server: Server; origins: PreviewOrigins }>>()

  constructor(options: PreviewProxiesOptions) {
    this.#options = options
  }

  /** The URL to load in a frame. Throws `request.invalid` for what is not a server of this machine. */
  async open(url: string): Promise<{ frameUrl: string }> {
    const target = previewTarget(url)
    if (this.#options.isOwnPort(target.port) || (await this.#isProxy(target.port))) return { frameUrl: 'about:blank' }
    let proxy = this.#proxies.get(target.origin)
    if (!proxy) {
      await this.#makeRoom()
      proxy = this.#start(target)
      this.#proxies.set(target.origin, proxy)
      proxy.catch(() => this.#proxies.delete(target.origin))
    }
    const { origins } = await proxy
    return { frameUrl: origins.frame + url.slice(new URL(url).origin.length) }
  }

  async close(): Promise<void> {
    const all = [...this.#proxies.values()]
    this.#proxies.clear()
    await Promise.all(all.map(async (proxy) => stop((await proxy).server)))
  }

  async #isProxy(port: number): Promise<boolean> {
    const all = await Promise.all(this.#proxies.values())
    return all.some(({ origins }) => new URL(origins.frame).port === String(port))
  }

  async #makeRoom(): Promise<void> {
    const [oldest] = this.#proxies
    if (!oldest || this.#proxies.size < MAX_TARGETS) return
    this.#proxies.delete(oldest[0])
    await stop((await oldest[1]).server)
  }

  async #start(target: PreviewTarget): Promise<{ server: Server; origins: PreviewOrigins }> {
    const { ancestors, log } = this.#options
    const server = http().createServer({ maxHeaderSize: 64 << 10 })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(0, '127.0.0.1', () => resolve())
    })
    const frame = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const origins: PreviewOrigins = { target: target.origin, frame, ancestors }
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (request.headers.host !== new URL(frame).host) return refuse(response)
      if (request.url?.split('?', 1)[0] === SCRIPT_PATH) return sendScript(response)
      pass(request, response, target, origins).catch((error: unknown) => {
        log('a preview request failed', error)
        response.destroy()
      })
    })
    server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
      stream.on('error', () => stream.destroy())
      if (request.headers.host !== new URL(frame).host || request.headers.origin !== frame) stream.destroy()
      else passSocket(request, stream, head, target, origins)
    })
    return { server, origins }
  }
}

/** Passes one request on, and its answer back. */
async function pass(
  request: IncomingMessage,
  response: ServerResponse,
  target: PreviewTarget,
  origins: PreviewOrigins,
): Promise<void> {
  const asked = http().request({
    host: target.hostname,
    port: target.port,
    method: request.method,
    path: request.url,
    headers: requestHeaders(request.headers, origins),
  })
  response.on('close', () => asked.destroy())
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    asked.once('response', resolve)
    asked.once('error', reject)
  })
  request.pipe(asked)
  let answer: IncomingMessage
  try {
    answer = await answered
  } catch {
    return sendUnreachable(response, target)
  }
  answer.on('error', () => response.destroy())
  const headers = responseHeaders(answer.headers, origins)
  const length = Number(answer.headers['content-length'] ?? 0)
  if (request.method === 'HEAD' || !isPage(answer.headers) || length > MAX_PAGE_BYTES) {
    response.writeHead(answer.statusCode ?? 502, headers)
    answer.pipe(response)
    return
  }
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  const page = Buffer.from(withScript(Buffer.concat(chunks).toString('utf8')))
  response.writeHead(answer.statusCode ?? 502, { ...headers, 'content-length': page.length })
  response.end(page)
}

/** Joins a WebSocket of the page with one of the server, for reloads on changes. */
function passSocket(
  request: IncomingMessage,
  stream: Duplex,
  head: Buffer,
  target: PreviewTarget,
  origins: PreviewOrigins,
): void {
  const socket = connect(target.port, target.hostname, () => {
    const headers = Object.entries(requestHeaders(request.headers, origins, true)).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((one) => `${name}: ${one}`),
    )
    socket.write(`GET ${request.url} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
    socket.write(head)
    socket.pipe(stream)
    stream.pipe(socket)
  })
  socket.on('error', () => stream.destroy())
  socket.on('close', () => stream.destroy())
  stream.on('close', () => socket.destroy())
}

function sendScript(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-cache' })
  response.end(FRAME_SCRIPT)
}

function refuse(response: ServerResponse): void {
  response.writeHead(403, { 'content-type': 'text/plain' })
  response.end('Only Trestle shows this.\n')
}

function sendUnreachable(response: ServerResponse, { origin }: PreviewTarget): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(502, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
  response.end(`<!doctype html><title>No server</title><style>body{font:14px/1.5 system-ui;margin:40px;color:#555}</style>
<script src="${SCRIPT_PATH}"></script><h1 style="font-size:16px">Nothing answers at ${origin}</h1>
<p>Start the server, or have the agent start it, and reload.</p>`)
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise<void>((resolve) => server.close(() => resolve()))
}
