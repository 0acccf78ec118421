import { X509Certificate } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { canMakeCertificates } from '../../../../../test/support/certificate'
import { certificateHosts, givenCertificate, ownCertificate } from './certificate'
import { listenAddress, listenOptions } from './listen-options'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'trestle-own-certificate-'))
})
afterEach(() => rmSync(home, { recursive: true }))

const NONE = { listen: '', name: '', cert: '', key: '', tailscale: false }

test.skipIf(!canMakeCertificates)('keeps its certificate until it expires soon or lacks an address', async () => {
  const first = await ownCertificate(home, ['192.168.1.5', 'box.local'])
  expect([...certificateHosts(first.cert)]).toEqual(['192.168.1.5', 'box.local'])
  expect(await ownCertificate(home, ['192.168.1.5'])).toEqual(first)
  const moved = await ownCertificate(home, ['192.168.1.6'])
  expect(moved.cert).not.toBe(first.cert)
  expect(moved.key).toBe(first.key)
  const { validTo } = new X509Certificate(moved.cert)
  const later = await ownCertificate(home, ['192.168.1.6'], { now: () => Date.parse(validTo) - 86_400_000 })
  expect(later.cert).not.toBe(moved.cert)
})

test.skipIf(!canMakeCertificates || process.platform === 'win32')(
  'replaces a key that others could have read',
  async () => {
    const first = await ownCertificate(home, ['127.0.0.1'])
    const file = join(home, 'devices-tls', 'key.pem')
    chmodSync(file, 0o644)
    expect((await ownCertificate(home, ['127.0.0.1'])).key).not.toBe(first.key)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  },
)

test("explains what to do when openssl is missing, and what is wrong with the user's certificate", async () => {
  await expect(ownCertificate(home, ['127.0.0.1'], { openssl: join(home, 'missing') })).rejects.toMatchObject({
    code: 'device.certificate',
    message: expect.stringContaining('openssl is not installed'),
  })
  const file = join(home, 'x.pem')
  expect(() => givenCertificate(file, file)).toThrow(/cannot be read/)
  writeFileSync(file, 'no certificate')
  expect(() => givenCertificate(file, file)).toThrow(/are not a certificate and its key/)
})

test('parses addresses with and without a port, and rejects anything else', () => {
  expect(listenAddress('192.168.1.5')).toEqual({ address: '192.168.1.5', port: 4747 })
  expect(listenAddress('192.168.1.5:80')).toEqual({ address: '192.168.1.5', port: 80 })
  expect(listenAddress('::1')).toEqual({ address: '::1', port: 4747 })
  expect(listenAddress('[::1]:8443')).toEqual({ address: '::1', port: 8443 })
  for (const wrong of ['box', '1.2.3.4:99999', '1.2.3.4:x', '[::1', 'http://1.2.3.4', '1.2.3'])
    expect(() => listenAddress(wrong)).toThrow(/--listen needs an address/)
})

test('listens only if requested, and on loopback for Tailscale', () => {
  expect(listenOptions({}, NONE)).toBeUndefined()
  expect(listenOptions({ tailscale: true }, NONE)).toMatchObject({ address: '127.0.0.1', tailscale: true })
  expect(listenOptions({ listen: '10.0.0.1' }, { ...NONE, listen: '10.0.0.2' })).toMatchObject({ address: '10.0.0.1' })
  expect(() => listenOptions({ listen: '10.0.0.1', cert: 'a.pem' }, NONE)).toThrow(/both --cert and --key/)
  expect(() => listenOptions({ name: 'box' }, NONE)).toThrow(/go with --listen/)
  expect(() => listenOptions({ listen: '10.0.0.1', name: 'a, DNS:b' }, NONE)).toThrow(/not the name of a machine/)
})
