import { hitFrom, listAt, type SearchProvider } from './search-provider'

/** Brave Search: api-dashboard.search.brave.com, Web Search. Snippets come with `<strong>` around what matches. */
export const brave: SearchProvider = {
  baseUrl: 'https://api.search.brave.com/res/v1',
  needsKey: true,
  request: ({ query, limit }, { baseUrl, key = '' }) => ({
    url: `${baseUrl}/web/search?${new URLSearchParams({ q: query, count: String(limit), text_decorations: 'false' }).toString()}`,
    headers: { 'x-subscription-token': key },
  }),
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
