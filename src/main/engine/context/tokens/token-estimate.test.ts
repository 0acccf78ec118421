import { expect, it } from 'vitest'
import fc from 'fast-check'
import { unbrokenRuns } from './token-estimate'

it('finds the same unbroken runs as a pattern that checks every character', () => {
  const runs = fc.integer({ min: 0, max: 200 }).map((length) => 'aB3/'.repeat(50).slice(0, length))
  const others = fc.constantFrom(' ', '\n', '.', '中', '😀', '<', '\u0000')
  fc.assert(
    fc.property(fc.array(fc.oneof(runs, others), { maxLength: 30 }), (parts) => {
      const text = parts.join('')
      expect([...unbrokenRuns(text)]).toEqual(text.match(/[\w+/=-]{64,65536}/g) ?? [])
    }),
  )
})

it('splits a run of millions of characters into pieces', () => {
  const lengths = Array.from(unbrokenRuns(`x ${'A1b2'.repeat(500_000)} y`), (run) => run.length)
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(2_000_000)
  expect(Math.max(...lengths)).toBe(65_536)
})
