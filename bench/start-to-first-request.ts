import { median, progress, round, runAlone, type Measurement } from './support/measurement.ts'
import { printRun } from './support/print-run.ts'
import { makeScratch } from './support/scratch.ts'

const RUNS = 10

/**
 * From process start until the first request is complete at the model server: with a new home each time, and with a
 * used one.
 */
export default async function startToFirstRequest(): Promise<Measurement[]> {
  const used = makeScratch()
  try {
    const time = async (scratch?: typeof used): Promise<number> => {
      const { startedAt, arrivals } = await printRun({ answers: () => undefined, ...(scratch && { scratch }) })
      return arrivals[0]!.at - startedAt
    }
    await time(used)
    const [fresh, warm]: [number[], number[]] = [[], []]
    for (let run = 0; run < RUNS; run++) {
      fresh.push(await time())
      warm.push(await time(used))
    }
    progress(`  new homes: ${fresh.map(Math.round).join(' ')} ms, used home: ${warm.map(Math.round).join(' ')} ms`)
    return [
      {
        name: 'start to first request, used home',
        value: round(median(warm), 0),
        unit: 'ms',
        limit: 250,
        note: `median of ${RUNS}`,
      },
      {
        name: 'start to first request, new home',
        value: round(median(fresh), 0),
        unit: 'ms',
        limit: 250,
        note: `median of ${RUNS}; makes the database too`,
      },
    ]
  } finally {
    used.remove()
  }
}

await runAlone(import.meta.main, startToFirstRequest)
