import { mean, median, progress, round, runAlone, slope, type Measurement } from './support/measurement.ts'
import { printRun, stepTimes } from './support/print-run.ts'
import { cycle, KINDS } from './support/script.ts'

/**
 * From the last byte of an answer to the next request: read, `true` and grep in rotation, over 50 and over 300 steps.
 */
export default async function stepOverhead(): Promise<Measurement[]> {
  const results: Measurement[] = []
  const processorTime: number[] = []
  for (const steps of [50, 300]) {
    const { arrivals, cpuSeconds } = await printRun({ answers: cycle(steps) })
    processorTime.push(cpuSeconds)
    const times = stepTimes(arrivals)
    if (times.length !== steps) throw new Error(`${times.length} steps instead of ${steps}`)
    const kinds = KINDS.map(
      (kind, index) => `${kind} ${round(median(times.filter((_, step) => step % 3 === index)))}`,
    ).join(', ')
    progress(`  ${steps} steps: median ms of ${kinds}; first ${round(times[0]!)}; slowest ${round(Math.max(...times))}`)
    results.push(
      {
        name: `step overhead, ${steps} steps, mean`,
        value: round(mean(times)),
        unit: 'ms/step',
        limit: 6,
        note: `median by kind: ${kinds}`,
      },
      { name: `step overhead, ${steps} steps, median`, value: round(median(times)), unit: 'ms/step', limit: 6 },
    )
    // Skip the first steps: they load modules and would skew the slope.
    const settled = times.slice(9)
    results.push({
      name: `step overhead, ${steps} steps, growth`,
      value: round(slope(settled) * 100),
      unit: 'ms per 100 steps',
      note:
        'slope of the best line from step 10 on; ' +
        `the last request has ${Math.round(arrivals.at(-1)!.bytes / 1000)} kB`,
    })
  }
  const [few = 0, many = 0] = processorTime
  results.push({
    name: 'step overhead, processor time',
    value: round(((many - few) * 1000) / 250),
    unit: 'ms/step',
    note: 'process tree, of the 250 steps by which the two runs differ: says something on a busy machine too',
  })
  return results
}

await runAlone(import.meta.main, stepOverhead)
