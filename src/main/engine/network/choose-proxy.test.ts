import { describe, expect, it, test } from 'vitest'
import type { NetworkSettings } from '../config/settings/network-settings'
import { createProxyChoice, upstreamFromEnvironment } from './choose-proxy'
import { createServer as createHttpServer, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import {
  curl,
  httpProxyOf,
  listening,
  proxyFor,
  useSandboxProxies,
  web,
} from '../../../../test/support/sandbox-proxies'

function choose(
  url: string,
  {
    settings = {},
    env = {},
    system,
  }: { settings?: Partial<NetworkSettings>; env?: NodeJS.ProcessEnv; system?: string },
) {
  const proxyFor = createProxyChoice({
    settings: () => ({ proxy: 'system', noProxy: [], ...settings }),
    env,
    ...(system !== undefined && { systemProxy: async () => system }),
  })
  return proxyFor(new URL(url))
}
const MODEL = 'https://api.example.com/v1'

describe('choosing a proxy', () => {
  it('prefers the settings, then the environment, then the operating system', async () => {
    const env = { HTTPS_PROXY: 'http://env:2' }
    const system = 'PROXY os:3; DIRECT'
    expect(await choose(MODEL, { settings: { proxy: 'http://set:1' }, env, system })).toMatchObject({
      url: 'http://set:1',
    })
    expect(await choose(MODEL, { env, system })).toMatchObject({
      url: 'http://env:2',
      label: 'http://env:2 (from HTTPS_PROXY in the environment)',
    })
    expect(await choose(MODEL, { system })).toMatchObject({ url: 'http://os:3' })
    expect(await choose(MODEL, {})).toBeUndefined()
  })

  it('uses no proxy for this machine, for hosts in no_proxy or NO_PROXY, and if turned off', async () => {
    const env = { HTTPS_PROXY: 'http://env:2', HTTP_PROXY: 'http://env:2', NO_PROXY: '.corp.example' }
    expect(await choose('http://127.0.0.1:11434/v1', { env, system: 'PROXY os:3' })).toBeUndefined()
    expect(await choose('http://localhost:11434/v1', { settings: { proxy: 'http://set:1' } })).toBeUndefined()
    expect(await choose('https://git.corp.example/', { env, system: 'PROXY os:3' })).toBeUndefined()
    expect(await choose('https://git.corp.example/', { env, settings: { proxy: 'http://set:1' } })).toBeUndefined()
    expect(await choose(MODEL, { env, settings: { noProxy: ['example.com'] } })).toBeUndefined()
    expect(await choose(MODEL, { env, settings: { proxy: 'direct' } })).toBeUndefined()
  })

  it('keeps user name and password out of messages', async () => {
    expect(await choose(MODEL, { settings: { proxy: 'http://me:p%40ss@set:1' } })).toEqual({
      url: 'http://me:p%40ss@set:1',
      label: 'http://set:1 (from [network] proxy in config.toml)',
    })
  })

  it('skips SOCKS proxies of the system, and uses no proxy for "DIRECT" or a failed lookup', async () => {
    expect(await choose(MODEL, { system: 'SOCKS5 a:1; HTTPS b:2' })).toMatchObject({ url: 'https://b:2' })
    expect(await choose(MODEL, { system: 'DIRECT' })).toBeUndefined()
    const proxyFor = createProxyChoice({
      settings: () => ({ proxy: 'system', noProxy: [] }),
      env: {},
      systemProxy: () => Promise.reject(new Error('no')),
    })
    expect(await proxyFor(new URL(MODEL))).toBeUndefined()
  })
})

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
