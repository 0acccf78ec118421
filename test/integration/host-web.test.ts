import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { request, type IncomingHttpHeaders } from 'node:http'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type WebHost, type WebHostOptions, startWebHost } from '../../src/main/host/web/server/web-host'
import { connect } from '../../src/renderer/client/connect'
import { webSocketTransport } from '../../src/renderer/client/transports'
import { memoryEngine } from '../support/memory-engine'
import { nodeSockets } from '../support/node-socket'
import { until } from '../support/until'
import { limitNow } from '../support/machine-pace'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

async function start(
  options: Partial<WebHostOptions> = {},
): Promise<WebHost & { token: string; folder: string; logged: string[] }> {
  const base = await mkdtemp(join(tmpdir(), 'trestle-web-'))
  cleanups.push(() => rm(base, { recursive: true }))
  const folder = join(base, 'renderer')
  await mkdir(join(folder, 'assets'), { recursive: true })
  await writeFile(join(base, 'secret.txt'), 'secret')
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Trestle</title>')
  await writeFile(join(folder, '.hidden.txt'), 'hidden')
  await writeFile(join(folder, 'assets', 'index-abc.js'), 'export {}')
  await symlink(join(base, 'secret.txt'), join(folder, 'link.txt'))
  const logged: string[] = []
  const host = await startWebHost({
    engine: memoryEngine(),
    rendererDir: folder,
    logBug: (message, error) => logged.push(`${message} ${String(error)}`),
    ...options,
  })
  cleanups.push(() => host.close())
  return { ...host, token: new URL(host.url).hash.slice('#token='.length), folder, logged }
}

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

/** node:http, because fetch would normalise paths and refuse to set Host. */
function ask(
  port: number,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const req = request(
      { port, host: '127.0.0.1', path, method: options.method ?? 'GET', headers: options.headers ?? {} },
      (response) => {
        let body = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => (body += chunk))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
      },
    )
    req.on('error', reject)
    req.end(options.body)
  })
}

/** How a WebSocket attempt ended: the first message, a close code, or the status of a refused handshake. */
function attempt(
  port: number,
  protocols: string[],
  options: { path?: string; headers?: Record<string, string> } = {},
): Promise<string | number> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${options.path ?? '/socket'}`, protocols, {
      headers: options.headers ?? {},
    })
    socket.on('message', (data: Buffer) => {
      resolve(data.toString())
      socket.terminate()
    })
    socket.on('close', (code) => resolve(code))
    socket.on('unexpected-response', (_request, response) => {
      resolve(`HTTP ${response.statusCode}`)
      socket.terminate()
    })
    socket.on('error', () => {})
  })
}

test('the page is served with a policy that allows no foreign script, frame, form or referrer', async () => {
  const { port } = await start()
  const page = await ask(port, '/', { headers: { host: `127.0.0.1:${port}` } })
  expect(page).toMatchObject({ status: 200, body: '<!doctype html><title>Trestle</title>' })
  expect(page.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  })
  const policy = String(page.headers['content-security-policy']).split('; ')
  expect(policy).toEqual(
    expect.arrayContaining([
      "default-src 'none'",
      "script-src 'self'",
      "img-src 'self' data: blob:",
      "font-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'none'",
    ]),
  )
  expect(policy.find((rule) => rule.startsWith('connect-src'))).toBe(`connect-src 'self' ws://127.0.0.1:${port}`)
  const asset = await ask(port, '/assets/index-abc.js')
  expect(asset.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': expect.stringContaining('immutable'),
  })
  const head = await ask(port, '/index.html', { method: 'HEAD' })
  expect(head).toMatchObject({ status: 200, body: '', headers: { 'content-length': String(page.body.length) } })
})

test.each([
  '/../secret.txt',
  '/%2e%2e/secret.txt',
  '/assets/..%2f..%2fsecret.txt',
  '/..%5csecret.txt',
  '/.hidden.txt',
  '/link.txt',
  '/index.html%00.js',
  '/%',
  '/assets',
  '/assets/',
  '//secret.txt',
  '/nothing.js',
])('paths cannot leave the folder: %s', async (path) => {
  const { port } = await start()
  expect(await ask(port, path)).toMatchObject({ status: 404, body: 'Not found.\n' })
})

test('only GET and HEAD are answered, and a body is not read', async () => {
  const { port } = await start()
  expect(
    await ask(port, '/', { method: 'POST', body: 'x'.repeat(100_000) }).catch(() => ({ status: 405 })),
  ).toMatchObject({ status: 405 })
  expect(await ask(port, '/', { method: 'DELETE' })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
  const big = await ask(port, '/', { headers: { 'x-big': 'x'.repeat(20_000) } })
  expect(big.status).toBe(431)
})

test('a page of another host name that resolves here (DNS rebinding) gets nothing', async () => {
  const { port, token } = await start()
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    '127.0.0.1',
    `127.0.0.1:${port + 1}`,
    `127.0.0.1.evil.example:${port}`,
  ]) {
    expect(await ask(port, '/', { headers: { host } })).toMatchObject({ status: 403 })
    expect(await attempt(port, ['trestle.1', `token.${token}`], { headers: { host } })).toBe('HTTP 403')
  }
  for (const host of [`localhost:${port}`, `[::1]:${port}`, `LOCALHOST:${port}`])
    expect(await ask(port, '/', { headers: { host } })).toMatchObject({ status: 200 })
})

test('a WebSocket requires our origin, our path, our protocol and the token', async () => {
  const { port, token, logged } = await start()
  const right = ['trestle.1', `token.${token}`]
  expect(await attempt(port, right)).toBe('ready')
  expect(await attempt(port, right, { headers: { origin: `http://localhost:${port}` } })).toBe('ready')
  for (const origin of [
    'https://evil.example',
    'null',
    `https://localhost:${port}`,
    `http://localhost:${port + 1}`,
    'file://',
  ]) {
    expect(await attempt(port, right, { headers: { origin } })).toBe('HTTP 403')
  }
  expect(await attempt(port, right, { path: `/socket?token=${token}` })).toBe('HTTP 404')
  expect(await attempt(port, [`token.${token}`])).toBe('HTTP 400')
  for (const wrong of [
    'token.',
    `token.${token.slice(1)}`,
    `token.${token}a`,
    `token.${token.toUpperCase()}x`,
    token,
  ]) {
    expect(
      await attempt(
        port,
        ['trestle.1', wrong].filter((protocol) => protocol !== ''),
      ),
    ).toBe(4401)
  }
  expect(await attempt(port, ['trestle.1'])).toBe(4401)
  expect(logged).toEqual([])
})

test('input of a client without the token is not parsed', async () => {
  const engine = memoryEngine()
  const { port } = await start({ engine })
  const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`, ['trestle.1', 'token.wrong'])
  socket.on('open', () =>
    socket.send(JSON.stringify({ i: '1', p: { u: '/session/create', b: { json: { folder: '/p' } } } })),
  )
  await new Promise((resolve) => socket.once('close', resolve))
  expect(engine.sessions.list({})).toEqual([])
})

test('a rejected page is told that it is final and stops retrying', async () => {
  const { port } = await start()
  const { open, sockets } = nodeSockets()
  const connection = connect(webSocketTransport(open, `ws://127.0.0.1:${port}/socket`, 'x'.repeat(64)))
  cleanups.push(() => connection.close())
  await until(() => connection.state.get().failure !== undefined, 'the refusal')
  expect(connection.state.get()).toMatchObject({
    status: 'lost',
    failure: { code: 'connection.refused', advice: expect.stringContaining('link') },
  })
  await expect(connection.client.app.info()).rejects.toMatchObject({ code: 'connection.refused' })
  expect(sockets).toHaveLength(1)
})

test('garbage on an open socket closes only that socket', async () => {
  const { port, token, logged } = await start()
  for (const [garbage, code] of [
    ['{', 1007],
    ['[]', 1007],
    ['null', 1007],
    [Buffer.from([1, 2]), 1003],
  ] as const) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`, ['trestle.1', `token.${token}`])
    socket.once('message', () => socket.send(garbage))
    expect(await new Promise((resolve) => socket.once('close', resolve))).toBe(code)
  }
  expect(await attempt(port, ['trestle.1', `token.${token}`])).toBe('ready')
  expect(logged).toEqual([])
})

test('a port in use is reported; options that open it to the network are rejected', async () => {
  const { port } = await start()
  await expect(start({ port })).rejects.toMatchObject({
    code: 'host.port',
    message: expect.stringContaining(`port ${port} is in use`),
  })
  await expect(start({ host: '0.0.0.0' as 'localhost' })).rejects.toMatchObject({
    message: expect.stringContaining('not loopback'),
  })
  await expect(start({ token: 'short' })).rejects.toMatchObject({ message: expect.stringContaining('token') })
})

test('closing disconnects responsive and unresponsive clients, frees the port, and leaves the engine open', async () => {
  const engine = memoryEngine()
  const { port, token, close } = await start({ engine })
  const polite = new WebSocket(`ws://127.0.0.1:${port}/socket`, ['trestle.1', `token.${token}`])
  const deaf = new WebSocket(`ws://127.0.0.1:${port}/socket`, ['trestle.1', `token.${token}`])
  await Promise.all([polite, deaf].map((socket) => new Promise((resolve) => socket.once('message', resolve))))
  deaf.pause()
  const idle = createConnection(port, '127.0.0.1')
  idle.on('error', () => {})
  await new Promise((resolve) => idle.once('connect', resolve))
  const told = new Promise((resolve) => polite.once('close', resolve))
  const startedAt = Date.now()
  await close()
  // Far below the 30 s that a WebSocket waits for the other side.
  expect(Date.now() - startedAt).toBeLessThan(limitNow(20_000))
  expect(await told).toBe(1001)
  deaf.terminate()
  idle.destroy()
  expect(engine.isClosed).toBe(false)
  await expect(ask(port, '/')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

test('the token has enough entropy to differ every time', async () => {
  const tokens = [(await start()).token, (await start()).token]
  for (const token of tokens) expect(token).toMatch(/^[0-9a-f]{64}$/)
  expect(tokens[0]).not.toBe(tokens[1])
})
