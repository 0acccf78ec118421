import { chmod, mkdir, rm } from 'node:fs/promises'
import { once } from 'node:events'
import type { LookupAddress } from 'node:dns'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { canonicalHost } from '../../network/host-list'
import {
  HostDeniedError,
  openTunnel,
  routeTo,
  type OutboundConnections,
  type Resolve,
  type Route,
  joinSockets,
} from './outbound-connections'
import { createHttpProxy } from './http-proxy'
import { upstreamFromEnvironment } from '../../network/choose-proxy'
import ipaddr from 'ipaddr.js'
import { errorCode } from '../../../../shared/error-text'

/** A host and port that a sandboxed command tried to reach without permission. */
export interface DeniedHost {
  host: string
  port: number
  /** Set when the name is listed but leads to a private address: its kind, as text for the screen. */
  leadsTo?: string
  /** The time of the last attempt, in ms since 1970, and the number of attempts. */
  at: number
  count: number
}

export interface SandboxProxyOptions {
  /**
   * A folder only for this proxy, accessible only to the user, in which both sockets are created. Its path must be
   * short: socket paths are limited to 107 bytes.
   */
  folder: string
  /**
   * Whether a host (in its canonical spelling) and port can be reached. May ask the user while the connection waits.
   * Also called for private addresses.
   */
  allows: (host: string, port: number) => boolean | Promise<boolean>
  /** Called for every refused connection. */
  onDenied?: (denied: DeniedHost) => void
  /** Default: the system's resolver. */
  resolve?: Resolve
  /** Environment that names an upstream proxy. Default: Trestle's own. */
  env?: NodeJS.ProcessEnv
  /** Also listens on free ports of 127.0.0.1, for a sandbox without its own network (macOS). */
  ports?: boolean
  /** Maximum number of concurrent connections per protocol; more are closed immediately. */
  maxConnections?: number
}

export interface SandboxProxy {
  httpSocket: string
  socksSocket: string
  /** Only with `ports`. */
  ports?: { http: number; socks: number }
  /** What was refused, by host and port, at or after the given time. */
  denied: (since?: number) => DeniedHost[]
  /** Stops listening and ends all connections. */
  close: () => Promise<void>
}

const MAX_CONNECTIONS = 512
/** Maximum number of different hosts listed; users won't read a longer list. */
const MAX_DENIED = 1000
/** `sun_path` has 108 bytes on Linux and 104 on macOS, including the terminating zero. */
const MAX_SOCKET_PATH = process.platform === 'darwin' ? 103 : 107

/**
 * The network access of a sandbox with listed hosts: an HTTP and a SOCKS5 proxy on two unix sockets that are mounted
 * into the sandbox. It runs outside, in the process that runs commands, resolves names itself and connects only to
 * listed hosts. Encrypted connections are passed on unread.
 */
export async function createSandboxProxy(options: SandboxProxyOptions): Promise<SandboxProxy> {
  const { folder, allows, onDenied, maxConnections = MAX_CONNECTIONS } = options
  const sockets = { http: join(folder, 'http.sock'), socks: join(folder, 'socks.sock') }
  if (Buffer.byteLength(sockets.socks) > MAX_SOCKET_PATH)
    throw new Error(
      `The folder for the sandbox's sockets has too long a path (${folder}); ` +
        `a socket's path may have ${MAX_SOCKET_PATH} bytes`,
    )
  await mkdir(folder, { recursive: true, mode: 0o700 })

  const denials = new Map<string, DeniedHost>()
  const note = ({ host, port, kind }: HostDeniedError): void => {
    const key = `${host} ${port}`
    const count = (denials.get(key)?.count ?? 0) + 1
    const denied: DeniedHost = { host, port, at: Date.now(), count, ...(kind === undefined ? {} : { leadsTo: kind }) }
    if (denials.has(key) || denials.size < MAX_DENIED) denials.set(key, denied)
    onDenied?.(denied)
  }
  const chooseUpstream = upstreamFromEnvironment(options.env ?? process.env)
  const resolve = options.resolve ?? systemLookup
  const decide = async (host: string, port: number, scheme: 'http' | 'tunnel'): Promise<Route> => {
    try {
      // Both protocols pass a canonical name. The name that is checked must be spelled exactly like the one connected
      // to.
      if (canonicalHost(host) !== host) throw new HostDeniedError(host, port)
      return await routeTo(host, port, { allows, resolve, chooseUpstream }, scheme)
    } catch (error) {
      if (error instanceof HostDeniedError) note(error)
      throw error
    }
  }
  const outside: OutboundConnections = {
    route: (host, port) => decide(host, port, 'http'),
    open: async (host, port) => openTunnel(await decide(host, port, 'tunnel')),
  }

  const open = new Set<Socket>()
  const listen = async (server: Server, place: string | number): Promise<Server> => {
    server.maxConnections = maxConnections
    server.on('connection', (socket: Socket) => {
      open.add(socket)
      socket.on('error', () => socket.destroy()).once('close', () => open.delete(socket))
    })
    if (typeof place === 'string') await rm(place, { force: true })
    server.listen(typeof place === 'string' ? { path: place } : { host: '127.0.0.1', port: place })
    await once(server, 'listening')
    // Too many open files on accept: only that connection is lost, not this process.
    server.on('error', () => undefined)
    if (typeof place === 'string') await chmod(place, 0o600)
    return server
  }
  const http = (): Server => createHttpProxy(outside)
  const socks = (): Server =>
    createServer({ allowHalfOpen: true, noDelay: true }, (socket) => void serveSocks(socket, outside))

  const places: [() => Server, string | number][] = [
    [http, sockets.http],
    [socks, sockets.socks],
  ]
  if (options.ports === true) places.push([http, 0], [socks, 0])
  const servers: Server[] = []
  const close = async (): Promise<void> => {
    const closed = servers.map((server) => new Promise<void>((settle) => void server.close(() => settle())))
    for (const socket of open) socket.destroy()
    await Promise.all(closed)
  }
  try {
    for (const [make, place] of places) servers.push(await listen(make(), place))
  } catch (error) {
    await close()
    throw error
  }
  const [, , httpPort, socksPort] = servers.map((server) => (server.address() as AddressInfo).port)
  return {
    httpSocket: sockets.http,
    socksSocket: sockets.socks,
    ...(httpPort === undefined || socksPort === undefined ? {} : { ports: { http: httpPort, socks: socksPort } }),
    denied: (since = 0) => [...denials.values()].filter(({ at }) => at >= since),
    close,
  }
}

async function systemLookup(name: string): Promise<LookupAddress[]> {
  const { lookup } = await import('node:dns/promises')
  return lookup(name, { all: true, verbatim: true })
}

/** Reply codes (RFC 1928, section 6). */
const REPLY = { ok: 0, failed: 1, denied: 2, unreachable: 4, refused: 5, command: 7, address: 8 } as const
const VERSION = 5
const NO_SIGN_IN = 0
const NO_METHOD = 0xff
const HANDSHAKE_MS = 20_000

/**
 * Serves one connection of a SOCKS5 client (RFC 1928): CONNECT, to a name or an address, without signing in. Never
 * rejects.
 */
async function serveSocks(client: Socket, outside: OutboundConnections): Promise<void> {
  const late = setTimeout(() => client.destroy(), HANDSHAKE_MS)
  client.on('error', () => client.destroy())
  client.once('close', () => clearTimeout(late))
  const handshake = readFrom(client)
  try {
    const target = await readRequest(client, handshake.take)
    clearTimeout(late)
    handshake.stop()
    if (target instanceof Uint8Array) return void client.end(target)
    const server = await outside.open(target.host, target.port)
    if (client.destroyed) return void server.destroy()
    client.write(reply(REPLY.ok))
    joinSockets(client, server)
  } catch (error) {
    clearTimeout(late)
    if (error instanceof BrokenHandshake || !client.writable) client.destroy()
    else client.end(reply(replyTo(error)))
  }
}

class BrokenHandshake extends Error {
  override readonly name = 'BrokenHandshake'
}

type Take = (count: number) => Promise<Buffer>

/** The requested target, or the final reply if the request is refused. */
async function readRequest(client: Socket, take: Take): Promise<{ host: string; port: number } | Buffer> {
  const [version, count] = await take(2)
  if (version !== VERSION) throw new BrokenHandshake('not SOCKS5')
  const methods = await take(count!)
  if (!methods.includes(NO_SIGN_IN)) return Buffer.from([VERSION, NO_METHOD])
  client.write(Buffer.from([VERSION, NO_SIGN_IN]))
  const [again, command, , kind] = await take(4)
  if (again !== VERSION) throw new BrokenHandshake('not SOCKS5')
  const written = await readHost(kind!, take)
  if (written === undefined) return reply(REPLY.address)
  const port = (await take(2)).readUInt16BE()
  if (command !== 1) return reply(REPLY.command)
  const host = canonicalHost(written)
  return host === undefined || port === 0 ? reply(REPLY.address) : { host, port }
}

async function readHost(kind: number, take: Take): Promise<string | undefined> {
  if (kind === 1) return ipaddr.fromByteArray([...(await take(4))]).toString()
  if (kind === 4) return ipaddr.fromByteArray([...(await take(16))]).toString()
  if (kind !== 3) return undefined
  const [length] = await take(1)
  return (await take(length!)).toString('latin1')
}

/** Reads a socket in pieces; `stop` puts back excess bytes and leaves the socket paused. */
function readFrom(socket: Socket): { take: Take; stop: () => void } {
  let [bytes, ended, wake] = [Buffer.alloc(0), false, (): void => undefined]
  const more = (chunk: Buffer): void => {
    bytes = Buffer.concat([bytes, chunk])
    socket.pause()
    wake()
  }
  const end = (): void => {
    ended = true
    wake()
  }
  socket.on('data', more).once('end', end).once('close', end)
  const take: Take = async (count) => {
    while (bytes.length < count) {
      if (ended) throw new BrokenHandshake('the connection ended')
      await new Promise<void>((settle) => {
        wake = settle
        socket.resume()
      })
    }
    const taken = bytes.subarray(0, count)
    bytes = bytes.subarray(count)
    return taken
  }
  const stop = (): void => {
    socket.off('data', more).pause()
    if (bytes.length > 0) socket.unshift(bytes)
  }
  return { take, stop }
}

/** Clients do not need the address in a reply, so it is always 0.0.0.0. */
function reply(code: number): Buffer {
  return Buffer.from([VERSION, code, 0, 1, 0, 0, 0, 0, 0, 0])
}

function replyTo(error: unknown): number {
  if (error instanceof HostDeniedError) return REPLY.denied
  const code = errorCode(error)
  if (code === 'ECONNREFUSED') return REPLY.refused
  return code === undefined ? REPLY.failed : REPLY.unreachable
}
