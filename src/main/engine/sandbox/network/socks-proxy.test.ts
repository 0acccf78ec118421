import { connect, createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import {
  curl,
  listening,
  proxyFor,
  socksProxyOf,
  talk,
  useSandboxProxies,
  web,
} from '../../../../../test/support/sandbox-proxies'

useSandboxProxies()

describe('the SOCKS proxy', () => {
  const request = (host: string, port: number, command = 1): Buffer =>
    Buffer.from([5, 1, 0, 5, command, 0, 3, host.length, ...Buffer.from(host), port >> 8, port & 255])

  test('connects to listed names and addresses', async () => {
    const port = await web((_request, response) => response.end('ok'))
    const proxy = await proxyFor([`good.example:${port}`, `127.0.0.1:${port}`], { 'good.example': '127.0.0.1' })
    expect((await curl('--socks5-hostname', socksProxyOf(proxy), `http://good.example:${port}/`)).out).toBe('ok')
    expect((await curl('--socks5', socksProxyOf(proxy), '--noproxy', '', `http://127.0.0.1:${port}/`)).out).toBe('ok')
  })

  test.each([
    ['a name that is not listed', request('evil.example', 443), 2],
    ['an address that is not listed', Buffer.from([5, 1, 0, 5, 1, 0, 1, 127, 0, 0, 1, 1, 187]), 2],
    [
      'an IPv6 address that only carries an IPv4 address',
      Buffer.from([5, 1, 0, 5, 1, 0, 4, ...Array<number>(10).fill(0), 255, 255, 10, 0, 0, 1, 1, 187]),
      2,
    ],
    ['a listed name that leads to a private address', request('inside.example', 443), 2],
    ['a listed name that does not resolve', request('good.example', 443), 4],
    ['a listed name with more behind a zero byte', request('good.example\u0000.evil', 443), 8],
    ['listening (BIND)', request('good.example', 443, 2), 7],
    ['datagrams (UDP ASSOCIATE)', request('good.example', 443, 3), 7],
  ])('refuses %s', async (_what, bytes, code) => {
    const proxy = await proxyFor(['good.example', 'inside.example'], { 'inside.example': '192.168.1.1' })
    const got = Buffer.from(await talk(proxy.socksSocket, bytes), 'latin1')
    expect([...got.subarray(0, 4)]).toEqual([5, 0, 5, code])
  })

  test('refuses authentication, and hangs up on protocols other than SOCKS5', async () => {
    const proxy = await proxyFor([])
    expect(Buffer.from(await talk(proxy.socksSocket, Buffer.from([5, 1, 2])), 'latin1')).toEqual(Buffer.from([5, 255]))
    expect(await talk(proxy.socksSocket, Buffer.from([4, 1, 0, 80, 127, 0, 0, 1, 0]))).toBe('')
    expect(await talk(proxy.socksSocket, 'GET / HTTP/1.1\r\n\r\n')).toBe('')
  })

  test('reads a request that arrives byte by byte, and keeps the bytes after it', async () => {
    const port = await listening(createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket)))
    const proxy = await proxyFor([`localhost:${port}`])
    const socket = connect({ path: proxy.socksSocket, allowHalfOpen: true })
    for (const byte of [...request('localhost', port), ...Buffer.from('hello')]) {
      socket.write(Buffer.from([byte]))
      await new Promise(setImmediate)
    }
    socket.end()
    let got = ''
    for await (const chunk of socket as AsyncIterable<Buffer>) got += chunk.toString('latin1')
    expect(got).toBe(`${Buffer.from([5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).toString('latin1')}hello`)
  })
})
