import { availableParallelism, loadavg } from 'node:os'

/** One number. `limit`: the maximum allowed (issue "Backbone", Must show). */
export interface Measurement {
  name: string
  value: number
  unit: '$' | 'ms' | 'ms/step' | 'ms per 100 steps' | 's' | 'MB' | 'bytes' | 'count' | '%' | 'x'
  limit?: number
  note?: string
}

/** A benchmark file: measures, returns the results, and cleans up. */
export type Benchmark = () => Promise<Measurement[]>

/** Progress goes to stderr, because stdout contains only the JSON. */
export function progress(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** The last line of every benchmark file: when run directly, it prints its results. */
export async function runAlone(isMain: boolean, benchmark: Benchmark): Promise<void> {
  if (!isMain) return
  print(await benchmark())
}

/** Prints results as JSON to stdout, and for people to stderr, marking those over their limit. */
export function print(measurements: readonly Measurement[]): void {
  const [load = 0] = loadavg()
  // Our own processes count too, one at a time.
  if (load > availableParallelism() * 0.75)
    progress(`The machine is busy (load ${load.toFixed(1)}): times are longer than they need be.`)
  const width = Math.max(0, ...measurements.map(({ name }) => name.length))
  for (const { name, value, unit, limit, note } of measurements) {
    const against = limit === undefined ? '' : value > limit ? `  OVER the limit of ${limit}` : `  (limit ${limit})`
    progress(
      `${name.padEnd(width)}  ` +
        `${String(value).padStart(10)} ${unit}${against}${note === undefined ? '' : `  - ${note}`}`,
    )
  }
  process.stdout.write(`${JSON.stringify(measurements, undefined, 2)}\n`)
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** The average growth from one value to the next: the slope of the best-fitting line. */
export function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const average = mean(values)
  let [above, below] = [0, 0]
  for (const [index, value] of values.entries()) {
    above += (index - middle) * (value - average)
    below += (index - middle) ** 2
  }
  return below === 0 ? 0 : above / below
}

export function round(value: number, digits = 2): number {
  return Number(value.toFixed(digits))
}
