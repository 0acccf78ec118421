import { describe, expect, it } from 'vitest'
import type { NetworkSettings } from '../config/settings/network-settings'
import { createProxyChoice } from './choose-proxy'

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
