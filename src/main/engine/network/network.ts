import { failureOf } from '../../../shared/model/errors'
import type { NetworkSettings } from '../config/network-settings'
import { createHttpFetch } from '../model/http-fetch'
import type { Fetch } from '../model/model-fetch'
import { trustCertificateFile, withSystemCertificates } from './certificates'
import { createProxyChoice, type ProxyDeps, type ProxyFor } from './choose-proxy'
import { proxiedFetch } from './proxied-fetch'

/** How Trestle itself reaches other machines: through the proxies and with the certificates of the settings, the environment and the system. */
export interface Network {
  proxyFor: ProxyFor
  /** As Node's own. */
  fetch: typeof globalThis.fetch
  /** For requests to models. */
  modelFetch: Fetch
  /** The settings may have changed. */
  settingsChanged(): void
}

export interface NetworkDeps extends Omit<ProxyDeps, 'settings'> {
  settings(): NetworkSettings
  log(message: string): void
}

export function createNetwork(deps: NetworkDeps): Network {
  const { settings, log } = deps
  const proxyFor = createProxyChoice(deps)
  const modelFetch = createHttpFetch(proxyFor)
  let trusted: string | undefined
  const trustFile = (): void => {
    const { caFile } = settings()
    if (caFile === trusted) return
    trusted = caFile
    if (caFile === undefined) return
    try {
      trustCertificateFile(caFile)
    } catch (error) {
      log(`the certificates of [network] ca_file cannot be used: ${failureOf(error).message}`)
    }
  }
  trustFile()
  return {
    proxyFor,
    modelFetch,
    settingsChanged: trustFile,
    fetch: async (input, init) => {
      const proxy = input instanceof Request ? undefined : await proxyFor(new URL(input))
      if (proxy && !(input instanceof Request)) {
        const through = proxiedFetch(modelFetch, new URL(input), init)
        if (through) return through
      }
      const isReadOnce = input instanceof Request || init?.body instanceof ReadableStream
      const send = (): Promise<Response> => globalThis.fetch(input, init)
      return isReadOnce ? send() : withSystemCertificates(send)
    },
  }
}
