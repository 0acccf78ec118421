import type { LookupAddress } from 'node:dns'
import type * as Http from 'node:http'
import { connect, isIP, type LookupFunction, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import ipaddr from 'ipaddr.js'
import { nonPublicKind } from '../../network/public-address'
import { isThisMachine, type ChooseUpstream, type UpstreamProxy } from '../../network/choose-proxy'

/** Resolves a name to all its addresses. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>

/** Where a connection may go: straight to addresses that were checked, or by name through the upstream proxy. */
export interface Route {
  host: string
  port: number
  via: { addresses: readonly LookupAddress[] } | { upstream: UpstreamProxy }
}

/** A connection that the sandbox does not allow. */
export class HostDeniedError extends Error {
  override readonly name = 'HostDeniedError'
  readonly host: string
  readonly port: number
  /** What kind of address a listed name leads to, when that is the reason. */
  readonly kind: string | undefined

  constructor(host: string, port: number, kind?: string) {
    const target = port === 80 || port === 443 ? host : `${host}:${port}`
    const reason = kind === undefined ? '' : `: that name leads to ${kind}`
    super(`Trestle's sandbox does not allow connections to ${target}${reason}.`)
    this.host = host
    this.port = port
    this.kind = kind
  }
}

/** The decision and the connection, shared by both protocols. */
export interface OutboundConnections {
  /** Decides about a plain HTTP request; rejects with `HostDeniedError`. */
  route: (host: string, port: number) => Promise<Route>
  /** Decides and connects; rejects with `HostDeniedError` or the connection's error. */
  open: (host: string, port: number) => Promise<Socket>
}

export interface RouteOptions {
  allows: (host: string, port: number) => boolean | Promise<boolean>
  resolve: Resolve
  chooseUpstream: ChooseUpstream
}

/**
 * Reserved for network tests and documentation (RFC 2544, RFC 5737). Gateways and VPN clients that route by name
 * resolve every name to such an address, even names on the internet; private networks do not use them.
 */
const PLACEHOLDERS = ['198.18.0.0/15', '192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24'].map((range) =>
  ipaddr.IPv4.parseCIDR(range),
)

const CONNECT_MS = 20_000
/** `localhost` is never resolved: it is always this machine. */
const LOCAL: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/**
 * Decides about one connection and resolves its name, outside the sandbox. Connections are made only to the returned
 * addresses, which were checked, so that a name cannot change in between. Rejects with `HostDeniedError` or the
 * resolver's error.
 */
export async function routeTo(
  host: string,
  port: number,
  options: RouteOptions,
  scheme: 'http' | 'tunnel',
): Promise<Route> {
  const { allows, resolve, chooseUpstream } = options
  if (!(await allows(host, port))) throw new HostDeniedError(host, port)
  if (isIP(host) !== 0) {
    const upstream = chooseUpstream(host, port, scheme)
    return { host, port, via: upstream ? { upstream } : { addresses: [{ address: host, family: isIP(host) }] } }
  }
  if (host === 'localhost') return { host, port, via: { addresses: LOCAL } }
  const upstream = chooseUpstream(host, port, scheme)
  const addresses = await resolve(host).catch((error: unknown) => {
    // Behind a proxy, this machine often cannot resolve internet names; only the proxy can.
    if (upstream === undefined) throw error
    return []
  })
  for (const { address } of addresses) {
    const kind = isPlaceholder(address) ? undefined : nonPublicKind(address)
    if (kind !== undefined && !(await allowsPrivate(address, port, allows))) throw new HostDeniedError(host, port, kind)
  }
  if (upstream !== undefined) return { host, port, via: { upstream } }
  if (addresses.length === 0) throw Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' })
  return { host, port, via: { addresses } }
}

/**
 * Whether an address belongs to no network, private or public, so that it only works where a gateway maps it.
 */
function isPlaceholder(address: string): boolean {
  return isIP(address) === 4 && PLACEHOLDERS.some((range) => ipaddr.IPv4.parse(address).match(range))
}

/**
 * A listed name may lead to a private address only when the user listed that address too, or `localhost` with this port
 * for this machine.
 */
async function allowsPrivate(address: string, port: number, allows: RouteOptions['allows']): Promise<boolean> {
  return (await allows(address, port)) || (isThisMachine(address) && (await allows('localhost', port)))
}

/**
 * Opens the connection of a route: a socket to the host, through the route's upstream proxy if it has one.
 */
export function openTunnel(route: Route): Promise<Socket> {
  return 'upstream' in route.via
    ? tunnelThrough(route.via.upstream, route)
    : connectTo(route.host, route.port, route.via.addresses)
}

/** A lookup that returns the checked addresses for every name, so that nothing is resolved again. */
export function fixedLookup(addresses: readonly LookupAddress[]): LookupFunction {
  return (_name, { all }, callback) => {
    if (all === true) callback(null, [...addresses])
    else callback(null, addresses[0]!.address, addresses[0]!.family)
  }
}

async function connectTo(host: string, port: number, addresses: readonly LookupAddress[]): Promise<Socket> {
  const socket = connect({
    host,
    port,
    lookup: fixedLookup(addresses),
    autoSelectFamily: true,
    allowHalfOpen: true,
    noDelay: true,
  })
  return new Promise((settle, reject) => {
    const late = setTimeout(() => socket.destroy(tooLate(host)), CONNECT_MS)
    // Kept for the life of the socket, so that a reset is never an unhandled error.
    socket.on('error', reject)
    socket.once('close', () => clearTimeout(late))
    socket.once('connect', () => {
      clearTimeout(late)
      settle(socket)
    })
  })
}

async function tunnelThrough(upstream: UpstreamProxy, { host, port }: Route): Promise<Socket> {
  const { request } = httpModule(upstream.protocol)
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  return new Promise((settle, reject) => {
    const asked = request({
      method: 'CONNECT',
      host: upstream.host,
      port: upstream.port,
      path: authority,
      headers: { host: authority, ...proxyAuthorization(upstream) },
      agent: false,
    })
    const late = setTimeout(() => asked.destroy(tooLate(host)), CONNECT_MS)
    asked.once('close', () => clearTimeout(late))
    asked.on('error', reject)
    asked.once('connect', (answer, socket, head) => {
      clearTimeout(late)
      socket.on('error', reject)
      if (answer.statusCode === 200) {
        if (head.length > 0) socket.unshift(head)
        settle(socket)
      } else {
        socket.destroy()
        reject(new Error(`The proxy ${upstream.host}:${upstream.port} answered ${answer.statusCode} for ${authority}`))
      }
    })
    asked.once('response', (answer) => {
      answer.destroy()
      reject(new Error(`The proxy ${upstream.host}:${upstream.port} answered ${answer.statusCode} for ${authority}`))
    })
    asked.end()
  })
}

/** The header that authenticates to an upstream proxy, if it requires one. */
export function proxyAuthorization(upstream: UpstreamProxy): Record<string, string> {
  return upstream.authorization === undefined ? {} : { 'proxy-authorization': upstream.authorization }
}

function tooLate(host: string): Error {
  return Object.assign(new Error(`${host} did not answer within ${CONNECT_MS / 1000} s`), { code: 'ETIMEDOUT' })
}

/**
 * Not `import`, which would evaluate everything node:http exports, including Node's `fetch`; that takes half as long as
 * starting a sandbox.
 */
export function httpModule(protocol: 'http:' | 'https:'): Pick<typeof Http, 'createServer' | 'request'> {
  return process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http') as typeof Http
}

/** An idle tunnel is closed after this long, which must allow for slow responses. */
const IDLE_MS = 15 * 60_000

/**
 * Passes bytes between two sockets in both directions, with backpressure. One side can end its direction and still read
 * the other's; when one side breaks, both are closed.
 */
export function joinSockets(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on('error', () => to.destroy())
    // After a regular end, the other side can still send; after any other end, its bytes are discarded.
    from.once('close', () => (from.readableEnded && from.writableFinished) || to.destroy())
    if (from instanceof Socket) from.setTimeout(IDLE_MS, () => from.destroy())
    from.pipe(to)
  }
}
