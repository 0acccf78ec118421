import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { serveWeb } from '../../../../test/support/web-server'
import { fetchPage, type PageRequest } from './fetch-page'

const never = new AbortController().signal

function get(url: string, more: Partial<PageRequest> = {}) {
  return fetchPage({ url, signal: never, allowedHosts: ['127.0.0.1'], ...more })
}

test('returns the whole page, with its type', async () => {
  const { origin } = await serveWeb((_, response) => response.setHeader('content-type', 'text/plain').end('hällo'))
  const page = await get(`${origin}/a`)
  expect(page).toMatchObject({ status: 200, contentType: 'text/plain' })
  expect(page.body.toString()).toBe('hällo')
})

test('never connects to a name that resolves to this machine', async () => {
  const { port, seen } = await serveWeb((_, response) => response.end('secret'))
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.0.0.1']) {
    const family = address.includes(':') ? 6 : 4
    await expect(
      get(`http://rebind.example:${port}/`, { allowedHosts: [], resolve: async () => [{ address, family }] }),
    ).rejects.toThrow(/rebind\.example.* is not fetched/)
  }
  expect(seen).toEqual([])
})

test('refuses a name with any private address, because any of its addresses may be used', async () => {
  const addresses = [
    { address: '93.184.216.34', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ]
  await expect(get('http://two.example/', { allowedHosts: [], resolve: async () => addresses })).rejects.toThrow(
    'not fetched',
  )
})

test('resolves a name once per connection, so that a second result cannot differ', async () => {
  const { port } = await serveWeb((_, response) => response.end('ours'))
  let asked = 0
  const resolve = async () => {
    asked += 1
    return [{ address: asked === 1 ? '127.0.0.1' : '10.9.9.9', family: 4 }]
  }
  const page = await get(`http://docs.example:${port}/`, { allowedHosts: ['docs.example'], resolve })
  expect(page.body.toString()).toBe('ours')
  expect(asked).toBe(1)
})

test('checks each redirect, and follows none to a private address or another scheme', async () => {
  const inner = await serveWeb((_, response) => response.end('metadata'))
  for (const location of [
    `http://[::1]:${inner.port}/`,
    'http://169.254.169.254/latest',
    'http://0x7f000002/',
    'file:///etc/passwd',
    'http://[bad',
  ]) {
    const { origin } = await serveWeb((_, response) => response.writeHead(302, { location }).end())
    await expect(get(origin)).rejects.toThrow(/is not fetched|Only http|which is no URL/)
  }
  expect(inner.seen).toEqual([])
})

test('follows at most ten redirects, including relative ones', async () => {
  const { origin, seen } = await serveWeb(({ url = '' }, response) => {
    const n = Number(/\d+/.exec(url)?.[0])
    if (n === 0) response.end('there')
    else response.writeHead(n % 2 === 0 ? 301 : 307, { location: `./${n - 1}` }).end()
  })
  const page = await get(`${origin}/10`)
  expect(page.url.href).toBe(`${origin}/0`)
  await expect(get(`${origin}/11`)).rejects.toThrow('more than 10 times')
  expect(seen).toHaveLength(11 + 11)
})

test('applies rules to redirect targets', async () => {
  const { origin, seen } = await serveWeb(({ url }, response) =>
    url === '/a' ? response.writeHead(302, { location: '/b' }).end() : response.end('b'),
  )
  await expect(
    get(`${origin}/a`, { refusal: async (url) => (url.endsWith('/b') ? 'a rule denies it' : undefined) }),
  ).rejects.toThrow('a rule denies it')
  expect(seen).toEqual(['/a'])
})

test('rejects a body over the limit, with or without content-length or compression', async () => {
  const limits = { bytes: 1000 }
  const announced = await serveWeb((_, response) =>
    response.writeHead(200, { 'content-length': 2000 }).end('x'.repeat(2000)),
  )
  await expect(get(announced.origin, { limits })).rejects.toThrow('larger than')
  const streamed = await serveWeb((_, response) => {
    for (let n = 0; n < 20; n++) response.write('x'.repeat(100))
    response.end()
  })
  await expect(get(streamed.origin, { limits })).rejects.toThrow('larger than')
  const bomb = await serveWeb((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(1_000_000))),
  )
  await expect(get(bomb.origin, { limits })).rejects.toThrow('larger than')
})

test('does not decode a page that is compressed many times over', async () => {
  const codings = Array.from({ length: 2000 }, () => 'br').join(', ')
  const nested = await serveWeb((_, response) => response.writeHead(200, { 'content-encoding': codings }).end('x'))
  await expect(get(nested.origin)).rejects.toThrow('encoded 2000 times')
})

test('decodes compressed pages, and rejects corrupt ones', async () => {
  const packed = await serveWeb((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('hello')),
  )
  expect((await get(packed.origin)).body.toString()).toBe('hello')
  const broken = await serveWeb((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip'))
  await expect(get(broken.origin)).rejects.toThrow('incorrect header check')
})

test('times out on a server that is too slow or never responds', async () => {
  const drip = await serveWeb((_, response) => {
    const timer = setInterval(() => response.write('.'), 10)
    response.once('close', () => clearInterval(timer))
  })
  await expect(get(drip.origin, { limits: { dripMs: 80, dripBytes: 1000 } })).rejects.toThrow('too slowly')
  await expect(get(drip.origin, { limits: { totalMs: 150, dripMs: 5000 } })).rejects.toThrow('longer than 0.15 s')
  const silent = await serveWeb(() => undefined)
  await expect(get(silent.origin, { limits: { totalMs: 100 } })).rejects.toThrow('longer than 0.1 s')
})

test('stops immediately, before and during the body', async () => {
  for (const hasStarted of [false, true]) {
    const { origin, server } = await serveWeb((_, response) => void (hasStarted && response.write('started')))
    const abort = new AbortController()
    server.once('request', () => setImmediate(() => abort.abort(new Error('stopped by the user'))))
    await expect(get(origin, { signal: abort.signal })).rejects.toThrow('stopped by the user')
  }
})

test('reports a truncated response as an error, not as a short page', async () => {
  const { origin } = await serveWeb((_, response) => {
    response.writeHead(200, { 'content-length': 100 })
    response.write('started')
    setImmediate(() => response.destroy())
  })
  await expect(get(origin)).rejects.toThrow('aborted')
})
