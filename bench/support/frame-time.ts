import { round, type Measurement } from './measurement.ts'

/** The frame time that this share of the frames stayed within, and the longest. `times`: between frames, in ms. */
export function frameTime(name: string, times: readonly number[], share: number, limit?: number): Measurement {
  const sorted = times.toSorted((a, b) => a - b)
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  const note = `${times.length} frames, the longest ${round(sorted.at(-1) ?? Number.NaN, 1)} ms`
  return {
    name: `${name}: p${share * 100}`,
    value: round(value, 1),
    unit: 'ms',
    ...(limit !== undefined && { limit }),
    note,
  }
}
