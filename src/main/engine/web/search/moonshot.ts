import { hitFrom, listAt, type SearchProvider } from './search-provider'

/** The search service of Moonshot's coding plan. It crawls the pages itself when asked for their content. */
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
      ({ url, title, snippet, date, site_name: site, content }) => hitFrom({ url, title, snippet, date, site, content }) ?? [],
    ),
}
