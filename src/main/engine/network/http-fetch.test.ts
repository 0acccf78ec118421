import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener, type Server as HttpServer } from 'node:http'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { CodedError } from '../../../shared/errors'
import { until } from '../../../../test/support/until'
import { modelError } from '../model/errors/model-errors'
import { httpFetch } from './http-fetch'

const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A server that passes each connection to the callback, with the data of its request in one piece. */
async function rawServer(
  answer: (socket: Socket, request: number, connection: number) => void,
): Promise<{ url: string; connections: () => number }> {
  const sockets = new Set<Socket>()
  let requests = 0
  let connections = 0
  const server: Server = createServer((socket) => {
    const connection = ++connections
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    socket.on('data', () => answer(socket, ++requests, connection))
  })
  return {
    url: await listening(server, () => sockets.forEach((socket) => socket.destroy())),
    connections: () => connections,
  }
}

function httpServer(listener: RequestListener, host?: string): Promise<string> {
  const server: HttpServer = createHttpServer(listener)
  return listening(server, () => server.closeAllConnections(), host)
}

async function listening(server: Server, dropAll: () => void, host = '127.0.0.1'): Promise<string> {
  server.listen(0, host)
  await once(server, 'listening')
  closing.push(async () => {
    server.close()
    dropAll()
    await once(server, 'close')
  })
  const { port } = server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}/v1`
}

const OK = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nok'
const post = { method: 'POST', body: '{"a":"ä"}' }

async function codeOf(url: string, init: RequestInit = post): Promise<string> {
  const error: unknown = await httpFetch(url, init)
    .then((response) => response.text())
    .catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(Error)
  return modelError(error).code
}

describe('connections', () => {
  it('retries when the server closed an idle connection just as it was reused', async () => {
    const { url, connections } = await rawServer((socket, request) =>
      request === 2 ? socket.resetAndDestroy() : socket.write(OK),
    )
    expect(await (await httpFetch(url, post)).text()).toBe('ok')
    expect(await (await httpFetch(url, post)).text()).toBe('ok')
    expect(connections()).toBe(2)
  })

  it('does not retry on a new connection', async () => {
    const { url, connections } = await rawServer((socket) => socket.resetAndDestroy())
    expect(await codeOf(url)).toBe('model.connection')
    expect(connections()).toBe(1)
  })

  it('retries only once', async () => {
    const { url, connections } = await rawServer((socket, request) =>
      request === 1 ? socket.write(OK) : socket.resetAndDestroy(),
    )
    await (await httpFetch(url, post)).text()
    expect(await codeOf(url)).toBe('model.connection')
    expect(connections()).toBe(2)
  })

  it('does not retry once the response has started', async () => {
    const { url, connections } = await rawServer((socket, request) => {
      if (request === 1) socket.write(OK)
      else socket.end('HTTP/1.1 200 OK\r\ncontent-')
    })
    await (await httpFetch(url, post)).text()
    expect(await codeOf(url)).toBe('model.connection')
    expect(connections()).toBe(1)
  })

  it('reuses a connection after an error response was read', async () => {
    const { url, connections } = await rawServer((socket) =>
      socket.write('HTTP/1.1 500 No\r\ncontent-length: 2\r\n\r\nno'),
    )
    for (const _ of [1, 2, 3]) expect(await (await httpFetch(url, post)).text()).toBe('no')
    expect(connections()).toBe(1)
  })

  it('reaches a host by IPv6 address', async () => {
    const url = await httpServer((request, response) => response.end(request.headers.host), '::1')
    expect(await (await httpFetch(url)).text()).toBe(new URL(url).host)
  })
})

describe('requests', () => {
  it('sends body, length and headers unchanged, without a line break after the key, and requests no compression', async () => {
    const url = await httpServer((request, response) => {
      const { authorization, accept } = request.headers
      const encoding = request.headers['accept-encoding']
      const length = request.headers['content-length']
      request.on('data', (body: Buffer) =>
        response.end(JSON.stringify([request.method, authorization, accept, encoding, length, body.toString()])),
      )
    })
    const response = await httpFetch(new URL(url), { ...post, headers: new Headers({ Authorization: 'Bearer key' }) })
    expect(await response.json()).toEqual(['POST', 'Bearer key', '*/*', 'identity', '10', post.body])
    const trimmed = await httpFetch(url, { ...post, headers: { authorization: 'Bearer key\n', accept: 'a/b' } })
    expect(await trimmed.json()).toEqual(['POST', 'Bearer key', 'a/b', 'identity', '10', post.body])
  })

  it('rejects what cannot be sent, without revealing a key or password', async () => {
    const refused = async (url: string, headers = {}): Promise<string> => {
      const error: unknown = await httpFetch(url, { ...post, headers }).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(CodedError)
      expect((error as CodedError).code).toBe('model.bad_request')
      expect((error as CodedError).stack).not.toContain('sesame')
      return (error as CodedError).message
    }
    expect(await refused('http://me:sesame@127.0.0.1/v1')).toContain('password')
    expect(await refused('ftp://127.0.0.1/v1')).toContain('http://')
    expect(await refused('http://127.0.0.1/v1', { authorization: 'Bearer ses\name sesame' })).toContain('authorization')
    expect(await refused('http://127.0.0.1/v1', { authorization: 'Bearer sesame ключ' })).toContain('authorization')
    expect(await codeOf('no url at all')).toBe('model.bad_request')
  })

  it('does not follow a redirect', async () => {
    let asked = 0
    const url = await httpServer((_request, response) => {
      asked++
      response.writeHead(302, { location: '/elsewhere' }).end()
    })
    const response = await httpFetch(url, post)
    expect([response.status, response.ok, response.headers.get('Location'), asked]).toEqual([
      302,
      false,
      '/elsewhere',
      1,
    ])
    await response.text()
  })
})

describe('responses', () => {
  it('skips informational responses', async () => {
    const { url } = await rawServer((socket) =>
      socket.write(`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n${OK}`),
    )
    const response = await httpFetch(url, post)
    expect([response.status, await response.text()]).toEqual([200, 'ok'])
  })

  it('joins headers of one name', async () => {
    const { url } = await rawServer((socket) => socket.write(OK.replace('\r\n', '\r\nX-A: 1\r\nx-a: 2\r\n')))
    const response = await httpFetch(url, post)
    expect(Object.fromEntries(response.headers)).toEqual({
      'x-a': '1, 2',
      'content-type': 'text/plain',
      'content-length': '2',
    })
    await response.text()
  })

  it('has no body for a status without one', async () => {
    const { url } = await rawServer((socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'))
    expect((await httpFetch(url, post)).body).toBeNull()
  })

  it.each([
    ['shorter than announced', 'HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\ndata: x'],
    ['without its last chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\ndata\r\n'],
    ['cut off in the head', 'HTTP/1.1 200 OK\r\ncontent-'],
    ['with too large a head', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`],
    ['that is no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ])('reports a response %s as a failed connection, never as complete', async (_what, bytes) => {
    const { url } = await rawServer((socket) => socket.end(bytes))
    expect(await codeOf(url)).toBe('model.connection')
  })

  it('reports a server that does not speak TLS', async () => {
    const { url } = await rawServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    const error: unknown = await httpFetch(url.replace('http:', 'https:'), post).catch((thrown: unknown) => thrown)
    expect(modelError(error).message).toContain('does not speak TLS')
  })

  it('decodes unrequested compression, and rejects a truncated body', async () => {
    const packed = gzipSync('words, '.repeat(5000))
    const url = await httpServer((request, response) => {
      response
        .writeHead(200, { 'content-encoding': 'gzip' })
        .end(request.url === '/v1' ? packed : packed.subarray(0, -20))
    })
    expect(await (await httpFetch(url, post)).text()).toBe('words, '.repeat(5000))
    await expect((await httpFetch(`${url}/part`, post)).text()).rejects.toThrow(/unexpected end/)
  })

  it('returns data that arrived together in one piece, and all of it', async () => {
    const lines = Array.from({ length: 2000 }, (_, index) => `${index}\n`)
    const chunks = lines.map((line) => `${line.length.toString(16)}\r\n${line}\r\n`).join('')
    const { url } = await rawServer((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`),
    )
    let pieces = 0
    let text = ''
    const decoder = new TextDecoder()
    for await (const piece of (await httpFetch(url, post)).body!) {
      pieces++
      text += decoder.decode(piece, { stream: true })
    }
    expect(text).toBe(lines.join(''))
    expect(pieces).toBeLessThan(50)
  })

  it('applies backpressure while the body is not read', async () => {
    let sent = 0
    let isFull = false
    const url = await httpServer((_request, response) => {
      const more = (): void => {
        while (sent < 64) {
          sent++
          if (response.write(Buffer.alloc(1_000_000))) continue
          isFull = true
          response.once('drain', more)
          return
        }
        response.end()
      }
      more()
    })
    const response = await httpFetch(url, post)
    await until(() => isFull, 'the server to be slowed down')
    const reader = response.body!.getReader()
    let read = (await reader.read()).value!.length
    // Far more event loop iterations than the system needs to fill its buffers.
    for (let turn = 0; turn < 1000; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(sent).toBeLessThan(40)
    for (let next = await reader.read(); !next.done; next = await reader.read()) read += next.value.length
    expect(read).toBe(64_000_000)
  })
})

describe('aborts', () => {
  /** A server that starts a response, or sends none, and detects when its client disconnects. */
  async function silent(start: string): Promise<{ url: string; asked: () => boolean; closed: () => boolean }> {
    let [isAsked, isClosed] = [false, false]
    const { url } = await rawServer((socket) => {
      isAsked = true
      socket.on('close', () => (isClosed = true))
      if (start) socket.write(start)
    })
    return { url, asked: () => isAsked, closed: () => isClosed }
  }
  const PART = 'HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\ndata'

  it('rejects with the reason and closes the connection before the response', async () => {
    const { url, asked, closed } = await silent('')
    const controller = new AbortController()
    const answer = httpFetch(url, { ...post, signal: controller.signal })
    await until(asked, 'the request')
    controller.abort(new Error('enough'))
    await expect(answer).rejects.toThrow('enough')
    await until(closed, 'the connection to be closed')
  })

  it('rejects with the reason and closes the connection during the response', async () => {
    const { url, closed } = await silent(PART)
    const controller = new AbortController()
    const reader = (await httpFetch(url, { ...post, signal: controller.signal })).body!.getReader()
    expect((await reader.read()).value).toHaveLength(4)
    const next = reader.read()
    controller.abort(new Error('enough'))
    await expect(next).rejects.toThrow('enough')
    await until(closed, 'the connection to be closed')
  })

  it('sends nothing if already aborted', async () => {
    const { url, connections } = await rawServer((socket) => socket.write(OK))
    await expect(httpFetch(url, { ...post, signal: AbortSignal.abort('gone') })).rejects.toBe('gone')
    expect(connections()).toBe(0)
  })

  it('closes the connection when the body is cancelled', async () => {
    const { url, closed } = await silent(PART)
    const { body } = await httpFetch(url, post)
    await expect(body!.cancel()).resolves.toBeUndefined()
    await until(closed, 'the connection to be closed')
  })
})

it('calls sent once the whole request was passed to the system, before the server responds', async () => {
  const body = 'x'.repeat(4_000_000)
  const sent = Promise.withResolvers<void>()
  const received = Promise.withResolvers<number>()
  const url = await httpServer((request, response) => {
    let bytes = 0
    request.on('data', (chunk: Buffer) => (bytes += chunk.length))
    request.on('end', () => {
      received.resolve(bytes)
      void sent.promise.then(() => response.end('ok'))
    })
  })
  let calls = 0
  const onSent = (): void => {
    calls += 1
    sent.resolve()
  }
  const response = await httpFetch(url, { method: 'POST', body, sent: onSent })
  expect(await received.promise).toBe(body.length)
  expect(await response.text()).toBe('ok')
  expect(calls).toBe(1)
})
