import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RecordedEvent } from '../../src/shared/events/event'
import type { ScriptedCall, ScriptStep } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli, type CliRun } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { jsonLines } from '../support/small-disk'
import { RUNS_ALL } from '../support/sampled'

/** `TRESTLE_DESCRIPTORS=48,64` for others. */
const LIMITS = (process.env['TRESTLE_DESCRIPTORS'] ?? (RUNS_ALL ? '48,64,96,128,200,256' : '48,128'))
  .split(',')
  .map(Number)

let scratch: Scratch
let server: ModelServer
let steps: ScriptStep[]

beforeEach(async () => {
  scratch = createScratch(
    Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`file-${n}.txt`, `line of file ${n}\n`])),
  )
  server = await startModelServer({ script: () => steps.shift() })
  writeConfig(scratch.home, configFor(server.baseUrl))
})
afterEach(async () => {
  await runCli(['task', 'stop', '--all'], { home: scratch.home })
  await server.close()
  scratch.remove()
})

const times = (count: number, call: (n: number) => ScriptedCall): ScriptedCall[] =>
  Array.from({ length: count }, (_, n) => call(n))
const bash = (n: number): ScriptedCall => ({ name: 'Bash', input: { command: `echo command ${n}` } })
const read = (n: number): ScriptedCall => ({ name: 'Read', input: { path: `file-${n % 50}.txt` } })
const search = (n: number): ScriptedCall => ({ name: 'Grep', input: { pattern: `file ${n}$` } })
const background = (n: number): ScriptedCall => ({
  name: 'Bash',
  input: { command: `echo task ${n}; sleep 2`, run_in_background: true, description: `task ${n}` },
})

/** Both streams are pipes, as in a program started by another program. */
function limited(limit: number): Promise<CliRun> {
  return runCli(
    ['print', '--permission-mode', 'auto', '--output-format', 'stream-json', '--cwd', scratch.project, 'go'],
    {
      home: scratch.home,
      within: (command) => ['sh', '-c', `ulimit -n ${limit}; exec "$@"`, 'sh', ...command],
    },
  )
}

interface Outcome {
  run: CliRun
  results: { name: string; isError: boolean; text: string }[]
  answer: string
}

async function outcomeOf(limit: number, calls: ScriptedCall[]): Promise<Outcome> {
  steps = [{ toolCalls: calls }, { text: 'all done' }, { text: 'tasks reported' }]
  const run = await limited(limit)
  const lines = jsonLines<RecordedEvent | { type: 'result'; answer: string }>(run.stdout)
  const started = lines.filter((line) => line.type === 'tool.started')
  const results = lines.flatMap((line) =>
    line.type === 'tool.finished'
      ? [
          {
            name: started.find(({ callId }) => callId === line.callId)?.name ?? '',
            isError: line.isError,
            text: line.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n'),
          },
        ]
      : [],
  )
  return { run, results, answer: lines.find((line) => line.type === 'result')?.answer ?? '' }
}

/** Every failed result has advice. */
function withoutAdvice(results: Outcome['results']): Outcome['results'] {
  return results.filter(
    ({ isError, text }) =>
      isError && !/Too many files are open.*(fewer calls at once|stop background tasks)/.test(text),
  )
}

describe.skipIf(process.platform === 'win32').each(LIMITS)('with %i descriptors', (limit) => {
  it(
    'runs 50 commands, 50 reads and 10 searches in one step, or says for each what to do',
    { timeout: 180_000 },
    async () => {
      const { run, results, answer } = await outcomeOf(limit, [
        ...times(50, bash),
        ...times(50, read),
        ...times(10, search),
      ])
      expect(run.signal).toBeNull()
      // 3: this machine was too slow to try its sandbox in time, and a command without one was denied.
      expect([0, 3]).toContain(run.code)
      expect(results).toHaveLength(110)
      const isJudged = run.code === 0
      expect(isJudged ? withoutAdvice(results) : []).toEqual([])
      // With hardly enough descriptors for the program itself, commands may fail, but reads must not.
      expect(results.filter(({ name, isError }) => isError && (name !== 'Bash' || (isJudged && limit >= 96)))).toEqual(
        [],
      )
      expect(answer).toBe('all done')
    },
  )

  it('starts 100 background tasks, or says for each what to do', { timeout: 180_000 }, async () => {
    const { run, results, answer } = await outcomeOf(limit, times(100, background))
    expect(run.signal).toBeNull()
    expect([0, 3]).toContain(run.code)
    expect(results).toHaveLength(100)
    expect(run.code === 0 ? withoutAdvice(results) : []).toEqual([])
    // Tasks that end while the model answers are reported to it in one more step.
    expect(['all done', 'tasks reported']).toContain(answer)
  })
})
