import { describe, expect, test } from 'vitest'
import { checkedRedirects } from './checked-redirects'

/** A server that answers each address according to `answers`, and records what it was sent. */
function server(answers: Record<string, [status: number, location: string]>) {
  const sent: { url: string; method: string; body: unknown; headers: Record<string, string> }[] = []
  const fetch = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const { href } = new URL(url)
    const headers = Object.fromEntries(new Headers(init.headers))
    sent.push({ url: href, method: init.method ?? 'GET', body: init.body, headers })
    const [status, location] = answers[href] ?? []
    return location === undefined
      ? new Response('done')
      : new Response(null, { status: status!, headers: { location } })
  }
  return { sent, fetch }
}

const HEADERS = { authorization: 'Bearer secret', 'X-Api-Key': 'secret', 'content-type': 'application/json' }
const POST: RequestInit = { method: 'POST', body: '{}', headers: { ...HEADERS, 'mcp-session-id': 's' } }
/** A literal address, so nothing is looked up. */
const PUBLIC = 'https://8.8.8.8/mcp'

describe("a server's redirect", () => {
  test('is followed on its own host with everything that was sent', async () => {
    const { fetch, sent } = server({ [PUBLIC]: [308, '/mcp/'] })
    const answer = await checkedRedirects(PUBLIC, fetch)(PUBLIC, POST)
    expect([await answer.text(), answer.url, answer.redirected]).toEqual(['done', `${PUBLIC}/`, true])
    expect(sent[1]).toMatchObject({ method: 'POST', body: '{}', headers: { authorization: 'Bearer secret' } })
  })

  test('carries no key to another host, no matter what its header is called', async () => {
    const { fetch, sent } = server({ [PUBLIC]: [307, 'https://1.1.1.1/mcp'] })
    await checkedRedirects(PUBLIC, fetch)(PUBLIC, POST)
    expect(sent[1]).toMatchObject({ url: 'https://1.1.1.1/mcp', method: 'POST', body: '{}' })
    expect(sent[1]?.headers).toEqual({ 'content-type': 'application/json', 'mcp-session-id': 's' })
  })

  test.each([
    'http://127.0.0.1:8080/admin',
    'https://localhost/admin',
    'https://169.254.169.254/latest/meta-data',
    'https://10.0.0.1/',
    'https://[::1]/',
    'http://1.1.1.1/',
    'http://8.8.8.8/mcp',
    'file:///etc/passwd',
    'https://user:password@1.1.1.1/',
  ])('from the internet is not followed to %s', async (location) => {
    const { fetch, sent } = server({ [PUBLIC]: [307, location] })
    await expect(checkedRedirects(PUBLIC, fetch)(PUBLIC, POST)).rejects.toThrow('is not followed')
    expect(sent).toHaveLength(1)
  })

  test('is followed on this machine for a server on this machine', async () => {
    const { fetch, sent } = server({ 'http://127.0.0.1:1/mcp': [302, 'http://127.0.0.1:2/mcp'] })
    await checkedRedirects('http://127.0.0.1:1/mcp', fetch)('http://127.0.0.1:1/mcp', POST)
    expect(sent[1]).toMatchObject({ url: 'http://127.0.0.1:2/mcp', method: 'GET', body: undefined })
  })

  test('is limited in number', async () => {
    const { fetch, sent } = server({ [PUBLIC]: [307, PUBLIC] })
    await expect(checkedRedirects(PUBLIC, fetch)(PUBLIC, POST)).rejects.toThrow('more than 5 times')
    expect(sent).toHaveLength(6)
  })
})
