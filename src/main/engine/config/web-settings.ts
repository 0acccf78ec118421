import type { TableReader } from './table-reader'

/** `[web]`: what the web tools may reach and whom they ask. */
export interface WebSettings {
  /** Hosts, or `host:port`, that may be fetched although they lead to this machine or a private network. */
  allowedHosts: readonly string[]
  /** Who searches; without it there is no WebSearch. */
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

const address = { test: (text: string) => /^https?:\/\//i.test(text) && URL.canParse(text), must: 'an address like "https://host"' }
const envName = { test: (name: string) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name), must: 'the name of an environment variable' }

/** Reads `[web]`. A search provider that cannot work as written is left out and reported. */
export function readWebSettings(reader: TableReader | undefined): WebSettings {
  if (!reader) return DEFAULT_WEB_SETTINGS
  const allowedHosts = (reader.strings('allowed_hosts') ?? []).filter((host, index) => {
    if (!/[/@\s]/.test(host)) return true
    reader.mistake('allowed_hosts', `can hold hosts like "docs.local" or "localhost:8080"; number ${index + 1} is none`)
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
