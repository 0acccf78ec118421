import { hitFrom, listAt, type SearchProvider } from './search-provider'

/** Tavily: docs.tavily.com, Search. It brings the pages' text along when asked. */
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
