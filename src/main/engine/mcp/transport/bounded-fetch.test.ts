import { expect, it } from 'vitest'
import { boundedFetch } from './bounded-fetch'

it('opens streams that end at once again at a limited rate, and delays no request', async () => {
  const openedAt: number[] = []
  const fetch = boundedFetch(async (_url, init) => {
    if (init?.method === 'GET') openedAt.push(performance.now())
    return new Response('retry: 0\n\n', { headers: { 'content-type': 'text/event-stream' } })
  })
  const open = async (): Promise<unknown> => (await fetch('http://127.0.0.1/', { method: 'GET' })).text()
  await open()
  const reopened = open()
  await fetch('http://127.0.0.1/', { method: 'POST', body: '{}' })
  expect(openedAt).toHaveLength(1)
  await reopened
  expect(openedAt[1]! - openedAt[0]!).toBeGreaterThan(200)
})

it('stops waiting to open a stream when the connection is closed', async () => {
  const fetch = boundedFetch(async () => new Response())
  const closing = new AbortController()
  await fetch('http://127.0.0.1/', { method: 'GET' })
  const reopened = fetch('http://127.0.0.1/', { method: 'GET', signal: closing.signal })
  closing.abort()
  await expect(reopened).rejects.toMatchObject({ name: 'AbortError' })
})
