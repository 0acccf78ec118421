import { median, progress, round, runAlone, type Measurement } from './support/measurement.ts'
import type { Answer } from './support/model-server.ts'
import { cycleOf, installedPeers, TRESTLE, type Program } from './support/peers.ts'
import { stepTimes } from './support/print-run.ts'
import { runProgram, type ProgramRun } from './support/program-run.ts'
import { makeScratch } from './support/scratch.ts'

const FEW = 50
const MANY = 3000
/** Number of steps at the start and at the end that are compared; the first steps load modules. */
const COMPARED = 100
const SAMPLE_MS = 250
const GIGABYTE = 1_000_000_000

/**
 * 3,000 steps of Read, `true` and Grep in rotation, and a command that prints 1 GB: how memory and step time grow. Also
 * for Codex, if it is installed in the folder that TRESTLE_BENCH_PEERS names.
 */
export default async function longRuns(): Promise<Measurement[]> {
  const folder = process.env['TRESTLE_BENCH_PEERS']
  const codex = folder === undefined ? [] : installedPeers(folder).filter(({ name }) => name === 'Codex')
  const results: Measurement[] = []
  for (const program of [TRESTLE, ...codex]) {
    results.push(...(await steps(program)), ...(await output(program)))
    progress(`  ${program.name} measured`)
  }
  return results
}

async function steps(program: Program): Promise<Measurement[]> {
  const few = await run(program, cycleOf(program, FEW))
  const { peak, arrivals, cpuSeconds } = await run(program, cycleOf(program, MANY))
  const times = stepTimes(arrivals)
  if (times.length !== MANY) throw new Error(`${program.name}: ${times.length} steps instead of ${MANY}`)
  const first = median(times.slice(FEW, FEW + COMPARED))
  const last = median(times.slice(-COMPARED))
  const { name } = program
  return [
    { name: `memory after ${FEW} steps (PSS), ${name}`, value: round(few.peak!.pssMb, 1), unit: 'MB' },
    {
      name: `memory after ${MANY} steps (PSS), ${name}`,
      value: round(peak!.pssMb, 1),
      unit: 'MB',
      note:
        `${round(peak!.pssMb - few.peak!.pssMb, 1)} more; ` +
        `the last request has ${Math.round(arrivals.at(-1)!.bytes / 1000)} kB`,
    },
    { name: `step, ${FEW} to ${FEW + COMPARED}, ${name}`, value: round(first, 1), unit: 'ms/step' },
    { name: `step, the last ${COMPARED} of ${MANY}, ${name}`, value: round(last, 1), unit: 'ms/step' },
    { name: `step of ${MANY}, processor time, ${name}`, value: round((cpuSeconds * 1000) / MANY, 1), unit: 'ms/step' },
  ]
}

async function output(program: Program): Promise<Measurement[]> {
  const sizes = [GIGABYTE / 20, GIGABYTE]
  const runs: ProgramRun[] = []
  for (const size of sizes) {
    const command = `yes ${'0123456789'.repeat(9)} | head -c ${size}`
    runs.push(await run(program, (n) => (n === 0 ? { calls: [program.call({ run: command })] } : undefined)))
  }
  return runs.flatMap(({ arrivals, peak }, index): Measurement[] => {
    const what = `${sizes[index]! / 1_000_000} MB of output`
    return [
      { name: `${what}, ${program.name}`, value: round(stepTimes(arrivals)[0]!, 0), unit: 'ms' },
      { name: `${what}, memory (PSS), ${program.name}`, value: round(peak!.pssMb, 1), unit: 'MB' },
    ]
  })
}

async function run(program: Program, answers: (n: number) => Answer | undefined): Promise<ProgramRun> {
  const scratch = makeScratch()
  try {
    return await runProgram({
      answers,
      sample: SAMPLE_MS,
      start: (baseUrl) => program.start(scratch, baseUrl, program.wires[0]!),
    })
  } finally {
    scratch.remove()
  }
}

await runAlone(import.meta.main, longRuns)
