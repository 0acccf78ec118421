import { describe, expect, it } from 'vitest'
import { costOf, describePrices, formatCost, NO_PRICE } from './usage'

const PRICES = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, cacheWriteHour: 6 }
const used = (more: object) => ({ input: 0, output: 0, cached: 0, ...more })

describe('the cost of a request', () => {
  it('adds input and output', () => {
    // 12,000 * $3/M + 800 * $15/M = 0.036 + 0.012
    expect(costOf(used({ input: 12_000, output: 800 }), PRICES)).toBeCloseTo(0.048, 9)
  })

  it("uses the cache's own prices for what was read from it and written to it", () => {
    // 20,000 input: 15,000 read (0.0045), 4,000 written (0.015), 1,000 fresh (0.003); 200 output (0.003)
    const usage = used({ input: 20_000, cached: 15_000, written: 4000, output: 200 })
    expect(costOf(usage, PRICES)).toBeCloseTo(0.0255, 9)
    // Kept for an hour: 4,000 * $6/M = 0.024 instead of 0.015
    expect(costOf(usage, PRICES, 'long')).toBeCloseTo(0.0345, 9)
  })

  it('counts thinking once, as output', () => {
    expect(costOf({ ...used({ output: 1000 }), thinking: 900 } as never, PRICES)).toBeCloseTo(0.015, 9)
  })

  it('uses the prices of a long request for all of it, and only above the limit', () => {
    const prices = { ...PRICES, long: { above: 200_000, input: 6, output: 22.5, cacheRead: 0.6 } }
    expect(costOf(used({ input: 200_000, output: 1000 }), prices)).toBeCloseTo(0.6 + 0.015, 9)
    // 250,000: 200,000 read at 0.6 (0.12), 50,000 at 6 (0.3), 1,000 output at 22.5 (0.0225)
    expect(costOf(used({ input: 250_000, cached: 200_000, output: 1000 }), prices)).toBeCloseTo(0.4425, 9)
  })

  it('uses the price of input if the cache has no price', () => {
    const usage = used({ input: 1_000_000, cached: 500_000, written: 100_000 })
    expect(costOf(usage, { input: 4, output: 20 }, 'long')).toBeCloseTo(4, 9)
  })

  it('is zero on this computer', () => {
    expect(costOf(used({ input: 1_000_000, cached: 500_000, written: 9, output: 1_000_000 }), NO_PRICE, 'long')).toBe(0)
  })
})

it('describes prices in one line', () => {
  expect(describePrices(PRICES)).toBe('$3 in, $15 out, $0.3 cached per million tokens')
  expect(describePrices(NO_PRICE)).toBe('free')
  expect(describePrices({ input: 2, output: 10, long: { above: 272_000, input: 4, output: 15 } })).toBe(
    '$2 in, $10 out per million tokens; above 272,000 tokens $4 and $15',
  )
})

it('small costs keep their digits', () => {
  expect([0, 0.00001, 0.0123, 0.38, 12].map(formatCost)).toEqual(['$0.00', '< $0.0001', '$0.0123', '$0.38', '$12.00'])
})
