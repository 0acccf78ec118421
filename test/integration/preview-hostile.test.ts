import { createServer, request as ask, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { PreviewProxies } from '../../src/main/api/preview/preview-proxy'
import { previewTarget } from '../../src/main/api/preview/preview-target'
import { SCRIPT_PATH } from '../../src/main/api/preview/script-insertion'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

/** The port of a server that can do anything. */
async function site(answer: Parameters<typeof createServer>[1] & {}): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

/** A server that writes bytes, HTTP or not. */
async function rawSite(answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => answer(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  })
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

const logged: unknown[] = []
function proxies(isOwnPort = (_port: number): boolean => false): PreviewProxies {
  logged.length = 0
  const made = new PreviewProxies({
    ancestors: 'http://127.0.0.1:1',
    isOwnPort,
    log: (_message, error) => void logged.push(error),
  })
  cleanups.push(() => made.close())
  return made
}

const previewOf = async (url: string): Promise<string> => (await proxies().open(url)).frameUrl

/** A request with headers that `fetch` does not set. */
function get(
  url: string | URL,
  { headers = {}, method = 'GET' }: { headers?: Record<string, string>; method?: string } = {},
): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const asked = ask(url, { headers, method, agent: false }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
      )
    })
    asked.on('error', reject)
    asked.end()
  })
}

const TAG = `<script src="${SCRIPT_PATH}"></script>`

describe('a hostile server', () => {
  it('that sends an endless page is passed on as it arrives, with little buffering', async () => {
    let sent = 0
    let stopped: () => void = () => undefined
    const gone = new Promise<void>((resolve) => (stopped = resolve))
    const url = await site((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      response.write('<!doctype html><head><title>x</title>')
      const block = Buffer.alloc(1 << 20, 'x')
      const more = (): void => {
        while (!response.destroyed && response.write(block)) sent += block.length
      }
      response.on('drain', more)
      response.on('close', stopped)
      more()
    })
    const frame = await previewOf(url)
    const asked = ask(frame)
    cleanups.push(() => asked.destroy())
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      asked.once('response', resolve)
      asked.once('error', reject)
      asked.end()
    })
    let head = ''
    let read = 0
    for await (const chunk of answer) {
      if (head.length < 1000) head += (chunk as Buffer).toString('latin1').slice(0, 1000)
      read += (chunk as Buffer).length
      if (read > 64 << 20) break
    }
    expect(head).toContain(`<head>${TAG}`)
    asked.destroy()
    await gone
    expect(sent - read).toBeLessThan(64 << 20)
  })

  it('that streams a page is shown immediately, not at its end', async () => {
    let finish: () => void = () => undefined
    const url = await site((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      response.write('<!doctype html><html><head></head><body>first')
      finish = () => response.end('last</body></html>')
    })
    const asked = ask(await previewOf(url))
    const answer = await new Promise<IncomingMessage>((resolve) => {
      asked.once('response', resolve)
      asked.end()
    })
    let page = ''
    for await (const chunk of answer) {
      page += (chunk as Buffer).toString()
      if (page.includes('first')) finish()
    }
    expect(page).toBe(`<!doctype html><html><head>${TAG}</head><body>firstlast</body></html>`)
  })

  it('preserves every byte of pages in other encodings and without a head', async () => {
    const pages: Record<string, Buffer> = {
      '/latin1': Buffer.from('<html><head></head>\xe4\xff\x80', 'latin1'),
      '/utf16': Buffer.from('\uFEFF<html><head></head>x', 'utf16le'),
      '/bom': Buffer.from('\uFEFFplain'),
      '/long': Buffer.concat([Buffer.alloc(100_000, ' '), Buffer.from('<head>late')]),
      '/empty': Buffer.alloc(0),
    }
    const url = await site((request, response) => {
      response.setHeader('content-type', 'text/html')
      const page = pages[request.url ?? '']!
      response.writeHead(200, { 'content-length': page.length })
      response.end(page)
    })
    const frame = await previewOf(url)
    const places: Record<string, number> = {}
    for (const [path, page] of Object.entries(pages)) {
      const { body, headers } = await get(new URL(path, frame))
      expect(Number(headers['content-length'] ?? body.length)).toBe(body.length)
      const at = body.indexOf(TAG)
      const plain = at === -1 ? body : Buffer.concat([body.subarray(0, at), body.subarray(at + TAG.length)])
      expect([path, plain.equals(page)]).toEqual([path, true])
      places[path] = at
    }
    expect(places).toEqual({ '/latin1': 12, '/utf16': -1, '/bom': 3, '/long': 0, '/empty': 0 })
  })

  it('that answers with headers without an end, or with none, ends in a message', async () => {
    const endless = await rawSite((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const more = (): void => {
        while (!socket.destroyed && socket.write(`x-${'y'.repeat(1000)}: 1\r\n`));
      }
      socket.on('drain', more)
      more()
    })
    expect((await get(await previewOf(endless))).status).toBe(502)
    const other = await rawSite((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'))
    const said = await get(await previewOf(other))
    expect(said.status).toBe(502)
    expect(said.headers['content-security-policy']).toContain('frame-ancestors http://127.0.0.1:1')
    const upgraded = await rawSite((socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nbytes'),
    )
    expect((await get(await previewOf(upgraded))).status).toBe(502)
    expect(logged).toEqual([])
  })

  it('that breaks off within a page is not passed on as a complete page', async () => {
    const url = await rawSite((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 1000\r\n\r\n<head>short')
      socket.destroySoon()
    })
    await expect(get(await previewOf(url))).rejects.toThrow(/aborted|hang up|reset/i)
    expect(logged).toEqual([])
  })

  it('cannot install a service worker, which would outlive the preview at its port', async () => {
    const asked: string[] = []
    const url = await site((request, response) => {
      asked.push(request.url ?? '')
      response.setHeader('content-type', 'text/javascript')
      response.setHeader('service-worker-allowed', '/')
      response.end('self.x = 1')
    })
    const frame = await previewOf(url)
    const worker = await get(new URL('/sw.js', frame), {
      headers: { 'service-worker': 'script', 'sec-fetch-dest': 'serviceworker' },
    })
    expect(worker.status).toBe(403)
    expect((await get(new URL('/sw.js', frame), { headers: { 'sec-fetch-dest': 'serviceworker' } })).status).toBe(403)
    expect(asked).toEqual([])
    const script = await get(new URL('/sw.js', frame))
    expect([script.status, script.headers['service-worker-allowed']]).toEqual([200, undefined])
  })

  it('cannot pass off another site as its own by a redirect, and keeps its own redirects in the frame', async () => {
    let location = ''
    const url = await site((_request, response) => {
      response.writeHead(302, { location }).end()
    })
    const { port } = new URL(url)
    const frame = await previewOf(url)
    const { origin } = new URL(frame)
    const moved = async (to: string): Promise<string | undefined> => {
      location = to
      return (await get(frame)).headers.location
    }
    expect(await moved(`${url}/a?b#c`)).toBe(`${origin}/a?b#c`)
    expect(await moved(`http://127.0.0.1:${port}/a`)).toBe(`${origin}/a`)
    expect(await moved(`HTTP://LOCALHOST:${port}/a`)).toBe(`${origin}/a`)
    expect(await moved(`http://me:secret@localhost:${port}/a`)).toBe(`${origin}/a`)
    expect(await moved('/a')).toBe(`${origin}/a`)
    // Not the server whose name is its prefix.
    expect(await moved(`${url}.evil.example/x`)).toBeUndefined()
    expect((await moved(`${url}1/x`)) ?? '').not.toContain(origin)
    expect(await moved(`${url}@evil.example/x`)).toBe(`http://evil.example/x`)
    expect(await moved('//evil.example/x')).toBe('http://evil.example/x')
    expect(await moved(String.raw`/\evil.example/x`)).toBe('http://evil.example/x')
    expect(await moved('javascript:alert(1)')).toBeUndefined()
    expect(await moved('http://[')).toBeUndefined()
  })

  it('cannot set headers with effects outside its frame', async () => {
    const url = await site((_request, response) => {
      response.writeHead(200, {
        'content-type': 'text/html',
        'clear-site-data': '"cookies"',
        'alt-svc': 'h2="evil.example:443"',
        'strict-transport-security': 'max-age=1',
        refresh: `0; url=${url}@evil.example/`,
        'content-security-policy': "default-src 'self', script-src 'none'; frame-ancestors *, sandbox; img-src *",
        'set-cookie': ['a=1; DOMAIN=localhost; Path=/', 'b=2; domain = evil.example; domain=x; HttpOnly'],
        connection: 'x-private',
        'x-private': '1',
        link: '</x>; rel=preload',
      })
      response.end('<head>')
    })
    const { headers } = await get(await previewOf(url))
    expect(Object.keys(headers)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(?:alt-svc|strict-transport-security|x-private)$/)]),
    )
    expect(headers['clear-site-data'] ?? '').not.toContain('cookies')
    expect(headers['refresh']).toBe('0; url=http://evil.example/')
    expect(headers['set-cookie']).toEqual(['a=1; Path=/', 'b=2; HttpOnly'])
    expect(headers['content-security-policy']).toBe(
      "frame-ancestors http://127.0.0.1:1, default-src 'self', script-src 'none', img-src *",
    )
    expect(headers['origin-agent-cluster']).toBe('?1')
  })

  it('gets the page’s requests unchanged: ranges, compressed files and HEAD', async () => {
    const zipped = gzipSync('<head>zipped')
    const url = await site((request, response) => {
      if (request.url === '/zip') {
        response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip', etag: '"z"' })
        return response.end(zipped)
      }
      if (request.url === '/part') {
        response.writeHead(206, { 'content-type': 'text/html', 'content-range': 'bytes 0-3/9', 'content-length': 4 })
        return response.end('<hea')
      }
      if (request.url === '/same') {
        response.writeHead(304, { 'content-type': 'text/html', etag: '"s"' })
        return response.end()
      }
      response.writeHead(200, {
        'content-type': 'text/html',
        'content-length': 6,
        'accept-ranges': 'bytes',
        'content-md5': 'x',
      })
      return response.end('<head>')
    })
    const frame = await previewOf(url)
    const zip = await get(new URL('/zip', frame))
    expect(zip.body).toEqual(zipped)
    expect(zip.headers).toMatchObject({ 'content-encoding': 'gzip', etag: '"z"' })
    const part = await get(new URL('/part', frame), { headers: { range: 'bytes=0-3' } })
    expect([part.status, part.body.toString(), part.headers['content-range']]).toEqual([206, '<hea', 'bytes 0-3/9'])
    const same = await get(new URL('/same', frame), { headers: { 'if-none-match': '"s"' } })
    expect([same.status, same.body.length, same.headers['content-length']]).toEqual([304, 0, undefined])
    const head = await get(frame, { method: 'HEAD' })
    expect([head.status, head.headers['content-length']]).toEqual([200, undefined])
    const page = await get(frame)
    expect(page.body.toString()).toBe(`<head>${TAG}`)
    expect([page.headers['accept-ranges'], page.headers['content-md5']]).toEqual([undefined, undefined])
  })

  it('learns nothing of a WebSocket but a handshake, and cannot answer it with anything else', async () => {
    const url = await rawSite((socket) =>
      socket.end('HTTP/1.1 200 OK\r\nset-cookie: a=1; Domain=127.0.0.1\r\nclear-site-data: "cookies"\r\n\r\nbody'),
    )
    const frame = new URL(await previewOf(url))
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(Number(frame.port), '127.0.0.1')
      let text = ''
      socket.on('data', (data) => (text += data.toString()))
      socket.on('close', () => resolve(text))
      socket.write(
        `GET /hmr HTTP/1.1\r\nHost: ${frame.host}\r\nOrigin: ${frame.origin}\r\nConnection: Upgrade\r\n` +
          'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
      )
    })
    expect(answer).toMatch(/^HTTP\/1\.1 502/)
    expect(answer).not.toMatch(/cookie/i)
  })

  it('ends with the preview, its WebSockets too', async () => {
    const server = createServer()
    const sockets = new WebSocketServer({ server })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    cleanups.push(() => new Promise((resolve) => server.close(resolve)))
    const all = proxies()
    const { origin, host } = new URL(
      (await all.open(`http://localhost:${(server.address() as AddressInfo).port}`)).frameUrl,
    )
    const socket = new WebSocket(`ws://${host}/`, { origin })
    socket.on('error', () => undefined)
    await new Promise((resolve) => socket.once('open', resolve))
    const closed = new Promise((resolve) => socket.once('close', resolve))
    await all.close()
    await closed
    expect(socket.readyState).toBe(WebSocket.CLOSED)
    sockets.close()
  })
})

describe('a page that has guessed the port of a preview', () => {
  it('gets nothing from it, and reaches nothing through it', async () => {
    const asked: string[] = []
    const url = await site((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      response.end('secret')
    })
    const frame = await previewOf(`${url}/own`)
    const { origin, port, host } = new URL(frame)
    const refused = async (headers: Record<string, string>, method = 'GET'): Promise<void> => {
      const answer = await get(new URL('/api', frame), { headers, method })
      expect({ ...headers, status: answer.status, leaks: answer.body.includes('secret') }).toEqual({
        ...headers,
        status: 403,
        leaks: false,
      })
    }
    await refused({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' })
    await refused({ 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' })
    await refused({ origin: `http://127.0.0.1:${Number(port) + 1}` }, 'POST')
    await refused({ origin: `${origin}1` }, 'POST')
    await refused({ origin: 'null' }, 'POST')
    await refused({ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, 'POST')
    await refused(
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe', origin: 'null' },
      'POST',
    )
    await refused({ host: `localhost:${port}` })
    await refused({ host: `evil.example:${port}` })
    expect(asked).toEqual([])
    const shown = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }
    expect((await get(frame, { headers: shown })).body.toString()).toBe('secret')
    expect((await get(frame, { headers: { 'sec-fetch-site': 'same-origin', origin } })).status).toBe(200)
    const raw = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1')
      let text = ''
      socket.on('data', (data) => (text += data.toString()))
      socket.on('close', () => resolve(text))
      socket.write(`GET http://evil.example/x HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    })
    expect(raw).toMatch(/^HTTP\/1\.1 403/)
    expect(asked).toEqual(['GET /own', 'GET /own'])
  })

  it('does not pass for the page itself by a longer port', async () => {
    const seen: IncomingHttpHeaders[] = []
    const url = await site((request, response) => {
      seen.push(request.headers)
      response.end('x')
    })
    const frame = await previewOf(url)
    const { origin } = new URL(frame)
    await get(frame, { headers: { referer: `${origin}1/private?x` } })
    await get(frame, { headers: { referer: `${origin}/own?x` } })
    expect(seen.map(({ referer }) => referer)).toEqual([undefined, `${url}/own?x`])
  })

  it('cannot append a second request to the body of the first', async () => {
    const asked: string[] = []
    const url = await site((request, response) => {
      let body = ''
      request.on('data', (data: Buffer) => (body += data.toString()))
      request.on('end', () => {
        asked.push(`${request.method} ${request.url} ${body}`)
        response.end('x')
      })
    })
    const frame = new URL(await previewOf(url))
    const inner = 'GET /hidden HTTP/1.1\r\nhost: x\r\n\r\n'
    await new Promise<void>((resolve) => {
      const socket = connect(Number(frame.port), '127.0.0.1')
      socket.on('data', () => undefined)
      socket.on('close', () => resolve())
      socket.write(
        `DELETE /x HTTP/1.1\r\nHost: ${frame.host}\r\nConnection: close\r\n` +
          `Transfer-Encoding: chunked\r\n\r\n${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`,
      )
    })
    expect(asked).toEqual([`DELETE /x ${inner}`])
  })
})

describe('the address of a preview', () => {
  it('is composed of its parts, and accepts no credentials', async () => {
    const url = await site((_request, response) => void response.end('x'))
    const { host, port } = new URL(url)
    const all = proxies()
    const { origin } = new URL((await all.open(url)).frameUrl)
    for (const written of [
      `HTTP://LOCALHOST:${port}/a?b=c#d`,
      `http:\\\\localhost:${port}\\a?b=c#d`,
      `  http://localhost:${port}/a?b=c#d`,
      `http:localhost:${port}/a?b=c#d`,
    ])
      expect([written, (await all.open(written)).frameUrl]).toEqual([written, `${origin}/a?b=c#d`])
    expect((await all.open(`http://${host}`)).frameUrl).toBe(`${origin}/`)
    for (const hostile of [`http://:pw@${host}/`, `http://me@${host}/`, `http://localhost:${port}@evil.example/`])
      await expect(all.open(hostile)).rejects.toThrow(/this machine/)
  })

  it('is on this machine, without resolving names', () => {
    for (const hostile of ['http://localhost.evil.example/', 'http://127.0.0.1.nip.io/', 'http://localhost./'])
      expect(() => previewTarget(hostile)).toThrow(/this machine/)
    expect(previewTarget('http://shop.localhost:81/')).toMatchObject({ hostname: '127.0.0.1', port: 81 })
    expect(previewTarget('http://2130706433/')).toMatchObject({ hostname: '127.0.0.1' })
  })

  it('is never that of Trestle itself or of another preview', async () => {
    const url = await site((_request, response) => void response.end('x'))
    const all = proxies((port) => port === 4711)
    const { port } = new URL((await all.open(url)).frameUrl)
    for (const own of ['http://localhost:4711/', 'http://[::1]:4711/', `http://localhost:${port}/`])
      await expect(all.open(own)).rejects.toThrow(/Trestle itself/)
  })

  it('is the same for two simultaneous requests', async () => {
    const url = await site((_request, response) => void response.end('x'))
    const all = proxies()
    const [one, two] = await Promise.all([all.open(`${url}/1`), all.open(`${url}/2`)])
    expect(new URL(one.frameUrl).origin).toBe(new URL(two.frameUrl).origin)
  })
})
