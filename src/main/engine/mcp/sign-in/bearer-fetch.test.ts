import { expect, test } from 'vitest'
import { challengeOf } from './bearer-fetch'
import { cpuMs } from '../../../../../test/support/cpu-time'

const challenge = (header: string) => challengeOf({ headers: new Headers({ 'www-authenticate': header }) })

test.each([
  ['Bearer', {}],
  ['Basic realm="x"', {}],
  ['bearer scope=read', { scopes: ['read'] }],
  [
    'Bearer scope="read  write", error="insufficient_scope"',
    { scopes: ['read', 'write'], error: 'insufficient_scope' },
  ],
  ['Bearer error="invalid_token", error_description="say \\"please\\", scope=no"', { error: 'invalid_token' }],
  [
    'Basic realm="Bearer scope=no", Bearer resource_metadata="https://a.test/x?y=1,2"',
    { resourceMetadata: 'https://a.test/x?y=1,2' },
  ],
  ['Bearer realm="a", scope="", resource_metadata=https://a.test/m', { resourceMetadata: 'https://a.test/m' }],
])('reads %s', (header, expected) => {
  expect(challenge(header)).toEqual(expected)
})

test('parses a hostile header quickly', () => {
  const startedAt = cpuMs()
  challenge(`Bearer ${'a="\\'.repeat(20_000)}`)
  challenge(`Bearer ${'a='.repeat(30_000)}`)
  expect(cpuMs() - startedAt).toBeLessThan(2_000)
})
