import { describe, expect, it } from 'vitest'
import type { ModelChunk, Provider } from '../provider'
import { costOf } from '../../../../shared/model/turn/usage'
import { pricedProvider } from './catalog'

const PRICES = { input: 4, output: 20, cacheRead: 0.4, cacheWrite: 5 }
const used = (more: object) => ({ input: 0, output: 0, cached: 0, thinking: 0, ...more })

describe('the cost of a request', () => {
  it('counts cache reads and cache writes separately', () => {
    const usage = used({ input: 1_000_000, cached: 700_000, written: 200_000, output: 100_000 })
    expect(costOf(usage, PRICES)).toBeCloseTo(0.1 * 4 + 0.7 * 0.4 + 0.2 * 5 + 0.1 * 20, 9)
  })

  it('uses the input price if there is no cache price', () => {
    expect(costOf(used({ input: 1_000_000, cached: 500_000, written: 100_000 }), { input: 4, output: 20 })).toBeCloseTo(
      4,
      9,
    )
  })

  it('applies the price of long requests to the whole request', () => {
    const prices = { ...PRICES, long: { above: 272_000, input: 8, output: 30 } }
    expect(costOf(used({ input: 272_000, output: 1000 }), prices)).toBeCloseTo(0.272 * 4 + 0.02, 9)
    expect(costOf(used({ input: 272_001, output: 1000 }), prices)).toBeCloseTo(0.272001 * 8 + 0.03, 9)
  })

  it('is added to the usage at the end of a stream; everything else passes through, including an early return', async () => {
    let left = false
    const provider: Provider = {
      async *stream() {
        try {
          yield { type: 'text', text: 'a' } as const
          yield { type: 'finish', reason: 'stop', usage: used({ input: 1_000_000 }) } as const
        } finally {
          left = true
        }
      },
    }
    const request = { model: 'm', system: '', messages: [], tools: [], imagesIn: false, thinking: false }
    const chunks: ModelChunk[] = []
    for await (const chunk of pricedProvider(provider, PRICES).stream(request, new AbortController().signal))
      chunks.push(chunk)
    expect(chunks).toEqual([
      { type: 'text', text: 'a' },
      { type: 'finish', reason: 'stop', usage: { ...used({ input: 1_000_000 }), cost: 4 } },
    ])
    left = false
    for await (const chunk of pricedProvider(provider, PRICES).stream(request, new AbortController().signal))
      if (chunk.type === 'text') break
    expect(left).toBe(true)
  })
})
