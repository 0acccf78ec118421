import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { CodedError } from '../../../shared/errors'
import { FRAME_SCRIPT } from './page-code'
import { passRequest, type Passing, http, MAX_HEADER_BYTES, askServer } from './pass-request'
import { frameHeaders, type PreviewOrigins, requestHeaders } from './preview-headers'
import { previewTarget, type PreviewTarget } from './preview-target'
import { SCRIPT_PATH } from './script-insertion'

/** Headers of the response to a handshake. */
const HANDSHAKE = ['sec-websocket-accept', 'sec-websocket-protocol', 'sec-websocket-extensions']

/** Connects a WebSocket of the page to one of the server, for reloads on changes. */
function passSocket(
  request: IncomingMessage,
  stream: Duplex,
  head: Buffer,
  { target, origins }: { target: PreviewTarget; origins: PreviewOrigins },
): void {
  const asked = askServer(request, target, requestHeaders(request.headers, origins, true))
  stream.on('close', () => asked.destroy())
  asked.on('error', () => refuseSocket(stream, '502 Bad Gateway'))
  asked.on('response', (answer) => {
    answer.destroy()
    refuseSocket(stream, '502 Bad Gateway')
  })
  asked.on('upgrade', (answer, socket, first) => {
    socket.on('error', () => socket.destroy())
    socket.on('close', () => stream.destroy())
    stream.on('close', () => socket.destroy())
    const fields = HANDSHAKE.flatMap((name) => {
      const value = answer.headers[name]
      return typeof value === 'string' ? [`${name}: ${value}\r\n`] : []
    })
    stream.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n${fields.join('')}\r\n`,
    )
    stream.write(first)
    socket.write(head)
    socket.pipe(stream)
    stream.pipe(socket)
  })
  asked.end()
}

/** Rejects an upgrade. */
function refuseSocket(stream: Duplex, status: string): void {
  if (!stream.destroyed) stream.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
}

const MAX_TARGETS = 20

export interface PreviewProxiesOptions {
  /** Pages that can show a frame, as a content security policy names them. */
  ancestors: string
  /** Ports of Trestle itself. */
  isOwnPort: (port: number) => boolean
  log: (message: string, error: unknown) => void
}

interface Proxy {
  origins: PreviewOrigins
  stop(): Promise<void>
}

/** A reverse proxy for each previewed server, on its own loopback port, which gives each server its own origin. */
export class PreviewProxies {
  readonly #options: PreviewProxiesOptions
  readonly #proxies = new Map<string, Promise<Proxy>>()

  constructor(options: PreviewProxiesOptions) {
    this.#options = options
  }

  /**
   * The URL to load in a frame. Throws `request.invalid` for anything but a server of this machine, and for Trestle
   * itself.
   */
  async open(url: string): Promise<{ frameUrl: string }> {
    const target = previewTarget(url)
    if (this.#options.isOwnPort(target.port) || (await this.#isProxy(target.port)))
      throw new CodedError('request.invalid', `url: port ${target.port} is Trestle itself; type that of your server.`)
    let proxy = this.#proxies.get(target.origin)
    if (!proxy) {
      proxy = this.#start(target)
      this.#proxies.set(target.origin, proxy)
      proxy.catch(() => this.#proxies.delete(target.origin))
      await this.#removeOldest()
    }
    const { origins } = await proxy
    const { pathname, search, hash } = new URL(url)
    return { frameUrl: origins.frame + pathname + search + hash }
  }

  async close(): Promise<void> {
    const all = [...this.#proxies.values()]
    this.#proxies.clear()
    await Promise.allSettled(all.map(async (proxy) => (await proxy).stop()))
  }

  async #isProxy(port: number): Promise<boolean> {
    const all = await Promise.allSettled(this.#proxies.values())
    return all.some((one) => one.status === 'fulfilled' && new URL(one.value.origins.frame).port === String(port))
  }

  async #removeOldest(): Promise<void> {
    const [oldest] = this.#proxies
    if (!oldest || this.#proxies.size <= MAX_TARGETS) return
    this.#proxies.delete(oldest[0])
    await (await oldest[1]).stop()
  }

  async #start(target: PreviewTarget): Promise<Proxy> {
    const { ancestors, log } = this.#options
    const server = http().createServer({ maxHeaderSize: MAX_HEADER_BYTES })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(0, '127.0.0.1', () => resolve())
    })
    const frame = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const origins: PreviewOrigins = { target: target.origin, frame, ancestors }
    let hasPage = false
    const isFirstPage = (): boolean => !hasPage && (hasPage = true)
    const passing: Passing = { target, origins, isFirstPage }
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      try {
        const refusal = refusalOf(request, frame)
        if (refusal !== undefined) refuse(response, origins, refusal)
        else if (request.url?.split('?', 1)[0] === SCRIPT_PATH) sendScript(response, origins)
        else passRequest(request, response, passing)
      } catch (error) {
        log('a preview request failed', error)
        response.destroy()
      }
    })
    const streams = new Set<Duplex>()
    server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
      streams.add(stream)
      stream.on('error', () => stream.destroy())
      stream.on('close', () => streams.delete(stream))
      if (socketRefusalOf(request, frame) === undefined) passSocket(request, stream, head, passing)
      else refuseSocket(stream, '403 Forbidden')
    })
    return { origins, stop: () => stop(server, streams) }
  }
}

function sendScript(response: ServerResponse, origins: PreviewOrigins): void {
  response.writeHead(200, {
    ...frameHeaders(origins),
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'no-cache',
  })
  response.end(FRAME_SCRIPT)
}

function refuse(response: ServerResponse, origins: PreviewOrigins, why: string): void {
  // The body of the request is not read.
  response.writeHead(403, { ...frameHeaders(origins), 'content-type': 'text/plain', connection: 'close' })
  response.end(`${why}\n`)
}

/** The server no longer tracks streams that were upgraded. */
async function stop(server: Server, streams: ReadonlySet<Duplex>): Promise<void> {
  for (const stream of streams) stream.destroy()
  server.closeAllConnections()
  await new Promise<void>((resolve) => server.close(() => resolve()))
}

/**
 * Why a request is refused; undefined: it is allowed. Other pages can guess the port of a preview: they can reach
 * nothing through it, and no service worker of an earlier server stays at the port for the next one.
 */
function refusalOf({ headers, method, url }: IncomingMessage, frame: string): string | undefined {
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
function socketRefusalOf(request: IncomingMessage, frame: string): string | undefined {
  const { headers, method } = request
  if (headers.origin !== frame || method !== 'GET') return 'Only pages of this preview may open this.'
  if (headers.upgrade?.toLowerCase() !== 'websocket') return 'Only WebSockets.'
  return refusalOf(request, frame)
}
