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
} from './outbound-connections'
import { createHttpProxy } from './http-proxy'
import { serveSocks } from './socks-proxy'
import { upstreamFromEnvironment } from '../../network/upstream-proxy'

/** A host and port that a sandboxed command tried to reach and may not. */
export interface DeniedHost {
  host: string
  port: number
  /** Set when the name itself is listed but leads to a private address: what kind of place, as text for the screen. */
  leadsTo?: string
  /** The last time, in ms since 1970, and how often so far. */
  at: number
  count: number
}

export interface SandboxProxyOptions {
  /**
   * A folder of this proxy's own, reachable for its user only; both sockets are made in it. Its path must be short: a
   * socket's may have 107 bytes.
   */
  folder: string
  /**
   * Whether a host (in its canonical spelling) and port may be reached. May ask a person; the connection waits. Also
   * asked about private addresses.
   */
  allows: (host: string, port: number) => boolean | Promise<boolean>
  /** Called at every connection that is refused. */
  onDenied?: (denied: DeniedHost) => void
  /** Default: the system's resolver. */
  resolve?: Resolve
  /** Where an upstream proxy is named; default: Trestle's own environment. */
  env?: NodeJS.ProcessEnv
  /** Listens on free ports of 127.0.0.1 too, for a sandbox without a network of its own (macOS). */
  ports?: boolean
  /** Connections at the same time, over each of the two protocols; more are closed at once. */
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
/** Of different hosts; a command that tries more than this is not going to be read to the end. */
const MAX_DENIED = 1000
/** `sun_path` has 108 bytes on Linux and 104 on macOS, with the zero at the end. */
const MAX_SOCKET_PATH = process.platform === 'darwin' ? 103 : 107

/**
 * The way out of a sandbox that has listed hosts: an HTTP and a SOCKS5 proxy on two unix sockets, which are mounted
 * into the sandbox. It runs outside, in the process that runs commands, resolves names itself and connects to listed
 * hosts only. Encrypted connections are passed on unread.
 */
export async function createSandboxProxy(options: SandboxProxyOptions): Promise<SandboxProxy> {
  const { folder, allows, onDenied, maxConnections = MAX_CONNECTIONS } = options
  const sockets = { http: join(folder, 'http.sock'), socks: join(folder, 'socks.sock') }
  if (Buffer.byteLength(sockets.socks) > MAX_SOCKET_PATH)
    throw new Error(
      `The folder for the sandbox's sockets has too long a path (${folder}); a socket's path may have ${MAX_SOCKET_PATH} bytes`,
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
      // Both protocols come with a canonical name; what is decided on must never be spelled in another way than what is
      // connected to.
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
    // Too many open files while a connection is taken: that connection is lost, and not this process.
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
