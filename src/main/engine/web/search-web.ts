import { errorText } from '../../../shared/error-text'
import { isRecord } from '../../../shared/json-fields'
import { readLimitedText, WebRefusal } from './fetch-guards'
import type { SearchSettings } from '../config/settings/network-settings'

/** One hit of a web search. */
export interface WebHit {
  title: string
  url: string
  snippet: string
  /** As the provider reports it, in any format. */
  date?: string
  site?: string
  /** The page's text, if the provider includes it. */
  content?: string
}

export interface WebQuery {
  query: string
  /** 1 to 20. */
  limit: number
  withContent: boolean
}

/** How to build a search provider's request and read its response. The request itself is sent in `searchWeb`. */
export interface SearchProvider {
  request(query: WebQuery, access: { baseUrl: string; key: string | undefined }): SearchRequest
  /** Never throws: missing parts are omitted. */
  hits(answer: unknown): WebHit[]
  /** Its public URL; undefined if every installation has its own. */
  baseUrl: string | undefined
  needsKey: boolean
  /** What to do about a 403, if it has a usual cause. */
  forbidden?: string
}

export interface SearchRequest {
  url: string
  headers: Record<string, string>
  /** Sent as JSON by POST; without it a GET is sent. */
  body?: unknown
}

/** The objects of a list at a path in a response; empty if it is missing. */
function listAt(answer: unknown, ...path: string[]): Record<string, unknown>[] {
  let value = answer
  for (const key of path) value = isRecord(value) ? value[key] : undefined
  return Array.isArray(value) ? value.filter(isRecord) : []
}

/** A hit from its fields; undefined without a usable URL. */
function hitFrom(fields: { [Key in keyof WebHit]: unknown }): WebHit | undefined {
  const { url, title, snippet, date, site, content } = fields
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url)) return undefined
  return {
    url,
    title: textOf(title) ?? url,
    snippet: textOf(snippet) ?? '',
    ...(textOf(date) !== undefined && { date: textOf(date)! }),
    ...(textOf(site) !== undefined && { site: textOf(site)! }),
    ...(textOf(content) !== undefined && { content: textOf(content)! }),
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

/** Brave Search: api-dashboard.search.brave.com, Web Search. Snippets have `<strong>` around matches. */
export const brave: SearchProvider = {
  baseUrl: 'https://api.search.brave.com/res/v1',
  needsKey: true,
  request: ({ query, limit }, { baseUrl, key = '' }) => {
    const asked = new URLSearchParams({ q: query, count: String(limit), text_decorations: 'false' })
    return { url: `${baseUrl}/web/search?${asked.toString()}`, headers: { 'x-subscription-token': key } }
  },
  hits: (answer) =>
    listAt(answer, 'web', 'results').flatMap(
      ({ url, title, description, page_age: age, profile }) =>
        hitFrom({
          url,
          title,
          snippet: typeof description === 'string' ? description.replace(/<\/?strong>/g, '') : undefined,
          date: age,
          site: (profile as { name?: unknown } | undefined)?.name,
          content: undefined,
        }) ?? [],
    ),
}

/** The search service of Moonshot's coding plan. It crawls the pages itself if their content is requested. */
export const moonshot: SearchProvider = {
  baseUrl: 'https://api.kimi.com/coding/v1',
  needsKey: true,
  request: ({ query, limit, withContent }, { baseUrl, key = '' }) => ({
    url: `${baseUrl}/search`,
    headers: { authorization: `Bearer ${key}` },
    body: { text_query: query, limit, enable_page_crawling: withContent, timeout_seconds: 30 },
  }),
  hits: (answer) =>
    listAt(answer, 'search_results').flatMap(
      ({ url, title, snippet, date, site_name: site, content }) =>
        hitFrom({ url, title, snippet, date, site, content }) ?? [],
    ),
}

/** A self-hosted SearXNG: docs.searxng.org/dev/search_api. It has no limit parameter. */
export const searxng: SearchProvider = {
  baseUrl: undefined,
  needsKey: false,
  forbidden: 'This SearXNG does not serve JSON: add json to search.formats in its settings.yml.',
  request: ({ query }, { baseUrl, key }) => ({
    url: `${baseUrl}/search?${new URLSearchParams({ q: query, format: 'json' }).toString()}`,
    headers: bearer(key),
  }),
  hits: (answer) =>
    listAt(answer, 'results').flatMap(
      ({ url, title, content, publishedDate }) =>
        hitFrom({ url, title, snippet: content, date: publishedDate, site: undefined, content: undefined }) ?? [],
    ),
}

function bearer(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { authorization: `Bearer ${key}` }
}

/** Tavily: docs.tavily.com, Search. It includes the pages' text on request. */
export const tavily: SearchProvider = {
  baseUrl: 'https://api.tavily.com',
  needsKey: true,
  request: ({ query, limit, withContent }, { baseUrl, key = '' }) => ({
    url: `${baseUrl}/search`,
    headers: { authorization: `Bearer ${key}` },
    body: { query, max_results: limit, include_raw_content: withContent },
  }),
  hits: (answer) =>
    listAt(answer, 'results').flatMap(
      ({ url, title, content, raw_content: raw, published_date: date }) =>
        hitFrom({ url, title, snippet: content, date, site: undefined, content: raw }) ?? [],
    ),
}

export const SEARCH_PROVIDERS = { searxng, brave, tavily, moonshot } satisfies Record<string, SearchProvider>

/** Maximum bytes of a response: twenty full pages. */
const MAX_BYTES = 20 * 1024 * 1024

/**
 * Queries the configured provider. The user chose its URL, so it may be on this machine. Rejects with a `WebRefusal`
 * with advice.
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
      `The search provider ${settings.provider} could not be reached: ${reasonOf(error)}. ` +
        'Try again later, or continue without it.',
    )
  })
  const text = await readLimitedText(answer, MAX_BYTES)
  if (!answer.ok) throw new WebRefusal(problemOf(settings.provider, provider, answer.status, text))
  try {
    return provider.hits(JSON.parse(text)).slice(0, query.limit)
  } catch {
    throw new WebRefusal(
      `The search provider ${settings.provider} answered with something that is not JSON. ` +
        'Check base_url in [web.search].',
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
    return (
      `The search provider ${name} refused (403). ` +
      `${provider.forbidden ?? 'Tell the user to check the key and its plan.'}${excerpt}`
    )
  return `The search provider ${name} failed (${status}). Try again later, or continue without it.${excerpt}`
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  if (cause instanceof Error && 'proxy' in cause) return `${cause.message}, through the proxy ${String(cause.proxy)}`
  return errorText(cause)
}
