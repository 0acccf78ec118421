import { median, progress, round, runAlone, type Measurement } from './support/measurement.ts'
import { printRun } from './support/print-run.ts'
import { cycle } from './support/script.ts'

const RUNS = 3
const STEPS = 50

/**
 * Processor time and peak memory of the whole process tree for 50 steps of read, `true` and grep, including startup and
 * exit.
 */
export default async function fiftyStepsResources(): Promise<Measurement[]> {
  const [cpu, rss, pss, own]: number[][] = [[], [], [], []]
  for (let run = 0; run < RUNS; run++) {
    cpu!.push((await printRun({ answers: cycle(STEPS) })).cpuSeconds)
    const { peak } = await printRun({ answers: cycle(STEPS), sample: true })
    if (!peak) continue
    rss!.push(peak.rssMb)
    pss!.push(peak.pssMb)
    own!.push(peak.ownMb)
    progress(
      `  run ${run + 1}: ${round(peak.rssMb, 0)} MB resident, ` +
        `${round(peak.pssMb, 0)} MB proportional, ${peak.samples} samples`,
    )
  }
  return [
    {
      name: '50 steps, processor time',
      value: round(median(cpu!)),
      unit: 's',
      note: `process tree, median of ${RUNS}`,
    },
    {
      name: '50 steps, peak memory (PSS)',
      value: round(median(pss!), 0),
      unit: 'MB',
      limit: 150,
      note: 'sum over the tree, shared pages once; sampled every 20 ms',
    },
    {
      name: '50 steps, peak memory (RSS)',
      value: round(median(rss!), 0),
      unit: 'MB',
      limit: 150,
      note: 'sum over the tree, shared pages once per process',
    },
    { name: '50 steps, peak memory of the process alone', value: round(median(own!), 0), unit: 'MB', note: 'VmHWM' },
  ]
}

await runAlone(import.meta.main, fiftyStepsResources)
