import '../test/support/ts-hooks.mjs'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { callContext } from '../test/support/call-context.ts'
import { median, progress, round, runAlone, type Measurement } from './support/measurement.ts'
import type { Answer } from './support/model-server.ts'
import { printRun, stepTimes } from './support/print-run.ts'
import { nodeStart, processStart, ripgrep, terminalCopy } from './support/references.ts'
import { makeScratch, put, type Scratch } from './support/scratch.ts'
import { cycle } from './support/script.ts'

const RUNS = 7
const STEPS = 60
const LARGE_BYTES = 50_000_000
const SEARCHED_FILES = 20_000

/**
 * Trestle's time as a multiple of the machine's own minimum for the same work, both measured alternately. A change that
 * exceeds a limit here has made the product slower, whatever the machine: `npm run bench -- --guard` then exits with 1.
 */
export default async function guard(): Promise<Measurement[]> {
  const scratch = makeScratch()
  try {
    const line = `${'0123456789'.repeat(10).slice(0, 99)}\n`
    writeFileSync(join(scratch.project, 'large.log'), line.repeat(LARGE_BYTES / line.length))
    return [
      ratio('start to first request / start of Node', 9, await inTurns(() => startTime(scratch), nodeStart)),
      ratio('step of `true` / start of a process', 9, await inTurns(() => stepOfTrue(scratch), manyProcesses)),
      ratio(
        '50 MB of output / copy through a terminal',
        1.5,
        await inTurns(
          () => outputTime(scratch),
          () => terminalCopy(join(scratch.project, 'large.log'), scratch),
        ),
      ),
      await searching(scratch),
    ]
  } finally {
    scratch.remove()
  }
}

async function startTime(scratch: Scratch): Promise<number> {
  const { startedAt, arrivals } = await printRun({ answers: () => undefined, scratch })
  return arrivals[0]!.at - startedAt
}

/** Median over the steps that run `true`. */
async function stepOfTrue(scratch: Scratch): Promise<number> {
  const { arrivals } = await printRun({ answers: cycle(STEPS), scratch })
  return median(stepTimes(arrivals).filter((_, step) => step > 3 && step % 3 === 1))
}

async function manyProcesses(): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < STEPS / 3; run++) times.push(await processStart())
  return median(times)
}

async function outputTime(scratch: Scratch): Promise<number> {
  return stepTimes((await printRun({ answers: printingMuch, scratch })).arrivals)[0]!
}

function printingMuch(n: number): Answer | undefined {
  return n === 0 ? { calls: [{ name: 'Bash', input: { command: 'cat large.log' } }] } : undefined
}

async function searching(scratch: Scratch): Promise<Measurement> {
  const { grepTool } = await import('../src/main/engine/tool/files/grep.ts')
  const { createWorkspace } = await import('../src/main/engine/workspace/workspace.ts')
  const { ripgrepPath } = await import('../src/main/engine/workspace/ripgrep/run-ripgrep.ts')
  const program = await ripgrepPath()
  const root = join(scratch.folder, 'searched')
  for (let index = 0; index < SEARCHED_FILES; index++) {
    const text = `line of text number ${index}\n`.repeat(40) + (index % 100 === 0 ? 'needle\n' : '')
    put(join(root, `d${index % 50}`, `e${index % 1000}`, `f${index}.ts`), text)
  }
  const tool = grepTool({ workspace: createWorkspace({ root }) })
  const search = async (): Promise<number> => {
    const startedAt = performance.now()
    const call = await tool.prepare({ pattern: 'needle', output_mode: 'content' })
    if ('refused' in call) throw new Error('Grep refused the call')
    const { content } = await call.run(callContext())
    if (!JSON.stringify(content).includes('needle')) throw new Error('Grep found nothing')
    return performance.now() - startedAt
  }
  return ratio('Grep in 20,000 files / ripgrep', 1.4, await inTurns(search, () => ripgrep(program, root)))
}

/** Runs both alternately, after one uncounted run of each. */
async function inTurns(
  measured: () => Promise<number>,
  reference: () => Promise<number>,
): Promise<{ measured: number[]; reference: number[] }> {
  const times: { measured: number[]; reference: number[] } = { measured: [], reference: [] }
  await measured()
  await reference()
  for (let run = 0; run < RUNS; run++) {
    times.measured.push(await measured())
    times.reference.push(await reference())
  }
  return times
}

function ratio(
  name: string,
  limit: number,
  { measured, reference }: { measured: readonly number[]; reference: readonly number[] },
): Measurement {
  const [ours, theirs] = [median(measured), median(reference)]
  progress(`  ${name}: ${round(ours, 1)} ms and ${round(theirs, 1)} ms`)
  return {
    name,
    value: round(ours / theirs),
    unit: 'x',
    limit,
    note: `${round(ours, 1)} ms and ${round(theirs, 1)} ms, medians of ${RUNS} in turns`,
  }
}

await runAlone(import.meta.main, guard)
