import fc from 'fast-check'
import { expect, test } from 'vitest'
import { duration } from './tool-lines'

test.each([
  [0, '0 ms'],
  [12.4, '12 ms'],
  [999.7, '1.0 s'],
  [3_400, '3.4 s'],
  [59_940, '59.9 s'],
  [59_960, '1 min'],
  [60_000, '1 min'],
  [125_000, '2 min 5 s'],
  [119_700, '2 min'],
  [3_600_000, '60 min'],
])('shows %d ms as %s', (ms, text) => expect(duration(ms)).toBe(text))

test('never shows 60 seconds or 1000 milliseconds', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 10_000_000, noNaN: true }), (ms) => {
      expect(duration(ms)).not.toMatch(/\b(?:60(?:\.0)? s|1000 ms)/)
    }),
  )
})
