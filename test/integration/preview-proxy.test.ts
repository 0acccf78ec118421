import { createServer, type IncomingMessage, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { isPage } from '../../src/main/api/preview/preview-headers'
import { PreviewProxies } from '../../src/main/api/preview/preview-proxy'
import { previewTarget } from '../../src/main/api/preview/preview-target'
import { SCRIPT_PATH, withScript } from '../../src/main/api/preview/script-insertion'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

async function site(answer: Parameters<typeof createServer>[1] & {}): Promise<{ url: string; server: Server }> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://localhost:${(server.address() as AddressInfo).port}`, server }
}

async function previewOf(url: string, isOwnPort = (_port: number): boolean => false): Promise<string> {
  const proxies = new PreviewProxies({ ancestors: 'http://127.0.0.1:1', isOwnPort, log: () => undefined })
  cleanups.push(() => proxies.close())
  return (await proxies.open(url)).frameUrl
}

describe('a previewed server', () => {
  it('gets requests as if the page had been opened directly, and answers under a separate origin', async () => {
    const asked: IncomingMessage['headers'][] = []
    const { url } = await site((request, response) => {
      asked.push(request.headers)
      response.writeHead(200, {
        'content-type': 'text/html',
        'x-frame-options': 'DENY',
        'content-security-policy': "default-src 'self'; frame-ancestors 'none'",
        'set-cookie': 'a=1; Domain=localhost; Path=/',
      })
      response.end('<!doctype html><html><head><title>x</title></head><body>hello</body></html>')
    })
    const frame = await previewOf(`${url}/app?x=1`)
    expect(new URL(frame).origin).not.toBe(url)
    expect(frame).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/app\?x=1$/)
    const response = await fetch(frame, { headers: { origin: new URL(frame).origin, referer: frame } })
    const page = await response.text()
    expect(page).toContain(`<head><script src="${SCRIPT_PATH}"></script><title>`)
    expect(asked[0]).toMatchObject({ host: new URL(url).host, origin: url, referer: `${url}/app?x=1` })
    expect(response.headers.get('x-frame-options')).toBeNull()
    expect(response.headers.get('content-security-policy')).toBe(
      "frame-ancestors http://127.0.0.1:1, default-src 'self'",
    )
    expect(response.headers.get('set-cookie')).toBe('a=1; Path=/')
    const script = await fetch(new URL(SCRIPT_PATH, frame))
    expect(await script.text()).toContain('trestle-preview')
  })

  it('keeps redirects in its frame, and passes bodies and other files on unchanged', async () => {
    const { url } = await site((request, response) => {
      if (request.url === '/go') {
        response.writeHead(302, { location: `${url}/end` }).end()
        return
      }
      response.writeHead(201, { 'content-type': 'application/octet-stream' })
      request.pipe(response)
    })
    const frame = await previewOf(url)
    const moved = await fetch(new URL('/go', frame), { redirect: 'manual' })
    expect(moved.headers.get('location')).toBe(new URL('/end', frame).href)
    const body = Buffer.from([0, 255, 10, 13, 60])
    const sent = await fetch(new URL('/up', frame), { method: 'POST', body })
    expect(sent.status).toBe(201)
    expect(Buffer.from(await sent.arrayBuffer())).toEqual(body)
  })

  it('accepts WebSockets only from its own pages', async () => {
    const { url, server } = await site((_request, response) => void response.end())
    const sockets = new WebSocketServer({ server })
    const origins: (string | undefined)[] = []
    sockets.on('connection', (socket, request) => {
      origins.push(request.headers.origin)
      socket.on('message', (data) => socket.send(`echo ${(data as Buffer).toString()}`))
    })
    const { origin, host } = new URL(await previewOf(url))
    const socket = new WebSocket(`ws://${host}/hmr`, { origin })
    cleanups.push(() => socket.terminate())
    const heard = new Promise((resolve) => socket.once('message', (data) => resolve((data as Buffer).toString())))
    await new Promise((resolve) => socket.once('open', resolve))
    socket.send('hi')
    expect(await heard).toBe('echo hi')
    expect(origins).toEqual([url])
    const foreign = new WebSocket(`ws://${host}/hmr`, { origin: 'http://evil.example' })
    await expect(new Promise((_resolve, reject) => foreign.once('error', reject))).rejects.toThrow('403')
  })

  it('reports an address where nothing answers', async () => {
    const { url, server } = await site(() => undefined)
    await new Promise((resolve) => server.close(resolve))
    const response = await fetch(await previewOf(url))
    expect(response.status).toBe(502)
    expect(await response.text()).toContain(`Nothing answers at ${url}`)
  })
})

describe('a preview', () => {
  it('shows only servers on this machine, and never Trestle itself', async () => {
    for (const url of [
      'http://example.com/',
      'https://localhost/',
      'http://192.168.1.4/',
      'http://me@localhost/',
      'http://:pw@localhost/',
      'file:///etc/passwd',
    ])
      expect(() => previewTarget(url)).toThrow(/this machine/)
    expect(previewTarget('http://0.0.0.0:8080/')).toMatchObject({ hostname: '127.0.0.1', port: 8080 })
    expect(previewTarget('http://[::1]/')).toMatchObject({ hostname: '::1', port: 80 })
    await expect(previewOf('http://localhost:4711/', (port) => port === 4711)).rejects.toThrow('Trestle itself')
  })

  it('answers only under its own address, so that no other site can reach the server through it', async () => {
    const { url } = await site((_request, response) => void response.end('secret'))
    const frame = new URL(await previewOf(url))
    const socket = connect(Number(frame.port), '127.0.0.1')
    let answer = ''
    socket.on('data', (data) => (answer += data.toString()))
    socket.write(`GET / HTTP/1.1\r\nHost: evil.example:${frame.port}\r\nConnection: close\r\n\r\n`)
    await new Promise((resolve) => socket.once('close', resolve))
    expect(answer).toMatch(/^HTTP\/1\.1 403/)
    expect(answer).not.toContain('secret')
  })
})

describe('the script in a page', () => {
  it('comes first in any page', () => {
    const tag = `<script src="${SCRIPT_PATH}"></script>`
    const inserted = (page: string): string => withScript(Buffer.from(page)).toString()
    expect(inserted('<!doctype html><p>x')).toBe(`<!doctype html>${tag}<p>x`)
    expect(inserted('<HTML lang=en><HEAD data-x>y')).toBe(`<HTML lang=en><HEAD data-x>${tag}y`)
    expect(inserted('plain')).toBe(`${tag}plain`)
    expect(inserted('<!-- <head> --><html data-x="a>b"><head>y')).toBe(
      `<!-- <head> --><html data-x="a>b"><head>${tag}y`,
    )
    expect(inserted('<html><body><head>y')).toBe(`<html>${tag}<body><head>y`)
    expect(inserted('<header>y')).toBe(`${tag}<header>y`)
    expect(isPage({ 'content-type': 'text/html; charset=utf-8' })).toBe(true)
    expect(isPage({ 'content-type': 'application/json' })).toBe(false)
    expect(isPage({ 'content-type': 'text/html', 'content-encoding': 'br' })).toBe(false)
  })
})
