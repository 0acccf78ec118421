import type { Usage } from './message'

/** Dollars per million tokens. */
export interface ModelPrices {
  input: number
  /** Thinking is billed as output. */
  output: number
  cacheRead?: number
  /** What is written to a cache that is kept for minutes. */
  cacheWrite?: number
  /** The same for a cache that is kept for an hour. */
  cacheWriteHour?: number
  /** A request with more input than this costs these prices as a whole. */
  long?: { above: number } & Omit<ModelPrices, 'long'>
}

/**
 * What a request cost, in dollars. What was read from the cache and written to it has prices of its own; where they are
 * not known, those of input. `cache`: `long` when the provider was asked to keep it for an hour.
 */
export function costOf(
  { input, output, cached, written = 0 }: Pick<Usage, 'input' | 'output' | 'cached' | 'written'>,
  prices: ModelPrices,
  cache: 'short' | 'long' = 'short',
): number {
  const { long } = prices
  const price = long && input > long.above ? long : prices
  const fresh = Math.max(0, input - cached - written)
  const write = (cache === 'long' ? price.cacheWriteHour : undefined) ?? price.cacheWrite ?? price.input
  const millionths =
    fresh * price.input + cached * (price.cacheRead ?? price.input) + written * write + output * price.output
  return millionths / 1e6
}

/** Prices of a model that runs on this computer. */
export const NO_PRICE: ModelPrices = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0 }

/** Dollars: with cents from ten cents on, with four decimals below. */
export function formatCost(dollars: number): string {
  if (dollars > 0 && dollars < 0.0001) return '< $0.0001'
  return `$${dollars.toFixed(dollars >= 0.1 || dollars === 0 ? 2 : 4)}`
}

/** What a model costs in one line: "$3 in, $15 out per million tokens". */
export function describePrices({ input, output, cacheRead, long }: ModelPrices): string {
  if (input === 0 && output === 0) return 'free'
  const cache = cacheRead === undefined ? '' : `, ${dollars(cacheRead)} cached`
  const more = long
    ? `; above ${long.above.toLocaleString('en-US')} tokens ${dollars(long.input)} and ${dollars(long.output)}`
    : ''
  return `${dollars(input)} in, ${dollars(output)} out${cache} per million tokens${more}`
}

function dollars(value: number): string {
  return `$${Number(value.toFixed(4))}`
}
