import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareVersions } from './version-order'

test('orders versions as semantic versioning does', () => {
  // The example of the specification, plus numbers that would be misordered as text.
  const ordered = [
    '0.9.0',
    '0.10.0',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.1',
    '2.0.0',
  ]
  expect(ordered.toReversed().sort(compareVersions)).toEqual(ordered)
})

test('ignores the v of a tag and build metadata', () => {
  expect(compareVersions('v1.2.3', '1.2.3')).toBe(0)
  expect(compareVersions('1.2.3+20261126', '1.2.3+1')).toBe(0)
})

test('rejects what is not a version', () => {
  for (const text of ['', '1', '1.2', '1.2.x', 'latest', '1.2.3 '])
    expect(() => compareVersions(text, '1.0.0')).toThrow('is not a version')
})

const version = fc
  .tuple(fc.array(fc.nat(12), { minLength: 3, maxLength: 3 }), fc.array(fc.constantFrom('1', '2', '10', 'rc', 'beta')))
  .map(([numbers, pre]) => numbers.join('.') + (pre.length > 0 ? `-${pre.join('.')}` : ''))

test('is reversed when the arguments are swapped, and transitive', () => {
  fc.assert(
    fc.property(version, version, version, (a, b, c) => {
      expect(Math.sign(compareVersions(a, b)) + Math.sign(compareVersions(b, a))).toBe(0)
      const isOrdered = compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0
      expect(!isOrdered || compareVersions(a, c) <= 0).toBe(true)
    }),
  )
})
