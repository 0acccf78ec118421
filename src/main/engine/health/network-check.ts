import { once } from 'node:events'
import { connect } from 'node:net'
import { failureOf } from '../../../shared/model/errors'
import type { HealthCheck } from '../../../shared/model/health'
import type { NetworkSettings } from '../config/network-settings'
import { certificatesIn } from '../network/certificates'
import { createProxyChoice, type ProxyDeps } from '../network/choose-proxy'

const LIMIT_MS = 5_000
/** Somewhere on the internet: which proxy is taken is asked for it, and nothing is sent there. */
const ANYWHERE = new URL('https://example.com/')

/** Whether the proxy answers and the certificates can be read. Connects to the proxy alone. */
export async function checkNetwork(settings: NetworkSettings, deps: Omit<ProxyDeps, 'settings'>): Promise<HealthCheck> {
  const about = { id: 'network', title: 'Proxy and certificates' }
  const { caFile } = settings
  if (caFile !== undefined) {
    try {
      certificatesIn(caFile)
    } catch (error) {
      const detail = `The certificates of [network] ca_file cannot be used: ${failureOf(error).message}`
      return { ...about, status: 'failed', detail, remedy: 'Name a file in PEM form, or remove ca_file from config.toml.' }
    }
  }
  const proxy = await createProxyChoice({ ...deps, settings: () => settings })(ANYWHERE)
  const certificates = caFile === undefined ? '' : ` Certificates of ${caFile}.`
  if (!proxy) return { ...about, status: 'ok', detail: `No proxy.${certificates}` }
  const { hostname, port, protocol } = new URL(proxy.url)
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port === '' ? (protocol === 'https:' ? 443 : 80) : port),
    signal: AbortSignal.timeout(LIMIT_MS),
  })
  try {
    await once(socket, 'connect')
    return { ...about, status: 'ok', detail: `Proxy ${proxy.label}.${certificates}` }
  } catch (error) {
    return {
      ...about,
      status: 'failed',
      detail: `The proxy ${proxy.label} cannot be reached: ${failureOf(error).message}`,
      remedy: 'Correct its address where it is set, or set proxy under [network] in config.toml; "direct" uses none.',
    }
  } finally {
    socket.destroy()
  }
}
