import { acpRun } from './support/acp-run.ts'
import { mean, median, progress, round, runAlone, type Measurement } from './support/measurement.ts'
import { printRun, stepTimes } from './support/print-run.ts'
import { cycle } from './support/script.ts'

const STEPS = 60
const RUNS = 3
/** Warm-up: the first steps load modules that later ones reuse. */
const SETTLED = 9

/**
 * Overhead of a step over ACP compared with print mode: the same script alternately, from the last byte of an answer to
 * the next request.
 */
export default async function acpStepOverhead(): Promise<Measurement[]> {
  const [print, acp]: number[][] = [[], []]
  let updates = 0
  for (let run = 0; run < RUNS; run++) {
    print!.push(...stepTimes((await printRun({ answers: cycle(STEPS) })).arrivals).slice(SETTLED))
    const measured = await acpRun({ answers: cycle(STEPS) })
    acp!.push(...stepTimes(measured.arrivals).slice(SETTLED))
    updates = measured.updates
    progress(`  run ${run + 1}: median ${round(median(print!))} ms in print mode, ${round(median(acp!))} ms over ACP`)
  }
  return [
    {
      name: 'step over ACP beyond print mode, median',
      value: round(median(acp!) - median(print!)),
      unit: 'ms/step',
      limit: 2,
    },
    {
      name: 'step over ACP beyond print mode, mean',
      value: round(mean(acp!) - mean(print!)),
      unit: 'ms/step',
      note: `${round(mean(print!))} and ${round(mean(acp!))} ms; ${updates} updates of ${STEPS} steps`,
    },
  ]
}

await runAlone(import.meta.main, acpStepOverhead)
