import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { serveWeb } from '../../../../test/support/web-server'
import { fetchPage, type PageRequest } from './fetch-page'

const never = new AbortController().signal

function get(url: string, more: Partial<PageRequest> = {}) {
  return fetchPage({ url, signal: never, allowedHosts: ['127.0.0.1'], ...more })
}

test('a page comes whole, with its type', async () => {
  const { origin } = await serveWeb((_, response) => response.setHeader('content-type', 'text/plain').end('hällo'))
  const page = await get(`${origin}/a`)
  expect(page).toMatchObject({ status: 200, contentType: 'text/plain' })
  expect(page.body.toString()).toBe('hällo')
})

test('a name that leads to this machine is not connected to, whatever the URL looks like', async () => {
  const { port, seen } = await serveWeb((_, response) => response.end('secret'))
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.0.0.1']) {
    const family = address.includes(':') ? 6 : 4
    await expect(
      get(`http://rebind.example:${port}/`, { allowedHosts: [], resolve: async () => [{ address, family }] }),
    ).rejects.toThrow(/rebind\.example.* is not fetched/)
  }
  expect(seen).toEqual([])
})

test('one private address among public ones is enough to refuse, since any of them could be connected to', async () => {
  const addresses = [
    { address: '93.184.216.34', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ]
  await expect(get('http://two.example/', { allowedHosts: [], resolve: async () => addresses })).rejects.toThrow(
    'not fetched',
  )
})

test('a name is resolved once per connection, so that a second answer cannot lead elsewhere', async () => {
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

test('each redirect is checked: one to a private address or another scheme is not followed', async () => {
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

test('ten redirects are followed, relative ones too, and not one more', async () => {
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

test('a rule holds for where a page redirects to', async () => {
  const { origin, seen } = await serveWeb(({ url }, response) =>
    url === '/a' ? response.writeHead(302, { location: '/b' }).end() : response.end('b'),
  )
  await expect(
    get(`${origin}/a`, { refusal: async (url) => (url.endsWith('/b') ? 'a rule denies it' : undefined) }),
  ).rejects.toThrow('a rule denies it')
  expect(seen).toEqual(['/a'])
})

test('more than the limit is given up, announced or not, packed or not', async () => {
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

test('packed pages are unpacked, and broken ones are an error', async () => {
  const packed = await serveWeb((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('hello')),
  )
  expect((await get(packed.origin)).body.toString()).toBe('hello')
  const broken = await serveWeb((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip'))
  await expect(get(broken.origin)).rejects.toThrow('incorrect header check')
})

test('a server that drips, or never answers, is given up', async () => {
  const drip = await serveWeb((_, response) => {
    const timer = setInterval(() => response.write('.'), 10)
    response.once('close', () => clearInterval(timer))
  })
  await expect(get(drip.origin, { limits: { dripMs: 80, dripBytes: 1000 } })).rejects.toThrow('too slowly')
  await expect(get(drip.origin, { limits: { totalMs: 150, dripMs: 5000 } })).rejects.toThrow('longer than 0.15 s')
  const silent = await serveWeb(() => undefined)
  await expect(get(silent.origin, { limits: { totalMs: 100 } })).rejects.toThrow('longer than 0.1 s')
})

test('a stop is immediate, in the head and in the body', async () => {
  for (const begun of [false, true]) {
    const { origin, server } = await serveWeb((_, response) => void (begun && response.write('begun')))
    const abort = new AbortController()
    server.once('request', () => setImmediate(() => abort.abort(new Error('stopped by the user'))))
    await expect(get(origin, { signal: abort.signal })).rejects.toThrow('stopped by the user')
  }
})

test('an answer that breaks off is an error, not a short page', async () => {
  const { origin } = await serveWeb((_, response) => {
    response.writeHead(200, { 'content-length': 100 })
    response.write('begun')
    setImmediate(() => response.destroy())
  })
  await expect(get(origin)).rejects.toThrow('aborted')
})
