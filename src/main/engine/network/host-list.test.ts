import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalHost, hostAllowed, hostAndPort, PACKAGE_REGISTRIES, parseHostEntry } from './host-list'
import { cpuMs } from '../../../../test/support/cpu-time'

describe('a host list', () => {
  test.each([
    ['example.com', 'example.com', 443],
    ['example.com', 'example.com', 80],
    ['example.com', 'EXAMPLE.com', 443],
    ['example.com', 'example.com.', 443],
    ['Example.COM.', 'example.com', 443],
    ['example.com', 'ex%61mple.com', 443],
    ['bücher.example', 'xn--bcher-kva.example', 443],
    ['xn--bcher-kva.example', 'BÜCHER.example', 443],
    ['*.example.com', 'a.example.com', 443],
    ['*.example.com', 'a.b.example.com', 443],
    ['*.bücher.example', 'www.xn--bcher-kva.example', 443],
    ['example.com:8443', 'example.com', 8443],
    ['*.example.com:22', 'git.example.com', 22],
    ['localhost:3000', 'localhost', 3000],
    ['192.0.2.7', '192.0.2.7', 80],
    ['192.0.2.7', '0xc0.0.2.7', 80],
    ['192.0.2.7:5432', '192.0.2.7', 5432],
    ['[2001:db8::1]', '2001:db8:0:0::1', 443],
    ['2001:db8::1', '[2001:DB8::1]', 443],
    ['[::1]:3000', '::1', 3000],
    ['127.0.0.1:3000', '::ffff:127.0.0.1', 3000],
  ])('%s allows %s on port %i', (entry, host, port) => {
    expect(hostAllowed([entry], host, port)).toBe(true)
  })

  test.each([
    ['example.com', 'example.com', 22],
    ['example.com', 'example.com', 8080],
    ['example.com:8443', 'example.com', 443],
    ['example.com', 'www.example.com', 443],
    ['example.com', 'example.com.evil.com', 443],
    ['example.com', 'notexample.com', 443],
    ['*.example.com', 'example.com', 443],
    ['*.example.com', 'notexample.com', 443],
    ['*.example.com', '.example.com', 443],
    ['example.com', 'example.com@evil.com', 443],
    ['example.com', 'evil.com#example.com', 443],
    ['example.com', 'evil.com/example.com', 443],
    ['example.com', 'evil.com\\example.com', 443],
    ['example.com', 'example.com\u0000.evil.com', 443],
    ['example.com', 'example.com%00.evil.com', 443],
    ['example.com', 'evil.com%2f.example.com', 443],
    ['example.com', 'exa\tmple.com', 443],
    ['example.com', 'exa\nmple.com', 443],
    ['example.com', 'exаmple.com', 443],
    ['example.com', 'example..com', 443],
    ['example.com', '', 443],
    ['*', 'example.com', 443],
    ['*.', 'example.com', 443],
    ['*.com', 'example.com', 443],
    ['ex*mple.com', 'example.com', 443],
    ['*.*.com', 'a.example.com', 443],
    ['https://example.com', 'example.com', 443],
    ['example.com/path', 'example.com', 443],
    ['example.com:', 'example.com', 443],
    ['example.com:0', 'example.com', 443],
    ['example.com:443x', 'example.com', 443],
    ['example.com:99999', 'example.com', 443],
    ['*.0.2.7', '192.0.2.7', 80],
    ['*.192.0.2.7', '1.192.0.2.7', 80],
    ['*.local.example', '127.0.0.1', 80],
    ['::1', 'fe80::1%lo', 443],
    ['localhost:3000', '127.0.0.1', 3000],
  ])('%j does not allow %j on port %i', (entry, host, port) => {
    expect(hostAllowed([entry], host, port)).toBe(false)
  })

  test('parses an authority as a host and a port, and rejects anything else', () => {
    expect(hostAndPort('example.com:443')).toEqual({ host: 'example.com', port: 443 })
    expect(hostAndPort('[::1]:443')).toEqual({ host: '::1', port: 443 })
    const others = [
      'example.com',
      '::1:443',
      'a@example.com:443',
      'example.com:443/x',
      ':443',
      'example.com:+443',
      'example.com: 443',
    ]
    expect(others.filter((text) => hostAndPort(text) !== undefined)).toEqual([])
  })

  test('the default list has valid registries only, without GitHub or a public bucket store', () => {
    const plain = PACKAGE_REGISTRIES.map((host) => ({ host, subdomains: false, port: undefined }))
    expect(PACKAGE_REGISTRIES.map(parseHostEntry)).toEqual(plain)
    expect(hostAllowed(PACKAGE_REGISTRIES, 'registry.npmjs.org', 443)).toBe(true)
    const others = ['github.com', 'storage.googleapis.com', 'upload.pypi.org', 'registry.npmjs.org.evil.com']
    expect(others.filter((host) => hostAllowed(PACKAGE_REGISTRIES, host, 443))).toEqual([])
  })

  test('canonicalHost is idempotent and runs in linear time for any input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const host = canonicalHost(text)
        return host === undefined || canonicalHost(host) === host
      }),
    )
    const long = '*.'.repeat(50_000)
    const started = cpuMs()
    expect(
      hostAllowed([long, `${'a.'.repeat(50_000)}com`, `*.${'%61'.repeat(300)}.com`], 'a.'.repeat(50_000), 443),
    ).toBe(false)
    expect(cpuMs() - started).toBeLessThan(500)
  })
})
