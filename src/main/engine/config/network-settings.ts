import { homedir } from 'node:os'
import { join } from 'node:path'
import type { TableReader } from './table-reader'

/** `[network]`: how Trestle itself reaches models, MCP servers and web pages. Commands have their own environment. */
export interface NetworkSettings {
  /** `system`: the environment's, else the operating system's; `direct`: none; otherwise the URL of a proxy. */
  proxy: 'system' | 'direct' | (string & {})
  /** Hosts that are reached without it, in addition to NO_PROXY. */
  noProxy: readonly string[]
  /** Certificates in PEM form that are trusted in addition to those of the system. */
  caFile?: string
}

export const DEFAULT_NETWORK: NetworkSettings = { proxy: 'system', noProxy: [] }

const PROXY = 'must be "system", "direct", or an address like "http://proxy.example.com:8080"'

/** Reads `[network]`. */
export function readNetworkSettings(reader: TableReader | undefined): NetworkSettings {
  if (!reader) return DEFAULT_NETWORK
  // Its address may hold a password, so no message quotes it.
  const proxy = reader.secret('proxy', PROXY)
  const isKnown = proxy === undefined || proxy === 'system' || proxy === 'direct' || (/^https?:\/\//i.test(proxy) && URL.canParse(proxy))
  if (!isKnown) reader.mistake('proxy', PROXY)
  const noProxy = reader.strings('no_proxy') ?? DEFAULT_NETWORK.noProxy
  const file = reader.string('ca_file', {
    test: (path) => /^(?:\/|~\/|[a-z]:[\\/])/i.test(path),
    must: 'an absolute path, or one that begins with ~/',
  })
  reader.finish()
  const caFile = file?.startsWith('~/') ? join(homedir(), file.slice(2)) : file
  return { proxy: isKnown && proxy !== undefined ? proxy : DEFAULT_NETWORK.proxy, noProxy, ...(caFile !== undefined && { caFile }) }
}
