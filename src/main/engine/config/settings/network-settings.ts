import { homedir } from 'node:os'
import { join } from 'node:path'
import type { TableReader } from '../toml/table-reader'

/** `[network]`: how Trestle itself reaches models, MCP servers and web pages. Commands have their own environment. */
export interface NetworkSettings {
  /** `system`: the environment's, otherwise the operating system's; `direct`: no proxy; or the URL of a proxy. */
  proxy: 'system' | 'direct' | (string & {})
  /** Hosts reached without the proxy, in addition to NO_PROXY. */
  noProxy: readonly string[]
  /** PEM file with certificates to trust in addition to the system's. */
  caFile?: string
}

export const DEFAULT_NETWORK: NetworkSettings = { proxy: 'system', noProxy: [] }

const PROXY = 'must be "system", "direct", or an address like "http://proxy.example.com:8080"'

/** Reads `[network]`. */
export function readNetworkSettings(reader: TableReader | undefined): NetworkSettings {
  if (!reader) return DEFAULT_NETWORK
  // The address may contain a password, so no message quotes it.
  const proxy = reader.secret('proxy', PROXY)
  const isKnown =
    proxy === undefined ||
    proxy === 'system' ||
    proxy === 'direct' ||
    (/^https?:\/\//i.test(proxy) && URL.canParse(proxy))
  if (!isKnown) reader.mistake('proxy', PROXY)
  const noProxy = reader.strings('no_proxy') ?? DEFAULT_NETWORK.noProxy
  const file = reader.string('ca_file', {
    test: (path) => /^(?:\/|~\/|[a-z]:[\\/])/i.test(path),
    must: 'an absolute path, or one that begins with ~/',
  })
  reader.finish()
  const caFile = file?.startsWith('~/') ? join(homedir(), file.slice(2)) : file
  return {
    proxy: isKnown && proxy !== undefined ? proxy : DEFAULT_NETWORK.proxy,
    noProxy,
    ...(caFile !== undefined && { caFile }),
  }
}

/** `[web]`: what the web tools can reach, and the search provider. */
export interface WebSettings {
  /** Hosts, or `host:port`, that can be fetched even if they are on this machine or a private network. */
  allowedHosts: readonly string[]
  /** The search provider; without it there is no WebSearch. */
  search?: SearchSettings
}

export const SEARCH_PROVIDER_NAMES = ['searxng', 'brave', 'tavily', 'moonshot'] as const

export interface SearchSettings {
  provider: (typeof SEARCH_PROVIDER_NAMES)[number]
  /** Without a trailing slash; default: the provider's own. */
  baseUrl?: string
  /** Name of the environment variable that holds the key. */
  apiKeyEnv?: string
  /** The key itself, as written in the file. */
  apiKey?: string
}

export const DEFAULT_WEB_SETTINGS: WebSettings = { allowedHosts: [] }

const address = {
  test: (text: string) => /^https?:\/\//i.test(text) && URL.canParse(text),
  must: 'an address like "https://host"',
}
const envName = {
  test: (name: string) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name),
  must: 'the name of an environment variable',
}

/** Reads `[web]`. An unusable search provider is reported and left out. */
export function readWebSettings(reader: TableReader | undefined): WebSettings {
  if (!reader) return DEFAULT_WEB_SETTINGS
  const allowedHosts = (reader.strings('allowed_hosts') ?? []).filter((host, index) => {
    if (!/[/@\s]/.test(host)) return true
    reader.mistake(
      'allowed_hosts',
      `can hold hosts like "docs.local" or "localhost:8080"; entry ${index + 1} is not a host`,
    )
    return false
  })
  const search = readSearch(reader.table('search'))
  reader.finish()
  return { allowedHosts, ...(search && { search }) }
}

function readSearch(reader: TableReader | undefined): SearchSettings | undefined {
  if (!reader) return undefined
  const provider = reader.oneOf('provider', SEARCH_PROVIDER_NAMES)
  if (!reader.has('provider')) reader.mistake(undefined, `needs a provider: ${SEARCH_PROVIDER_NAMES.join(', ')}`)
  const baseUrl = reader.string('base_url', address)?.replace(/\/+$/, '')
  const apiKeyEnv = reader.string('api_key_env', envName)
  const apiKey = reader.secret('api_key', 'must be the key in quotes, on one line')
  reader.finish()
  if (provider === undefined || (reader.has('base_url') && baseUrl === undefined)) return undefined
  if (provider === 'searxng' && baseUrl === undefined) {
    reader.mistake(undefined, 'needs a base_url: every SearXNG has its own address')
    return undefined
  }
  return {
    provider,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(apiKeyEnv !== undefined && { apiKeyEnv }),
    ...(apiKey !== undefined && { apiKey }),
  }
}
