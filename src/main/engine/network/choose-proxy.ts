import type { NetworkSettings } from '../config/settings/network-settings'
import { canonicalHost } from './host-list'
import { isThisMachine, upstreamFromEnvironment, type UpstreamProxy } from './upstream-proxy'

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
