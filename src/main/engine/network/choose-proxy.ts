import type { NetworkSettings } from '../config/settings/network-settings'
import { canonicalHost } from './host-list'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The proxy that a request goes through. */
export interface ChosenProxy {
  /** Including user name and password, if it has any. */
  url: string
  /** For messages: without credentials, but with the source of the setting. */
  label: string
}

/** Selects the proxy for a URL; undefined to connect directly. */
export type ProxyFor = (url: URL) => Promise<ChosenProxy | undefined>

export interface ProxyDeps {
  settings(): Pick<NetworkSettings, 'proxy' | 'noProxy'>
  env: NodeJS.ProcessEnv
  /** The operating system's proxies, as a list like `PROXY host:8080; DIRECT`. */
  systemProxy?(url: string): Promise<string>
}

/**
 * The proxy from the settings, else from HTTP_PROXY, HTTPS_PROXY and ALL_PROXY, else from the operating system. Hosts
 * in `no_proxy` and NO_PROXY, and this machine, are reached directly.
 */
export function createProxyChoice({ settings, env, systemProxy }: ProxyDeps): ProxyFor {
  return async (url) => {
    const { proxy, noProxy } = settings()
    const host = canonicalHost(url.hostname) ?? url.hostname
    if (proxy === 'direct' || isThisMachine(host)) return undefined
    const exceptions = [...noProxy, env['no_proxy'] ?? env['NO_PROXY'] ?? ''].join(',')
    const port = Number(url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : url.port)
    const choose = (from: NodeJS.ProcessEnv) =>
      upstreamFromEnvironment(from)(host, port, url.protocol === 'https:' ? 'tunnel' : 'http')
    if (proxy !== 'system')
      return labelled(choose({ ALL_PROXY: proxy, NO_PROXY: exceptions }), '[network] proxy in config.toml')
    const named = choose({ ...env, NO_PROXY: exceptions, no_proxy: exceptions })
    if (named) return labelled(named, `${url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'} in the environment`)
    const hasNamed = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].some(
      (name) => (env[name] ?? env[name.toLowerCase()] ?? '') !== '',
    )
    // The environment sets a proxy, but excludes this host.
    if (hasNamed || !systemProxy) return undefined
    const listed = firstOf(await systemProxy(url.href).catch(() => ''))
    return labelled(
      listed === undefined ? undefined : choose({ ALL_PROXY: listed, NO_PROXY: exceptions }),
      'the proxy settings of the system',
    )
  }
}

function labelled(proxy: UpstreamProxy | undefined, from: string): ChosenProxy | undefined {
  if (!proxy) return undefined
  const { protocol, port, authorization } = proxy
  const host = proxy.host.includes(':') ? `[${proxy.host}]` : proxy.host
  const plain = `${protocol}//${host}:${port}`
  if (authorization === undefined) return { url: plain, label: `${plain} (from ${from})` }
  const [name = '', ...rest] = Buffer.from(authorization.slice('Basic '.length), 'base64').toString().split(':')
  const secret = `${encodeURIComponent(name)}:${encodeURIComponent(rest.join(':'))}`
  return { url: `${protocol}//${secret}@${host}:${port}`, label: `${plain} (from ${from})` }
}

/** The first usable entry; SOCKS proxies are skipped. Undefined: directly. */
function firstOf(list: string): string | undefined {
  for (const entry of list.split(';')) {
    const [kind = '', address] = entry.trim().split(/\s+/)
    if (kind === 'DIRECT') return undefined
    if (address !== undefined && (kind === 'PROXY' || kind === 'HTTPS'))
      return `${kind === 'HTTPS' ? 'https' : 'http'}://${address}`
  }
  return undefined
}

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
