/** One hit of a web search. */
export interface WebHit {
  title: string
  url: string
  snippet: string
  /** As the provider says it; any form. */
  date?: string
  site?: string
  /** The page's text, where the provider brings it along. */
  content?: string
}

export interface WebQuery {
  query: string
  /** 1 to 20. */
  limit: number
  withContent: boolean
}

/** What a search provider is: how its question is put and how its answer is read. The request itself is made in one place. */
export interface SearchProvider {
  request(query: WebQuery, access: { baseUrl: string; key: string | undefined }): SearchRequest
  /** Throws nothing: what is not there is left out. */
  hits(answer: unknown): WebHit[]
  /** Its own address; undefined when every installation has another. */
  baseUrl: string | undefined
  needsKey: boolean
  /** What to do about a 403, where that has a usual cause. */
  forbidden?: string
}

export interface SearchRequest {
  url: string
  headers: Record<string, string>
  /** Sent as JSON by POST; a GET without it. */
  body?: unknown
}

/** The elements of a list somewhere in an answer, as objects; empty when it is not there. */
export function listAt(answer: unknown, ...path: string[]): Record<string, unknown>[] {
  let value = answer
  for (const key of path) value = isObject(value) ? value[key] : undefined
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** A hit from its fields; undefined without a usable URL. */
export function hitFrom(fields: { [Key in keyof WebHit]: unknown }): WebHit | undefined {
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
