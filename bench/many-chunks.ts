import { median, progress, round, runAlone, type Measurement } from './support/measurement.ts'
import { printRun } from './support/print-run.ts'
import { WIRE_FORMATS, type WireFormat } from './support/response-lines.ts'

const RUNS = 5
const CHUNKS = 20_000
const TEXT = 'ten bytes '.repeat(CHUNKS)
const NAMES: Readonly<Record<WireFormat, string>> = {
  chat: 'Chat Completions',
  responses: 'Responses',
  anthropic: 'Anthropic Messages',
  google: 'Gemini',
}

interface Times {
  cpu: number[]
  empty: number[]
  wall: number[]
}

/**
 * An answer of 200 KB in 20,000 chunks on each wire, alternately: processor time of the whole run, and minus that of an
 * empty answer.
 */
export default async function manyChunks(): Promise<Measurement[]> {
  const times = new Map(WIRE_FORMATS.map((wire): [WireFormat, Times] => [wire, { cpu: [], empty: [], wall: [] }]))
  for (let run = 0; run < RUNS; run++) {
    for (const [wire, { cpu, empty, wall }] of times) {
      const { cpuSeconds, answer, startedAt, endedAt } = await printRun({
        answers: () => ({ text: TEXT, chunks: CHUNKS }),
        wire,
      })
      if (answer.trim() !== TEXT.trim())
        throw new Error(`${NAMES[wire]}: the answer has ${answer.length} characters instead of ${TEXT.length}`)
      cpu.push(cpuSeconds)
      wall.push(endedAt - startedAt)
      empty.push((await printRun({ answers: () => undefined, wire })).cpuSeconds)
      progress(
        `  run ${run + 1}, ${NAMES[wire]}: ${round(cpuSeconds)} s of processor time, ` +
          `${round(empty.at(-1)!)} s with an empty answer`,
      )
    }
  }
  return [...times].flatMap(([wire, { cpu, empty, wall }]): Measurement[] => [
    {
      name: `20,000 chunks, ${NAMES[wire]}, processor time`,
      value: round(median(cpu)),
      unit: 's',
      limit: 0.8,
      note: `whole run, median of ${RUNS}`,
    },
    {
      name: `20,000 chunks, ${NAMES[wire]}, without start and end`,
      value: round(median(cpu) - median(empty)),
      unit: 's',
    },
    {
      name: `20,000 chunks, ${NAMES[wire]}, elapsed`,
      value: round(median(wall), 0),
      unit: 'ms',
      note: 'start of the process to its end',
    },
  ])
}

await runAlone(import.meta.main, manyChunks)
