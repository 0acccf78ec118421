import type { NetworkSettings } from '../config/settings/network-settings'
import { canonicalHost } from './host-list'
import { isThisMachine, upstreamFromEnvironment, type UpstreamProxy } from './upstream-proxy'

/** The proxy that a request goes through. */
export interface ChosenProxy {
  /** With its name and password, where it has any. */
  url: string
  /** For messages: without them, and with where it is set. */
  label: string
}

/** Which proxy a request to this address takes; undefined: none. */
export type ProxyFor = (url: URL) => Promise<ChosenProxy | undefined>

export interface ProxyDeps {
  settings(): Pick<NetworkSettings, 'proxy' | 'noProxy'>
  env: NodeJS.ProcessEnv
  /** What the operating system says, as a list like `PROXY host:8080; DIRECT`. */
  systemProxy?(url: string): Promise<string>
}

/**
 * The proxy of the settings, else of HTTP_PROXY, HTTPS_PROXY and ALL_PROXY, else of the operating system. `no_proxy` and NO_PROXY name what is reached
 * without one; this machine always is.
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
    // Then this host is an exception.
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

/** The first way that can be taken: SOCKS proxies cannot. Undefined: directly. */
function firstOf(list: string): string | undefined {
  for (const entry of list.split(';')) {
    const [kind = '', place] = entry.trim().split(/\s+/)
    if (kind === 'DIRECT') return undefined
    if (place !== undefined && (kind === 'PROXY' || kind === 'HTTPS'))
      return `${kind === 'HTTPS' ? 'https' : 'http'}://${place}`
  }
  return undefined
}
