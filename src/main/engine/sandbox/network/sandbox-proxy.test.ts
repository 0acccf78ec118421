import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  afterwards,
  curl,
  httpProxyOf,
  listening,
  proxyFor,
  talk,
  testFolder,
  useSandboxProxies,
  web,
} from '../../../../../test/support/sandbox-proxies'
import type { DeniedHost } from './sandbox-proxy'

useSandboxProxies()

describe('the sockets of a sandbox', () => {
  test('belong to the user alone, and are deleted on close', async () => {
    const proxy = await proxyFor([])
    expect((await stat(proxy.httpSocket)).mode & 0o777).toBe(0o600)
    expect((await stat(proxy.socksSocket)).mode & 0o777).toBe(0o600)
    expect((await stat(join(testFolder(), 'p'))).mode & 0o777).toBe(0o700)
    await proxy.close()
    await expect(stat(proxy.httpSocket)).rejects.toThrow('ENOENT')
  })

  test('replace those that a killed process left behind', async () => {
    const left = createServer()
    left.listen({ path: join(testFolder(), 'http.sock') })
    await once(left, 'listening')
    afterwards(() => left.close())
    const proxy = await proxyFor([], {}, { folder: testFolder() })
    expect(await talk(proxy.httpSocket, 'CONNECT a.example:443 HTTP/1.1\r\n\r\n')).toContain('403 Forbidden')
  })

  test('are refused in a folder whose path is too long for a socket', async () => {
    await expect(proxyFor([], {}, { folder: join(testFolder(), 'x'.repeat(120)) })).rejects.toThrow('too long a path')
  })
})

describe('the HTTP proxy', () => {
  test('rewrites a plain request for a listed host: without proxy headers, and with the host that was checked', async () => {
    let seen: IncomingMessage | undefined
    const port = await web((request, response) => {
      seen = request
      response.setHeader('set-cookie', ['a=1', 'b=2'])
      response.end('hello')
    })
    const proxy = await proxyFor([`good.example:${port}`, `127.0.0.1:${port}`], { 'good.example': '127.0.0.1' })
    const request = [
      `GET http://GOOD.example.:${port}/a?b=c HTTP/1.1`,
      'Host: evil.example',
      'Proxy-Authorization: Basic c2VjcmV0',
      'Proxy-Connection: keep-alive',
      'Connection: close, X-Hop',
      'X-Hop: 1',
      'X-Kept: 1',
      'Upgrade: websocket',
      '',
      '',
    ]
    const answer = await talk(proxy.httpSocket, request.join('\r\n'))
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(answer.match(/set-cookie/gi)).toHaveLength(2)
    expect(answer).toMatch(/hello/)
    expect(seen?.url).toBe('/a?b=c')
    expect(seen?.headers['host']).toBe(`good.example:${port}`)
    expect(seen?.headers['x-kept']).toBe('1')
    for (const name of ['proxy-authorization', 'proxy-connection', 'x-hop', 'upgrade'])
      expect(seen?.headers).not.toHaveProperty(name)
  })

  test('refuses an unlisted host, explains it in a sentence, and reports it', async () => {
    const reported: DeniedHost[] = []
    const proxy = await proxyFor(['good.example'], {}, { onDenied: (denied) => reported.push(denied) })
    const before = Date.now()
    const connectAnswer = await talk(
      proxy.httpSocket,
      'CONNECT example.com:443 HTTP/1.1\r\nHost: good.example:443\r\n\r\n',
    )
    expect(connectAnswer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/)
    expect(connectAnswer).toContain('X-Trestle-Sandbox: denied')
    expect(connectAnswer).toContain("\r\n\r\nTrestle's sandbox does not allow connections to example.com.\n")
    const plain = await curl('-i', '--proxy', httpProxyOf(proxy), 'http://example.com:8080/')
    expect(plain.out).toMatch(/^HTTP\/1\.1 403 Forbidden/)
    expect(plain.out.toLowerCase()).toContain('x-trestle-sandbox: denied')
    expect(plain.out).toContain("Trestle's sandbox does not allow connections to example.com:8080.")
    expect(reported.map(({ host, port, count }) => [host, port, count])).toEqual([
      ['example.com', 443, 1],
      ['example.com', 8080, 1],
    ])
    expect(proxy.denied(before)).toEqual(reported)
    expect(proxy.denied(Date.now() + 1000)).toEqual([])
  })

  test('connects to a listed name’s address, and passes bytes both ways after one side has ended', async () => {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      let got = ''
      socket.on('data', (chunk: Buffer) => (got += chunk.toString()))
      socket.on('end', () => socket.end(`you said ${got}`))
    })
    const port = await listening(server)
    const proxy = await proxyFor([`good.example:${port}`, `localhost:${port}`], { 'good.example': '127.0.0.1' })
    const socket = connect({ path: proxy.httpSocket, allowHalfOpen: true })
    socket.write(`CONNECT good.example:${port} HTTP/1.1\r\n\r\nsent at once, `)
    const [first] = (await once(socket, 'data')) as [Buffer]
    expect(first.toString()).toBe('HTTP/1.1 200 Connection established\r\n\r\n')
    socket.end('and the rest')
    let got = ''
    for await (const chunk of socket as AsyncIterable<Buffer>) got += chunk.toString()
    expect(got).toBe('you said sent at once, and the rest')
  })

  test.each(['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', 'fd00::1', '::ffff:127.0.0.1', '0.0.0.0'])(
    'refuses a listed name that leads to %s, which is not listed itself',
    async (address) => {
      const proxy = await proxyFor(['good.example'], { 'good.example': address })
      const answer = await talk(proxy.httpSocket, 'CONNECT good.example:443 HTTP/1.1\r\n\r\n')
      expect(answer).toMatch(/403 Forbidden[^]*connections to good\.example: that name leads to /)
      expect(proxy.denied()[0]?.leadsTo).toBeDefined()
    },
  )

  test.each(['198.18.0.7', '203.0.113.7'])(
    'does not treat %s, which gateways use instead of public addresses, as private',
    async (address) => {
      const asked: string[] = []
      const upstream = createServer(
        (socket) => void socket.once('data', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')),
      )
      const env = { HTTPS_PROXY: `http://127.0.0.1:${await listening(upstream)}` }
      const resolve = async (name: string): Promise<{ address: string; family: number }[]> => {
        asked.push(name)
        return [{ address, family: 4 }]
      }
      const proxy = await proxyFor(['good.example'], {}, { resolve, env })
      expect(await talk(proxy.httpSocket, 'CONNECT good.example:443 HTTP/1.1\r\n\r\n')).toContain('502 Bad Gateway')
      expect(asked).toEqual(['good.example'])
      expect(proxy.denied()).toEqual([])
    },
  )

  test('connects to the address it checked, even if the name leads elsewhere a moment later', async () => {
    const port = await web((_request, response) => response.end('the right one'))
    const answers = ['127.0.0.1', '127.0.0.2']
    const proxy = await proxyFor(
      [`good.example:${port}`, `127.0.0.1:${port}`],
      {},
      { resolve: async () => [{ address: answers.shift()!, family: 4 }] },
    )
    const got = await curl('--proxy', httpProxyOf(proxy), '--proxytunnel', `http://good.example:${port}/`)
    expect(got.out).toBe('the right one')
    expect(answers).toEqual(['127.0.0.2'])
  })

  test.each([
    'GET / HTTP/1.1\r\nHost: good.example\r\n\r\n',
    'GET https://good.example/ HTTP/1.1\r\n\r\n',
    'GET ftp://good.example/ HTTP/1.1\r\n\r\n',
    'GET http://user:secret@good.example/ HTTP/1.1\r\n\r\n',
    'GET http://good.example@evil.example/ HTTP/1.1\r\n\r\n',
    'CONNECT good.example HTTP/1.1\r\n\r\n',
    'CONNECT good.example:443@evil.example:443 HTTP/1.1\r\n\r\n',
    'CONNECT good.example:443/ HTTP/1.1\r\n\r\n',
    'POST http://good.example/ HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'POST http://good.example/ HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello',
    'POST http://good.example/ HTTP/1.1\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
    'GET http://good.example/ HTTP/1.1\r\nX: 1\nTransfer-Encoding : chunked\r\n\r\n',
    'nonsense\r\n\r\n',
    '\u0016\u0003\u0001\u0002\u0000',
  ])('answers %j with 400 and connects to nothing', async (bytes) => {
    const asked: string[] = []
    const resolve = async (name: string): Promise<never> => {
      asked.push(name)
      throw new Error('never')
    }
    const proxy = await proxyFor(['good.example', 'evil.example'], {}, { resolve })
    expect(await talk(proxy.httpSocket, bytes)).toMatch(/^HTTP\/1\.1 400 /)
    expect(asked).toEqual([])
  })

  test.each(['GET', 'DELETE', 'POST'])(
    'frames the body of a %s, so that no second request can hide in it',
    async (method) => {
      const seen: string[] = []
      const port = await web((request, response) => {
        let body = ''
        request.on('data', (chunk: Buffer) => (body += chunk.toString()))
        request.on('end', () => {
          seen.push(`${request.method} ${request.url} ${body}`)
          response.end('ok')
        })
      })
      const proxy = await proxyFor([`localhost:${port}`])
      const hidden = `GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n`
      const chunked = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`
      const head = `${method} http://localhost:${port}/seen HTTP/1.1\r\nConnection: close\r\n`
      await talk(proxy.httpSocket, `${head}Transfer-Encoding: chunked\r\n\r\n${chunked}`)
      await talk(proxy.httpSocket, `${head}Content-Length: ${hidden.length}\r\n\r\n${hidden}`)
      expect(seen).toEqual([`${method} /seen ${hidden}`, `${method} /seen ${hidden}`])
    },
  )

  test('checks every request of a keep-alive connection', async () => {
    const port = await web((request, response) => response.end(`[${request.url}]`))
    const proxy = await proxyFor([`localhost:${port}`])
    const got = await talk(
      proxy.httpSocket,
      `GET http://localhost:${port}/1 HTTP/1.1\r\n\r\n` +
        `GET http://localhost:${port}/2 HTTP/1.1\r\n\r\nGET http://evil.example/ HTTP/1.1\r\n\r\n`,
    )
    expect(got).toMatch(/\[\/1\][^]*\[\/2\][^]*403 Forbidden/)
  })

  test.each([
    ['a closed port', 'localhost', '502 Bad Gateway'],
    ['an unknown name', 'unknown.example', '502 Bad Gateway'],
  ])('reports that %s cannot be reached', async (_what, host, status) => {
    const free = createServer()
    free.listen(0, '127.0.0.1')
    await once(free, 'listening')
    const { port } = free.address() as AddressInfo
    free.close()
    await once(free, 'close')
    const proxy = await proxyFor([`${host}:${port}`])
    expect(await talk(proxy.httpSocket, `CONNECT ${host}:${port} HTTP/1.1\r\n\r\n`)).toContain(status)
    expect(await talk(proxy.httpSocket, `GET http://${host}:${port}/ HTTP/1.1\r\n\r\n`)).toContain(status)
    expect(proxy.denied()).toEqual([])
  })

  test('responds when a server hangs up, upgrades without a request, or sends half of its response', async () => {
    const answers = [
      '',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf',
    ]
    const port = await listening(createServer((socket) => socket.once('data', () => socket.end(answers.shift() ?? ''))))
    const proxy = await proxyFor([`localhost:${port}`])
    const request = `GET http://localhost:${port}/ HTTP/1.1\r\n\r\n`
    expect(await talk(proxy.httpSocket, request)).toContain('502 Bad Gateway')
    expect(await talk(proxy.httpSocket, request)).toContain('502 Bad Gateway')
    expect(await talk(proxy.httpSocket, request)).toMatch(/200 OK[^]*half$/)
  })

  test('survives when either side resets its connections', async () => {
    const taken: Socket[] = []
    const port = await listening(createServer((socket) => void taken.push(socket)))
    const proxy = await proxyFor([`localhost:${port}`])
    for (const side of ['client', 'server']) {
      const socket = connect(proxy.ports!.http, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.write(`CONNECT localhost:${port} HTTP/1.1\r\n\r\n`)
      await once(socket, 'data')
      const server = taken.pop()!
      const [ending, other] = side === 'client' ? [socket, server] : [server, socket]
      other.resume()
      ending.resetAndDestroy()
      await once(other, 'close')
    }
    expect(await talk(proxy.httpSocket, 'CONNECT a.example:443 HTTP/1.1\r\n\r\n')).toContain('403')
  })

  test('closes connections above its limit', async () => {
    const port = await listening(createServer(() => undefined))
    const proxy = await proxyFor([`localhost:${port}`], {}, { maxConnections: 2 })
    const hold = async (): Promise<Socket> => {
      const socket = connect(proxy.httpSocket)
      afterwards(() => socket.destroy())
      socket.on('error', () => undefined)
      socket.write(`CONNECT localhost:${port} HTTP/1.1\r\n\r\n`)
      await new Promise((settle) => socket.once('data', settle).once('close', settle))
      return socket
    }
    const sockets = [await hold(), await hold(), await hold()]
    expect(sockets.map((socket) => socket.destroyed)).toEqual([false, false, true])
  })

  test('waits for the user’s answer, with two hundred connections at the same time', async () => {
    const port = await web((_request, response) => response.end('ok'))
    let answer = (_allowed: boolean): void => undefined
    const asked = new Promise<boolean>((settle) => (answer = settle))
    const proxy = await proxyFor([], {}, { allows: () => asked })
    const all = Promise.all(
      Array.from({ length: 200 }, () =>
        talk(proxy.httpSocket, `GET http://localhost:${port}/ HTTP/1.1\r\nConnection: close\r\n\r\n`),
      ),
    )
    answer(true)
    expect((await all).filter((got) => got.includes('200 OK'))).toHaveLength(200)
  })

  test('sends 50 MB completely, in both directions, with and without a tunnel', async () => {
    const size = 50 * 1024 * 1024
    const port = await web((request, response) => {
      if (request.method === 'PUT') {
        let got = 0
        request.on('data', (chunk: Buffer) => (got += chunk.length)).on('end', () => response.end(String(got)))
      } else response.end(Buffer.alloc(size))
    })
    const proxy = await proxyFor([`localhost:${port}`])
    const path = join(testFolder(), 'body')
    for (const tunnel of [[], ['--proxytunnel']]) {
      await curl(
        '--proxy',
        httpProxyOf(proxy),
        '--noproxy',
        '',
        ...tunnel,
        '--output',
        path,
        `http://localhost:${port}/`,
      )
      expect((await stat(path)).size).toBe(size)
      const sent = await curl(
        '--proxy',
        httpProxyOf(proxy),
        '--noproxy',
        '',
        ...tunnel,
        '--upload-file',
        path,
        `http://localhost:${port}/`,
      )
      expect(sent.out).toBe(String(size))
    }
    expect((await readFile(path)).every((byte) => byte === 0)).toBe(true)
  })

  test('reads from a server no faster than its client reads', async () => {
    const sent: number[] = []
    const server = createServer((socket) => {
      const which = sent.push(0) - 1
      const send = (): void => {
        if (sent[which]! < 64)
          socket.write(Buffer.alloc(1024 * 1024), () => {
            sent[which] = sent[which]! + 1
            send()
          })
        else socket.end()
      }
      send()
    })
    const port = await listening(server)
    const proxy = await proxyFor([`localhost:${port}`])
    const open = async (): Promise<Socket> => {
      const socket = connect(proxy.httpSocket)
      afterwards(() => socket.destroy())
      socket.write(`CONNECT localhost:${port} HTTP/1.1\r\n\r\n`)
      await once(socket, 'readable')
      return socket
    }
    await open()
    // While the first connection is not being read, the second one gets everything.
    await once((await open()).resume(), 'end')
    expect(sent[1]).toBe(64)
    expect(sent[0]).toBeLessThan(32)
  })
})
