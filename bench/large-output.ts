import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { median, progress, round, runAlone, type Measurement } from './support/measurement.ts'
import { printRun, stepTimes } from './support/print-run.ts'
import { makeScratch } from './support/scratch.ts'

const RUNS = 3
const MEGABYTES = 50

/**
 * A command that prints 50 MB (lines of 100 bytes): time from the answer with the call to the next request, and peak
 * memory of the process tree.
 */
export default async function largeOutput(): Promise<Measurement[]> {
  const scratch = makeScratch()
  try {
    const line = `${'0123456789'.repeat(10).slice(0, 99)}\n`
    writeFileSync(join(scratch.project, 'large.log'), line.repeat((MEGABYTES * 1_000_000) / line.length))
    const command = `cat ${join(scratch.project, 'large.log')}`
    const answers = (n: number) => (n === 0 ? { calls: [{ name: 'Bash', input: { command } }] } : undefined)
    const [times, rss, pss]: number[][] = [[], [], []]
    for (let run = 0; run < RUNS; run++) {
      times!.push(stepTimes((await printRun({ answers, scratch })).arrivals)[0]!)
      const { peak } = await printRun({ answers, scratch, sample: true })
      rss!.push(peak!.rssMb)
      pss!.push(peak!.pssMb)
      progress(
        `  run ${run + 1}: ${round(times!.at(-1)!, 0)} ms, ` +
          `${round(peak!.rssMb, 0)} MB resident, ${round(peak!.pssMb, 0)} MB proportional`,
      )
    }
    return [
      {
        name: '50 MB of command output, time',
        value: round(median(times!), 0),
        unit: 'ms',
        limit: 800,
        note: `median of ${RUNS}`,
      },
      { name: '50 MB of command output, peak memory (PSS)', value: round(median(pss!), 0), unit: 'MB', limit: 170 },
      { name: '50 MB of command output, peak memory (RSS)', value: round(median(rss!), 0), unit: 'MB', limit: 170 },
    ]
  } finally {
    scratch.remove()
  }
}

await runAlone(import.meta.main, largeOutput)
