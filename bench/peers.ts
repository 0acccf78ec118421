import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mean, median, progress, round, runAlone, type Measurement } from './support/measurement.ts'
import type { Answer } from './support/model-server.ts'
import { cycleOf, installedPeers, TRESTLE, type Program } from './support/peers.ts'
import { stepTimes } from './support/print-run.ts'
import type { WireFormat } from './support/response-lines.ts'
import { runProgram, type ProgramRun } from './support/program-run.ts'
import { nodeStart, terminalCopy } from './support/references.ts'
import { makeScratch, sourceFile, SOURCE_FILES } from './support/scratch.ts'

const READS = 20
const CHUNKS = 20_000
const TEXT = 'ten bytes '.repeat(CHUNKS)
const LARGE_BYTES = 50_000_000

/** The figures of one run of a scenario, by their names. */
type Figures = Record<string, { value: number; unit: Measurement['unit'] }>

interface Scenario {
  name: string
  answers: (program: Program) => (n: number) => Answer | undefined
  /** Samples memory, which costs time: such runs do not measure times. */
  sample?: boolean
  /** Only for programs that support this format. Default: all programs, each with its main format. */
  wire?: WireFormat
  figures: (run: ProgramRun, program: Program) => Figures
}

/**
 * Trestle and the peers installed in the folder that TRESTLE_BENCH_PEERS names, alternately, each with a home that was
 * used once before. TRESTLE_BENCH_ROUNDS: number of rounds (default 10). TRESTLE_BENCH_SCENARIOS: names of the
 * scenarios to run, separated by commas (default all). TRESTLE_BENCH_JSON: a file for medians and ranges.
 */
export default async function peers(): Promise<Measurement[]> {
  const folder = process.env['TRESTLE_BENCH_PEERS']
  if (folder === undefined) {
    progress('  skipped: TRESTLE_BENCH_PEERS names no folder with peers (bench/README.md)')
    return []
  }
  const programs = [TRESTLE, ...installedPeers(folder)]
  if (programs.length === 1) throw new Error(`No peer is installed in ${folder}: bench/README.md says how`)
  const rounds = Number(process.env['TRESTLE_BENCH_ROUNDS'] ?? 10)
  const homes = new Map(programs.map((program) => [program, makeScratch()]))
  const values = new Map<string, Map<string, { all: number[]; unit: Measurement['unit'] }>>()
  const note = (figure: string, program: string, value: number, unit: Measurement['unit']): void => {
    const ofFigure = values.get(figure) ?? new Map<string, { all: number[]; unit: Measurement['unit'] }>()
    values.set(figure, ofFigure)
    const known = ofFigure.get(program) ?? { all: [], unit }
    ofFigure.set(program, known)
    known.all.push(value)
  }
  try {
    for (const { project } of homes.values()) {
      const line = `${'0123456789'.repeat(10).slice(0, 99)}\n`
      writeFileSync(join(project, 'large.log'), line.repeat(LARGE_BYTES / line.length))
    }
    const scenarios = chosenScenarios()
    for (let round = -1; round < rounds; round++) {
      // Round -1 fills caches and homes; it is not counted.
      const turn = programs.map((_, index) => programs[(index + round + 1) % programs.length]!)
      for (const scenario of round < 0 ? scenarios.slice(0, 1) : scenarios) {
        for (const program of turn) {
          const wire = scenario.wire ?? program.wires[0]!
          if (!program.wires.includes(wire)) continue
          const run = await runProgram({
            answers: scenario.answers(program),
            sample: scenario.sample ?? false,
            start: (baseUrl) => program.start(homes.get(program)!, baseUrl, wire),
          })
          if (round < 0) continue
          for (const [figure, { value, unit }] of Object.entries(scenario.figures(run, program)))
            note(figure, program.name, value, unit)
        }
      }
      if (round < 0) continue
      const scratch = homes.get(TRESTLE)!
      if (values.has('start to first request')) note('start to first request', 'machine', await nodeStart(), 'ms')
      if (values.has('50 MB of output'))
        note('50 MB of output', 'machine', await terminalCopy(join(scratch.project, 'large.log'), scratch), 'ms')
      progress(`  round ${round + 1} of ${rounds}`)
    }
  } finally {
    for (const scratch of homes.values()) scratch.remove()
  }
  table(values, [...programs.map(({ name }) => name), 'machine'])
  const results = [...values].flatMap(([figure, byProgram]) =>
    [...byProgram].map(([program, { all, unit }]) => ({
      name: `${figure}, ${program}`,
      value: rounded(median(all)),
      unit,
      note: `${rounded(Math.min(...all))} to ${rounded(Math.max(...all))} in ${all.length} runs`,
    })),
  )
  const file = process.env['TRESTLE_BENCH_JSON']
  if (file !== undefined) writeFileSync(file, `${JSON.stringify(results, undefined, 2)}\n`)
  return results
}

function chosenScenarios(): Scenario[] {
  const all = scenariosOf()
  const names = process.env['TRESTLE_BENCH_SCENARIOS']?.split(',').map((name) => name.trim())
  const unknown = names?.find((name) => all.every((scenario) => scenario.name !== name))
  if (unknown !== undefined)
    throw new Error(
      `No scenario is called ${JSON.stringify(unknown)}; choose from ${all.map(({ name }) => name).join(', ')}`,
    )
  return names ? all.filter(({ name }) => names.includes(name)) : all
}

function scenariosOf(): Scenario[] {
  const startSeconds = new Map<Program, number>()
  return [
    {
      name: 'start',
      answers: () => () => undefined,
      figures: ({ startedAt, arrivals, cpuSeconds }, program) => {
        startSeconds.set(program, cpuSeconds)
        return {
          'start to first request': { value: arrivals[0]!.at - startedAt, unit: 'ms' },
          'processor time of an empty answer': { value: cpuSeconds * 1000, unit: 'ms' },
        }
      },
    },
    {
      name: '300 steps',
      answers: (program) => cycleOf(program, 300),
      figures: ({ arrivals, cpuSeconds }) => {
        const times = stepTimes(arrivals)
        return {
          'step, median': { value: median(times), unit: 'ms' },
          'step, read': { value: kind(times, 0), unit: 'ms' },
          'step, `true`': { value: kind(times, 1), unit: 'ms' },
          'step, grep': { value: kind(times, 2), unit: 'ms' },
          'step, first 50': { value: mean(times.slice(3, 50)), unit: 'ms' },
          'step, last 50': { value: mean(times.slice(-50)), unit: 'ms' },
          'step, processor time': { value: (cpuSeconds * 1000) / 300, unit: 'ms' },
        }
      },
    },
    {
      name: 'reads',
      answers: (program) => (n) =>
        n < 2
          ? {
              calls: Array.from({ length: READS }, (_, index) =>
                program.call({ read: sourceFile((n * READS + index) % SOURCE_FILES) }),
              ),
            }
          : undefined,
      figures: ({ arrivals }) => ({
        '20 parallel reads, first step': { value: stepTimes(arrivals)[0]!, unit: 'ms' },
        '20 parallel reads, again': { value: stepTimes(arrivals)[1]!, unit: 'ms' },
      }),
    },
    {
      name: 'output',
      answers: (program) => (n) => (n === 0 ? { calls: [program.call({ run: 'cat large.log' })] } : undefined),
      figures: ({ arrivals }) => ({ '50 MB of output': { value: stepTimes(arrivals)[0]!, unit: 'ms' } }),
    },
    {
      name: 'output memory',
      answers: (program) => (n) => (n === 0 ? { calls: [program.call({ run: 'cat large.log' })] } : undefined),
      sample: true,
      figures: ({ peak }) => ({ '50 MB of output, memory (PSS)': { value: peak!.pssMb, unit: 'MB' } }),
    },
    {
      name: 'chunks',
      answers: () => () => ({ text: TEXT, chunks: CHUNKS }),
      figures: ({ cpuSeconds }, program) => ({
        '20,000 chunks, processor time': { value: cpuSeconds * 1000, unit: 'ms' },
        '20,000 chunks, without start and end': {
          value: (cpuSeconds - (startSeconds.get(program) ?? 0)) * 1000,
          unit: 'ms',
        },
      }),
    },
    {
      name: 'chunks on Responses',
      answers: () => () => ({ text: TEXT, chunks: CHUNKS }),
      wire: 'responses',
      figures: ({ cpuSeconds }) => ({
        '20,000 chunks on Responses, processor time': { value: cpuSeconds * 1000, unit: 'ms' },
      }),
    },
    ...[50, 300].map((steps) => ({
      name: `memory of ${steps} steps`,
      answers: (program: Program) => cycleOf(program, steps),
      sample: true,
      figures: ({ peak }: ProgramRun): Figures => ({
        [`memory after ${steps} steps (PSS)`]: { value: peak!.pssMb, unit: 'MB' },
      }),
    })),
  ]
}

/** The median of the steps of one kind, without the first one. */
function kind(times: readonly number[], index: number): number {
  return median(times.filter((_, step) => step >= 3 && step % 3 === index))
}

/** For people, on stderr. */
function table(
  values: ReadonlyMap<string, ReadonlyMap<string, { all: number[]; unit: string }>>,
  columns: readonly string[],
): void {
  const width = Math.max(...[...values.keys()].map((name) => name.length)) + 4
  progress(['median'.padEnd(width), ...columns.map((name) => name.padStart(10))].join(' '))
  for (const [figure, byProgram] of values) {
    const unit = [...byProgram.values()][0]!.unit
    const cells = columns.map((name) => {
      const known = byProgram.get(name)
      return (known ? String(rounded(median(known.all))) : '').padStart(10)
    })
    progress([`${figure}, ${unit}`.padEnd(width), ...cells].join(' '))
  }
}

function rounded(value: number): number {
  return round(value, value < 100 ? 1 : 0)
}

await runAlone(import.meta.main, peers)
