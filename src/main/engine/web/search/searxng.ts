import { hitFrom, listAt, type SearchProvider } from './search-provider'

/** A SearXNG of one's own: docs.searxng.org/dev/search_api. It has no limit parameter. */
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
