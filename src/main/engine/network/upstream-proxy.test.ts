import { createServer as createHttpServer, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import {
  curl,
  httpProxyOf,
  listening,
  proxyFor,
  useSandboxProxies,
  web,
} from '../../../../test/support/sandbox-proxies'
import { upstreamFromEnvironment } from './upstream-proxy'

useSandboxProxies()

describe('an upstream proxy', () => {
  test('is used with its credentials for hosts that this machine cannot reach, and never for this machine', async () => {
    const seen: string[] = []
    const target = await web((_request, response) => response.end('reached'))
    const upstream = createHttpServer((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers['proxy-authorization']}`)
      response.end('from upstream')
    })
    upstream.on('connect', (request: IncomingMessage, socket: Socket) => {
      seen.push(`CONNECT ${request.url} ${request.headers['proxy-authorization']}`)
      const out = connect(target, '127.0.0.1')
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      out.pipe(socket).on('error', () => undefined)
      socket.pipe(out).on('error', () => undefined)
    })
    const port = await listening(upstream)
    const env = {
      HTTPS_PROXY: `http://me:p%40ss@127.0.0.1:${port}`,
      http_proxy: `127.0.0.1:${port}`,
      NO_PROXY: 'direct.example',
    }
    const list = ['good.example', 'direct.example', `localhost:${target}`, 'inside.example']
    const proxy = await proxyFor(list, { 'inside.example': '10.0.0.1' }, { env })
    expect((await curl('--proxy', httpProxyOf(proxy), 'http://good.example/x?y')).out).toBe('from upstream')
    expect((await curl('--proxy', httpProxyOf(proxy), '--proxytunnel', 'http://good.example/')).out).toBe('reached')
    expect((await curl('--proxy', httpProxyOf(proxy), '--noproxy', '', `http://localhost:${target}/`)).out).toBe(
      'reached',
    )
    expect((await curl('--proxy', httpProxyOf(proxy), 'http://direct.example/')).out).toContain('cannot be reached')
    expect((await curl('--proxy', httpProxyOf(proxy), 'http://inside.example/')).out).toContain('does not allow')
    const secret = `Basic ${Buffer.from('me:p@ss').toString('base64')}`
    expect(seen).toEqual(['GET http://good.example/x?y undefined', `CONNECT good.example:80 ${secret}`])
  })

  test.each([
    ['example.com', 'example.com', true],
    ['.example.com', 'www.example.com', true],
    ['*.example.com', 'www.example.com', true],
    ['example.com', 'notexample.com', false],
    ['example.com:8443', 'example.com', false],
    ['10.0.0.0/8, fd00::/8', '10.1.2.3', true],
    ['10.0.0.0/8, fd00::/8', 'fd00::1', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['nonsense/x', '10.0.0.1', false],
    ['*', 'example.com', true],
    ['', 'localhost', true],
    ['', '127.0.0.2', true],
  ])('NO_PROXY=%s excludes %s: %s', (exceptions, host, leftOut) => {
    const choose = upstreamFromEnvironment({ ALL_PROXY: 'http://proxy.example:3128', NO_PROXY: exceptions })
    expect(choose(host, 443, 'tunnel') === undefined).toBe(leftOut)
  })

  test.each(['socks5://127.0.0.1:1', 'not a url', 'ftp://x'])('ignores the invalid proxy %s', (text) => {
    expect(upstreamFromEnvironment({ HTTPS_PROXY: text })('example.com', 443, 'tunnel')).toBeUndefined()
  })
})
