import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { canonicalHost } from './host-list'

/** An HTTP proxy through which this machine reaches the internet. */
export interface UpstreamProxy {
  protocol: 'http:' | 'https:'
  host: string
  port: number
  /** The value of `Proxy-Authorization`; undefined if its URL has no user name and password. */
  authorization: string | undefined
}

/** Selects the upstream proxy of a connection; undefined to connect directly. */
export type ChooseUpstream = (host: string, port: number, scheme: 'http' | 'tunnel') => UpstreamProxy | undefined

/**
 * Reads HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY (or their lower-case variants, which take precedence, as in
 * curl) from Trestle's own environment. Only HTTP proxies can be chained; an upstream SOCKS proxy is ignored. This
 * machine itself is always reached directly.
 */
export function upstreamFromEnvironment(env: NodeJS.ProcessEnv): ChooseUpstream {
  const read = (name: string): string => env[name.toLowerCase()] ?? env[name] ?? ''
  const [plain, secure, all] = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].map((name) => parseProxy(read(name)))
  const exceptions = read('NO_PROXY')
    .split(/[\s,]/)
    .filter((entry) => entry !== '')
  return (host, port, scheme) => {
    const proxy = (scheme === 'http' ? plain : secure) ?? all
    return proxy === undefined || isThisMachine(host) || isException(exceptions, host, port) ? undefined : proxy
  }
}

/** Whether a canonical host is this machine, by name or by a loopback address. */
export function isThisMachine(host: string): boolean {
  return host === 'localhost' || (isIP(host) !== 0 && ipaddr.process(host).range() === 'loopback')
}

function parseProxy(text: string): UpstreamProxy | undefined {
  const url = text === '' ? undefined : URL.parse(text.includes('://') ? text : `http://${text}`)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return undefined
  const secret = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  return {
    protocol: url.protocol,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : url.port),
    authorization: secret === ':' ? undefined : `Basic ${Buffer.from(secret).toString('base64')}`,
  }
}

/**
 * NO_PROXY as most programs interpret it: `*`, a domain with all subdomains, an address, or a CIDR range, each with an
 * optional port.
 */
function isException(exceptions: readonly string[], host: string, port: number): boolean {
  return exceptions.some((entry) => {
    if (entry === '*') return true
    if (entry.includes('/')) return isInRange(entry, host)
    const colon = isIP(entry) === 6 || entry.endsWith(']') ? -1 : entry.lastIndexOf(':')
    if (colon !== -1 && Number(entry.slice(colon + 1)) !== port) return false
    const name = canonicalHost((colon === -1 ? entry : entry.slice(0, colon)).replace(/^\*?\./, ''))
    return name !== undefined && (host === name || (isIP(host) === 0 && host.endsWith(`.${name}`)))
  })
}

function isInRange(range: string, host: string): boolean {
  if (isIP(host) === 0 || !ipaddr.isValidCIDR(range)) return false
  const [network, bits] = ipaddr.parseCIDR(range)
  const address = ipaddr.process(host)
  return address.kind() === network.kind() && address.match(network, bits)
}
