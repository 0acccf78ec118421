import { expect, it } from 'vitest'
import { hostNamed, inUrl, isLoopbackHost } from './host-header'

it('accepts the loopback names with the right port, ignoring case', () => {
  for (const header of ['127.0.0.1:4000', 'localhost:4000', 'LocalHost:4000', '[::1]:4000'])
    expect(isLoopbackHost(header, 4000)).toBe(true)
  for (const header of ['localhost', '127.0.0.1', '[::1]']) {
    expect(isLoopbackHost(header, 80)).toBe(true)
    expect(isLoopbackHost(header, 4000)).toBe(false)
  }
})

it('rejects every other name, as DNS rebinding would send it', () => {
  const foreign = [
    'evil.test:4000',
    'localhost.evil.test:4000',
    'evil.test',
    'localhost.:4000',
    '127.0.0.1.nip.io:4000',
  ]
  const odd = [undefined, '', ':4000', 'localhost:', 'localhost:4000 ', 'localhost:04000', '0.0.0.0:4000', '::1:4000']
  for (const header of [...foreign, ...odd]) expect(isLoopbackHost(header, 4000)).toBe(false)
})

it('formats a host with its port, including an IPv6 address without one', () => {
  expect(hostNamed('[FE80::1]', 443)).toBe('[fe80::1]:443')
  expect(hostNamed('Box.local', 443)).toBe('box.local:443')
  expect(hostNamed('box.local:8443', 443)).toBe('box.local:8443')
  expect([inUrl('::1'), inUrl('box')]).toEqual(['[::1]', 'box'])
})
