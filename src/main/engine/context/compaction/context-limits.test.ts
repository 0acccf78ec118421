import { expect, it } from 'vitest'
import { contextLimits } from './context-limits'

it('a request fits the provider’s input limit with the longest answer, and a trim leaves more than 60 percent of it', () => {
  const model = { maxOutputTokens: 128_000, traits: { inputLimit: 272_000 } }
  const { trimThreshold, trimTarget, hardLimit } = contextLimits(400_000, model, 10_000)
  expect(trimThreshold).toBeLessThan(272_000)
  expect(hardLimit).toBeLessThan(280_000)
  expect(trimTarget).toBeGreaterThan(272_000 * 0.6)
  // A smaller configured or learned window is filled as usual.
  expect(contextLimits(100_000, model, 10_000)).toEqual(contextLimits(100_000, { maxOutputTokens: 128_000 }, 10_000))
})
