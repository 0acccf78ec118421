import { median, progress, round, runAlone, type Measurement } from './support/measurement.ts'
import { printRun } from './support/print-run.ts'

const RUNS = 3
const CHUNKS = 20_000
const TEXT = 'ten bytes '.repeat(CHUNKS)

/**
 * An answer of 200 KB in 20,000 chunks: processor time of the whole run, and how much of it an empty answer takes too.
 */
export default async function manyChunks(): Promise<Measurement[]> {
  const [cpu, empty, wall]: number[][] = [[], [], []]
  for (let run = 0; run < RUNS; run++) {
    const { cpuSeconds, answer, startedAt, endedAt } = await printRun({
      answers: () => ({ text: TEXT, chunks: CHUNKS }),
    })
    if (answer.trim() !== TEXT.trim())
      throw new Error(`the answer has ${answer.length} characters instead of ${TEXT.length}`)
    cpu!.push(cpuSeconds)
    wall!.push(endedAt - startedAt)
    empty!.push((await printRun({ answers: () => undefined })).cpuSeconds)
    progress(
      `  run ${run + 1}: ${round(cpu!.at(-1)!)} s of processor time, ${round(empty!.at(-1)!)} s with an empty answer`,
    )
  }
  return [
    {
      name: '20,000 chunks, processor time',
      value: round(median(cpu!)),
      unit: 's',
      limit: 0.8,
      note: `whole run, median of ${RUNS}`,
    },
    { name: '20,000 chunks, without start and end', value: round(median(cpu!) - median(empty!)), unit: 's' },
    {
      name: '20,000 chunks, elapsed',
      value: round(median(wall!), 0),
      unit: 'ms',
      note: 'start of the process to its end',
    },
  ]
}

await runAlone(import.meta.main, manyChunks)
