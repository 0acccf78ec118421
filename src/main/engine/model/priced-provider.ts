import type { Usage } from '../../../shared/model/message'
import type { ModelChunk, ModelPrices, Provider } from './provider'

/** The same provider, whose usage says what it cost. */
export function pricedProvider(provider: Provider, prices: ModelPrices): Provider {
  return {
    // Not a generator within a generator: each word of an answer passes here.
    stream: (request, signal) => ({
      [Symbol.asyncIterator]() {
        const chunks = provider.stream(request, signal)[Symbol.asyncIterator]()
        return {
          next: () => chunks.next().then((result) => priced(result, prices)),
          async return() {
            await chunks.return?.()
            return { done: true, value: undefined }
          },
        }
      },
    }),
  }
}

function priced({ done, value }: IteratorResult<ModelChunk, unknown>, prices: ModelPrices): IteratorResult<ModelChunk> {
  if (done) return { done, value: undefined }
  if (value.type !== 'finish' || !value.usage) return { value }
  return { value: { ...value, usage: { ...value.usage, cost: costOf(value.usage, prices) } } }
}

/** Dollars. What was read from the cache and written to it has prices of its own; where they are not known, those of input. */
export function costOf({ input, output, cached, written = 0 }: Usage, prices: ModelPrices): number {
  const { long } = prices
  const price = long && input > long.above ? long : prices
  const fresh = Math.max(0, input - cached - written)
  const millionths =
    fresh * price.input + cached * (price.cacheRead ?? price.input) + written * (price.cacheWrite ?? price.input) + output * price.output
  return millionths / 1e6
}
