import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ScriptStep } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { jsonLines } from '../support/small-disk'

/** Sets the clock of every Node process back by a minute each time it is read. */
const SET_BACK = `const now = Date.now.bind(Date)
let back = 0
Date.now = () => now() - (back += 60_000)
`

const STEPS: ScriptStep[] = [
  { toolCalls: [{ name: 'Bash', input: { command: 'echo at once' } }] },
  { toolCalls: [{ name: 'Bash', input: { command: 'sleep 60', timeout: 300 } }] },
  { text: 'silent from here on', faults: { stallAfterBytes: 150 } },
  { text: 'done' },
]

let scratch: Scratch
let server: ModelServer

beforeEach(async () => {
  scratch = createScratch()
  const steps = [...STEPS]
  server = await startModelServer({ script: () => steps.shift() })
  writeFileSync(join(scratch.home, 'set-back.cjs'), SET_BACK)
  const hook = '[[hooks]]\nevent = "PostToolUse"\nmatcher = "^Bash$"\ncommand = "true"\n'
  writeConfig(scratch.home, `${configFor(server.baseUrl, { loop: 'idle_timeout_s = 4' })}\n${hook}`)
})
afterEach(async () => {
  await server.close()
  scratch.remove()
})

it('time limits pass, and no duration is negative, while the clock is set back again and again', async () => {
  const run = await runCli(
    ['print', '--permission-mode', 'auto', '--output-format', 'stream-json', '--cwd', scratch.project, 'go'],
    { home: scratch.home, env: { NODE_OPTIONS: `--require ${join(scratch.home, 'set-back.cjs')}` } },
  )
  expect(run).toMatchObject({ code: 0 })
  const events = jsonLines<Record<string, unknown>>(run.stdout)
  expect(events.at(-1)).toMatchObject({ type: 'result', answer: 'done' })
  const results = events.filter(({ type }) => type === 'tool.finished')
  expect(JSON.stringify(results[1])).toContain('had not ended after 0.3 s')
  expect(events.filter(({ type }) => type === 'step.retried')).toMatchObject([{ failure: { code: 'model.timeout' } }])
  const durations = run.stdout.match(/"durationMs":-?\d+/g)?.map((found) => Number(found.split(':')[1])) ?? []
  expect(durations.length).toBeGreaterThan(6)
  for (const duration of durations) expect(duration).toBeGreaterThanOrEqual(0)
  expect(Math.max(...durations)).toBeLessThan(60_000)
})
