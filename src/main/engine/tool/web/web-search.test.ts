import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { callTool } from '../../../../../test/support/call-tool'
import { serveWeb } from '../../../../../test/support/web-server'
import type { SearchSettings } from '../../config/settings/network-settings'
import { readArticle } from '../../web/web-access'
import { webSearchTool } from './web-search'

const tool = (search: SearchSettings | undefined) =>
  webSearchTool({
    web: { allowedHosts: () => ['127.0.0.1'], search: () => search, refusal: async () => undefined, readArticle },
  })

/** The documented response of each provider, and the request it must receive. */
const PROVIDERS: {
  provider: SearchSettings['provider']
  answer: unknown
  check: (request: IncomingMessage, body: unknown) => void
}[] = [
  {
    provider: 'searxng',
    answer: {
      results: [
        { url: 'https://a.example/1', title: 'First', content: 'About it', publishedDate: '2026-01-02' },
        { url: 'javascript:x' },
        7,
      ],
    },
    check: ({ url }) => expect(url).toBe('/search?q=tree+bridge&format=json'),
  },
  {
    provider: 'brave',
    answer: {
      web: {
        results: [
          {
            url: 'https://a.example/1',
            title: 'First',
            description: '<strong>About</strong> it',
            page_age: '2026-01-02',
          },
        ],
      },
    },
    check: ({ url, headers }) => {
      expect(url).toBe('/web/search?q=tree+bridge&count=2&text_decorations=false')
      expect(headers['x-subscription-token']).toBe('k3y')
    },
  },
  {
    provider: 'tavily',
    answer: {
      results: [
        {
          url: 'https://a.example/1',
          title: 'First',
          content: 'About it',
          published_date: '2026-01-02',
          raw_content: null,
        },
      ],
    },
    check: ({ headers }, body) => {
      expect(headers.authorization).toBe('Bearer k3y')
      expect(body).toEqual({ query: 'tree bridge', max_results: 2, include_raw_content: false })
    },
  },
  {
    provider: 'moonshot',
    answer: {
      search_results: [
        { url: 'https://a.example/1', title: 'First', snippet: 'About it', date: '2026-01-02', site_name: 'A' },
      ],
    },
    check: (_, body) =>
      expect(body).toMatchObject({ text_query: 'tree bridge', limit: 2, enable_page_crawling: false }),
  },
]

test.each(PROVIDERS)('queries $provider and reads its answer as documented', async ({ provider, answer, check }) => {
  const asked = Promise.withResolvers<[IncomingMessage, unknown]>()
  const { origin } = await serveWeb((request, response) => {
    asked.resolve(text(request).then((body) => [request, body === '' ? undefined : JSON.parse(body)]))
    response.end(JSON.stringify(answer))
  })
  const found = await callTool(tool({ provider, baseUrl: origin, apiKey: 'k3y' }), { query: ' tree bridge ', limit: 2 })
  check(...(await asked.promise))
  expect(found.isError).toBeFalsy()
  expect(found.text).toContain('1. First\nURL: https://a.example/1')
  expect(found.text).toContain('About it')
  expect(found.text).toContain('Date: 2026-01-02')
  expect(found.text).not.toContain('javascript')
})

test('adds the pages with include_content, and reports which could not be fetched', async () => {
  const { origin } = await serveWeb(({ url = '' }, response) => {
    const page = (path: string) => ({
      url: `http://127.0.0.1:${response.socket?.localPort}${path}`,
      title: path,
      content: '',
    })
    if (url.startsWith('/search'))
      response.end(JSON.stringify({ results: [page('/a'), page('/b'), { ...page('/c'), url: 'http://10.0.0.1/c' }] }))
    else if (url === '/a') response.setHeader('content-type', 'text/plain').end('words of page a')
    else response.writeHead(500).end()
  })
  const { text: shown } = await callTool(tool({ provider: 'searxng', baseUrl: origin }), {
    query: 'x',
    include_content: true,
  })
  expect(shown).toContain('words of page a')
  expect(shown).toMatch(/\[Not fetched: .*answered 500/)
  expect(shown).toMatch(/\[Not fetched: 10\.0\.0\.1 is not fetched/)
})

test('reports failures of a provider as text the agent can act on, without the key', async () => {
  const { origin } = await serveWeb(({ url }, response) => {
    const status = Number(url?.split('/')[1])
    response.writeHead(status).end(status === 200 ? '<html>' : 'no')
  })
  for (const [status, words] of [
    [401, 'refused its key'],
    [403, 'search.formats'],
    [429, 'slow down'],
    [500, 'failed (500)'],
    [200, 'not JSON'],
    [302, 'could not be reached'],
  ] as const) {
    const { text: said, isError } = await callTool(
      tool({ provider: 'searxng', baseUrl: `${origin}/${status}`, apiKey: 's3cret' }),
      {
        query: 'x',
      },
    )
    expect(isError).toBe(true)
    expect(said).toContain(words)
    expect(said).not.toContain('s3cret')
  }
  expect((await callTool(tool({ provider: 'brave', apiKeyEnv: 'NO_SUCH_KEY' }), { query: 'x' })).text).toContain(
    'has no key',
  )
  expect((await callTool(tool({ provider: 'searxng', baseUrl: 'http://127.0.0.1:9' }), { query: 'x' })).text).toContain(
    'could not be reached',
  )
  expect((await callTool(tool(undefined), { query: 'x' })).isError).toBe(true)
})

test('does not treat an empty result as a failure', async () => {
  const { origin } = await serveWeb((_, response) => response.end('{"results":[]}'))
  const { text: said, isError } = await callTool(tool({ provider: 'searxng', baseUrl: origin }), { query: 'zzz' })
  expect(isError).toBeFalsy()
  expect(said).toContain('No results for "zzz"')
})
