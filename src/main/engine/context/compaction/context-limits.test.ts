import { expect, it } from 'vitest'
import { contextLimits } from './context-limits'

it('a request never has more than a provider takes beside the longest answer, and a trim leaves more than 60 percent of that', () => {
  const model = { maxOutputTokens: 128_000, traits: { inputLimit: 272_000 } }
  const { trimThreshold, trimTarget, hardLimit } = contextLimits(400_000, model, 10_000)
  expect(trimThreshold).toBeLessThan(272_000)
  expect(hardLimit).toBeLessThan(280_000)
  expect(trimTarget).toBeGreaterThan(272_000 * 0.6)
  // A smaller window, as configured or learned, is filled as usual.
  expect(contextLimits(100_000, model, 10_000)).toEqual(contextLimits(100_000, { maxOutputTokens: 128_000 }, 10_000))
})
