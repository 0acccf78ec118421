import { median, progress, round, runAlone, type Measurement } from './support/measurement.ts'
import { printRun, stepTimes } from './support/print-run.ts'
import { sourceFile } from './support/scratch.ts'

const RUNS = 7
const READS = 20

/**
 * The time from an answer with 20 Read calls to the next request, for the first such step of a process and a second
 * one.
 */
export default async function parallelReads(): Promise<Measurement[]> {
  const [first, second]: [number[], number[]] = [[], []]
  for (let run = 0; run < RUNS; run++) {
    const reads = (from: number) => ({
      calls: Array.from({ length: READS }, (_, index) => ({ name: 'Read', input: { path: sourceFile(from + index) } })),
    })
    const { arrivals } = await printRun({ answers: (n) => (n < 2 ? reads(n * READS) : undefined) })
    const times = stepTimes(arrivals)
    first.push(times[0]!)
    second.push(times[1]!)
  }
  progress(
    `  first: ${first.map((time) => round(time, 1)).join(' ')}; ` +
      `second: ${second.map((time) => round(time, 1)).join(' ')} ms`,
  )
  return [
    {
      name: '20 parallel reads',
      value: round(median(first), 1),
      unit: 'ms',
      limit: 20,
      note: `first step of the process, median of ${RUNS}`,
    },
    {
      name: '20 parallel reads, again',
      value: round(median(second), 1),
      unit: 'ms',
      limit: 20,
      note: 'second step, 20 other files',
    },
  ]
}

await runAlone(import.meta.main, parallelReads)
