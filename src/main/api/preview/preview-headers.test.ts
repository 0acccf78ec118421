import { describe, expect, test } from 'vitest'
import { frameHeaders, isPage, movedTo, requestHeaders, responseHeaders } from './preview-headers'
import { isOfServer, previewTarget } from './preview-target'

const ORIGINS = {
  target: 'http://localhost:5173',
  frame: 'http://x.localhost:9000',
  ancestors: 'http://127.0.0.1:8080',
}

describe('the request to a previewed server', () => {
  test('looks as if its page had been opened directly', () => {
    expect(
      requestHeaders(
        {
          host: 'x.localhost:9000',
          origin: ORIGINS.frame,
          referer: `${ORIGINS.frame}/a?b=1`,
          connection: 'keep-alive, X-Secret',
          'x-secret': '1',
          'accept-encoding': 'br',
          'sec-fetch-dest': 'iframe',
          'sec-fetch-site': 'cross-site',
          cookie: 'a=1',
        },
        ORIGINS,
      ),
    ).toEqual({
      host: 'localhost:5173',
      origin: ORIGINS.target,
      referer: `${ORIGINS.target}/a?b=1`,
      'sec-fetch-dest': 'document',
      'sec-fetch-site': 'none',
      cookie: 'a=1',
    })
  })

  test('does not reveal the Trestle page around the frame', () => {
    for (const referer of ['http://127.0.0.1:8080/s/1', 'http://x.localhost:9000.evil/x', 'no url'])
      expect(requestHeaders({ referer }, ORIGINS)).not.toHaveProperty('referer')
  })

  test('keeps its body encoding and its upgrade to a WebSocket', () => {
    expect(requestHeaders({ 'transfer-encoding': 'gzip, chunked' }, ORIGINS)['transfer-encoding']).toBe('chunked')
    expect(requestHeaders({ connection: 'upgrade', upgrade: 'websocket' }, ORIGINS, true)).toMatchObject({
      connection: 'upgrade',
      upgrade: 'websocket',
    })
  })
})

describe('the response to the frame', () => {
  const sent = (headers: Record<string, string | string[]>, path = '/a/b') =>
    responseHeaders(headers, ORIGINS, { path, isChanged: true })

  test('redirects within its own origin, and elsewhere without credentials', () => {
    expect(sent({ location: '../c?d#e' })['location']).toBe(`${ORIGINS.frame}/c?d#e`)
    expect(sent({ location: 'http://127.0.0.1:5173/x' })['location']).toBe(`${ORIGINS.frame}/x`)
    expect(sent({ location: '//example.com/x' })['location']).toBe('http://example.com/x')
    expect(sent({ location: 'https://a:b@example.com/' })['location']).toBe('https://example.com/')
    for (const location of ['javascript:alert(1)', 'file:///etc/passwd', 'http://'])
      expect(sent({ location })).not.toHaveProperty('location')
  })

  test.each([
    ['5', '5'],
    ['0; url=/x', `0; url=${ORIGINS.frame}/x`],
    ["0;URL='http://localhost:5173/x'", `0; url=${ORIGINS.frame}/x`],
    ['0, https://example.com/', '0; url=https://example.com/'],
    ['0; url=javascript:alert(1)', undefined],
    ['soon', undefined],
  ])('is refreshed by %j as %j', (refresh, expected) => expect(sent({ refresh })['refresh']).toBe(expected))

  test('has cookies of its own origin and is otherwise unchanged', () => {
    expect(
      sent({ 'set-cookie': ['a=1; Domain=example.com; Path=/', 'b=domain; domain', 'c=2;DOMAIN=.x;HttpOnly'] })[
        'set-cookie'
      ],
    ).toEqual(['a=1; Path=/', 'b=domain', 'c=2;HttpOnly'])
  })

  test('has no headers that reach beyond the frame, and no size of a changed body', () => {
    const headers = sent({
      'x-frame-options': 'DENY',
      'strict-transport-security': 'max-age=1',
      'clear-site-data': '"*"',
      'content-length': '7',
      connection: 'x-secret',
      'x-secret': '1',
      'x-own': '2',
    })
    expect(Object.keys(headers).toSorted()).toEqual(
      ['content-security-policy', 'cross-origin-resource-policy', 'origin-agent-cluster', 'x-own'].toSorted(),
    )
    expect(responseHeaders({ 'content-length': '7' }, ORIGINS)['content-length']).toBe('7')
  })

  test('keeps its own policies except those that limit framing', () => {
    expect(
      frameHeaders(ORIGINS, [
        "default-src 'self'; Frame-Ancestors 'none' , sandbox; img-src *",
        'sandbox allow-scripts',
      ])['content-security-policy'],
    ).toBe("frame-ancestors http://127.0.0.1:8080, default-src 'self', img-src *")
  })
})

test('is changed only if it is a page that is not compressed', () => {
  const page = (type: string, encoding?: string) =>
    isPage({ 'content-type': type, ...(encoding !== undefined && { 'content-encoding': encoding }) })
  expect([page('text/html'), page('TEXT/HTML; charset=utf-8', 'identity'), page('application/xhtml+xml')]).toEqual([
    true,
    true,
    true,
  ])
  expect([page('text/html', 'br'), page('text/htmlx'), page('text/plain'), isPage({})]).toEqual([
    false,
    false,
    false,
    false,
  ])
})

describe('the server of a URL', () => {
  test.each([
    ['http://localhost:5173/x', { origin: 'http://localhost:5173', hostname: 'localhost', port: 5173 }],
    ['http://localhost', { origin: 'http://localhost', hostname: 'localhost', port: 80 }],
    ['http://shop.localhost:3000', { origin: 'http://shop.localhost:3000', hostname: '127.0.0.1', port: 3000 }],
    ['http://0.0.0.0:8000', { origin: 'http://0.0.0.0:8000', hostname: '127.0.0.1', port: 8000 }],
    ['http://[::]:8000', { origin: 'http://[::]:8000', hostname: '::1', port: 8000 }],
    ['http://2130706433:8000', { origin: 'http://127.0.0.1:8000', hostname: '127.0.0.1', port: 8000 }],
  ])('%s is on this machine', (url, target) => expect(previewTarget(url)).toEqual(target))

  test.each([
    'http://example.com',
    'http://localhost.example.com',
    'http://192.168.0.1',
    'http://127.0.0.1.example.com',
    'https://localhost',
    'ftp://localhost',
    'http://a:b@localhost',
    'http://a@localhost',
    'http://[::ffff:127.0.0.1]',
  ])('%s is not previewed', (url) =>
    expect(() => previewTarget(url)).toThrow(expect.objectContaining({ code: 'request.invalid' })),
  )

  test('can have any name of this machine, but only its own port', () => {
    const isOf = (url: string): boolean => isOfServer(new URL(url), 'http://localhost:5173')
    expect(['http://127.0.0.1:5173', 'http://[::1]:5173', 'http://localhost:5173/x'].every(isOf)).toBe(true)
    expect(['http://shop.localhost:5173', 'https://localhost:5173', 'http://localhost:80'].some(isOf)).toBe(false)
    expect(movedTo('http://shop.localhost:5173/', ORIGINS, '/')!.isElsewhere).toBe(true)
  })
})
