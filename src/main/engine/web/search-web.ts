import { readLimitedText, WebRefusal } from './fetch-guards'
import type { SearchSettings } from '../config/settings/network-settings'
import { brave, moonshot, type SearchProvider, type WebHit, type WebQuery, searxng, tavily } from './search-providers'

export const SEARCH_PROVIDERS = { searxng, brave, tavily, moonshot } satisfies Record<string, SearchProvider>

/** Maximum bytes of a response: twenty full pages. */
const MAX_BYTES = 20 * 1024 * 1024

/**
 * Queries the configured provider. The user chose its URL, so it may be on this machine. Rejects with a `WebRefusal`
 * that says what to do.
 */
export async function searchWeb(
  query: WebQuery,
  settings: SearchSettings,
  signal: AbortSignal,
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Promise<WebHit[]> {
  const provider: SearchProvider = SEARCH_PROVIDERS[settings.provider]
  const baseUrl = settings.baseUrl ?? provider.baseUrl
  const key = settings.apiKey ?? (settings.apiKeyEnv === undefined ? undefined : process.env[settings.apiKeyEnv])
  if (baseUrl === undefined)
    throw new WebRefusal(`[web.search] needs a base_url for ${settings.provider}. Tell the user.`)
  if (provider.needsKey && (key === undefined || key === ''))
    throw new WebRefusal(
      `The search provider ${settings.provider} has no key (api_key_env or api_key in [web.search]). Tell the user.`,
    )
  const { url, headers, body } = provider.request(query, { baseUrl, key })
  const answer = await fetch(url, {
    signal,
    redirect: 'error',
    headers: {
      accept: 'application/json',
      ...headers,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  }).catch((error: unknown): never => {
    signal.throwIfAborted()
    throw new WebRefusal(
      `The search provider ${settings.provider} could not be reached: ${reasonOf(error)}. Try again later, or continue without it.`,
    )
  })
  const text = await readLimitedText(answer, MAX_BYTES)
  if (!answer.ok) throw new WebRefusal(problemOf(settings.provider, provider, answer.status, text))
  try {
    return provider.hits(JSON.parse(text)).slice(0, query.limit)
  } catch {
    throw new WebRefusal(
      `The search provider ${settings.provider} answered with something that is not JSON. Check base_url in [web.search].`,
    )
  }
}

function problemOf(name: string, provider: SearchProvider, status: number, text: string): string {
  const excerpt = text.trim() === '' ? '' : ` It says: ${text.trim().slice(0, 300)}`
  if (status === 429)
    return `The search provider ${name} asks to slow down (429). Wait a moment, or continue without it.${excerpt}`
  if (status === 401)
    return `The search provider ${name} refused its key. Tell the user to check [web.search].${excerpt}`
  if (status === 403)
    return `The search provider ${name} refused (403). ${provider.forbidden ?? 'Tell the user to check the key and its plan.'}${excerpt}`
  return `The search provider ${name} failed (${status}). Try again later, or continue without it.${excerpt}`
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  if (cause instanceof Error && 'proxy' in cause) return `${cause.message}, through the proxy ${String(cause.proxy)}`
  return cause instanceof Error ? cause.message : String(cause)
}
