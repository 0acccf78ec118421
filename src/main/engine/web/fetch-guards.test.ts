import { describe, expect, test } from 'vitest'
import { checkUrl, WebRefusal } from './fetch-guards'
import { nonPublicKind } from '../network/public-address'

describe('non-public addresses', () => {
  test.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '192.0.0.8',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:a9fe:a9fe',
    '::7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::7f00:1',
    '2002:7f00:1::',
    '2001:0:53aa:64c:0:0:80ff:fffe',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    '100::1',
    '2001:db8::1',
    'not an address',
  ])('%s is refused', (address) => {
    expect(nonPublicKind(address)).toBeDefined()
  })

  test.each(['93.184.216.34', '1.1.1.1', '172.32.0.1', '192.169.0.1', '2606:4700:4700::1111', '::ffff:1.1.1.1'])(
    '%s is public',
    (address) => {
      expect(nonPublicKind(address)).toBeUndefined()
    },
  )
})

describe('URLs with a disguised non-public address', () => {
  test.each([
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.1/',
    'http://017700000001/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://0/',
    'http://127。0。0。1/',
    'http://①②⑦.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:7f00:1]/',
    'http://[0:0:0:0:0:ffff:127.0.0.1]/',
    'http://127.0.0.1:8080/x',
    'http://127.0.0.1./',
  ])('%s is refused', (url) => {
    expect(() => checkUrl(url, [])).toThrow(WebRefusal)
  })

  test.each([
    'file:///etc/passwd',
    'ftp://example.org/',
    'javascript:alert(1)',
    'data:text/html,x',
    'gopher://example.org',
    'example.org',
    '',
    'http://',
    'http://user:secret@example.org/',
  ])('%s is refused', (url) => {
    expect(() => checkUrl(url, [])).toThrow(WebRefusal)
  })

  test('refuses an overlong URL', () => {
    expect(() => checkUrl(`https://example.org/${'a'.repeat(9000)}`, [])).toThrow(WebRefusal)
  })

  test('allows only hosts that the user listed, with a given port or any', () => {
    expect(checkUrl('http://127.0.0.1:8080/x', ['127.0.0.1:8080']).port).toBe('8080')
    expect(checkUrl('http://127.0.0.1:8080/x', ['127.0.0.1']).port).toBe('8080')
    expect(() => checkUrl('http://127.0.0.1:8081/x', ['127.0.0.1:8080'])).toThrow(WebRefusal)
    expect(() => checkUrl('http://127.0.0.2:8080/x', ['127.0.0.1:8080'])).toThrow(WebRefusal)
  })

  test('a refusal never reveals a password', () => {
    expect(() => checkUrl('http://user:hunter2@example.org/', [])).toThrow(/^(?!.*hunter2)/s)
  })
})
