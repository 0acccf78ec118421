import { afterEach, expect, it } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import type { InboxEntry } from '../../src/shared/model/approval/approval'
import type { EventBody, RecordedEvent } from '../../src/shared/events/event'
import type { UsageReport } from '../../src/shared/model/turn/usage'
import { acpRun, openSession, say as sayToAcp, type AcpRun } from '../support/acp-run'
import type { Wire } from '../support/acp-client'
import { agentCall, call, familyScript, type Part } from '../support/family-script'
import type { ScriptStep } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { until } from '../support/until'

let scratch: Scratch
let server: ModelServer
let engine: Engine
let run: AcpRun | undefined
const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step()
})

/** The model costs $1 for a million tokens of input and $10 for output. */
const PRICES = 'prices = { input = 1, output = 10, cache_read = 0.1 }\n'
/** Costs 100,000 * $1/M + 10,000 * $10/M = $0.20. */
const USAGE = { input: 100_000, output: 10_000 }

function config(baseUrl: string, budget = '', prices = PRICES): string {
  return `${configFor(baseUrl).replace('context_window = 128000\n', `context_window = 12800000\n${prices}`)}${budget}`
}

async function begin(parts: Record<string, Part>, budget = '', prices = PRICES): Promise<void> {
  scratch = createScratch({ 'notes.md': 'one\n' })
  server = await startModelServer({ script: familyScript(parts) })
  writeConfig(scratch.home, config(server.baseUrl, budget, prices))
  undo.push(
    () => scratch.remove(),
    () => server.close(),
  )
  await open()
}

async function open(interactive = true): Promise<void> {
  engine = await createEngine({ version: 'test', home: scratch.home, interactive, watch: false })
  const opened = engine
  undo.push(() => opened.close('stop'))
}

const session = async (): Promise<string> =>
  (await engine.sessions.create({ folder: scratch.project, mode: 'auto' })).sessionId
const say = (sessionId: string, text: string) => engine.sessions.prompt(sessionId, [{ type: 'text', text }])
const ofType = <Type extends EventBody['type']>(sessionId: string, type: Type) =>
  engine.sessions
    .since(sessionId, 0)
    .filter((event): event is Extract<RecordedEvent, { type: Type }> => event.type === type)
const ended = (sessionId: string, count = 1): Promise<void> =>
  until(() => ofType(sessionId, 'turn.finished').length === count, `${count} turns to end`)
const stops = (sessionId: string) => ofType(sessionId, 'turn.finished').map(({ stop }) => stop)

async function waiting(): Promise<InboxEntry> {
  await until(() => engine.inbox.list().length > 0, 'a request to wait')
  return engine.inbox.list()[0]!
}
const answer = ({ sessionId, approvalId }: InboxEntry, optionId: string) =>
  engine.sessions.reply(sessionId, { approvalId, optionId })

const read = { toolCalls: [call('Read', { path: 'notes.md' })], usage: USAGE }

it('costs are summed by turn, session, day, project, model and subagent tree', async () => {
  await begin({
    work: [
      { toolCalls: [agentCall('scout')], usage: USAGE },
      { text: 'Done.', usage: USAGE },
    ],
    again: [{ text: 'Again.', usage: { input: 50_000, output: 0, cached: 50_000 } }],
    scout: [read, { text: 'Seen.', usage: USAGE }],
  })
  const sessionId = await session()
  await say(sessionId, 'work on it')
  await ended(sessionId)
  const one = engine.usage.session(sessionId, true)
  expect(one.own).toMatchObject({ requests: 2, input: 200_000, output: 20_000, unpriced: 0 })
  expect(one.own.cost).toBeCloseTo(0.4, 9)
  expect(one.total.cost).toBeCloseTo(0.8, 9)
  expect(one.agents).toMatchObject([{ depth: 1, requests: 2 }])
  expect(one.turns).toMatchObject([{ text: 'work on it', requests: 2 }])
  expect(one.turns![0]!.cost).toBeCloseTo(0.4, 9)
  // A subagent's own total does not include its parent's.
  expect(engine.usage.session(one.agents[0]!.sessionId, false).total.cost).toBeCloseTo(0.4, 9)

  for (const [by, key] of [
    ['day', new Date().toLocaleDateString('sv')],
    ['project', scratch.project],
    ['model', 'local/scripted'],
    ['session', sessionId],
  ] as const) {
    const { rows, total } = engine.usage.report(by, 7)
    const row = rows.find((each) => each.key === key)
    expect(row?.cost).toBeCloseTo(0.8, 9)
    expect(total.cost).toBeCloseTo(0.8, 9)
  }
  expect(engine.usage.report('day', 7).days).toHaveLength(7)
})

it('a fork is not charged again, and the cost of a removed session still counts', async () => {
  await begin({ work: [{ text: 'Done.', usage: USAGE }] })
  const sessionId = await session()
  await say(sessionId, 'work on it')
  await ended(sessionId)
  const { sessionId: forkId } = await engine.sessions.fork(sessionId)
  expect(engine.usage.session(forkId, false).total.cost).toBe(0)
  await engine.sessions.remove(sessionId)
  const { rows, total } = engine.usage.report('session', 1)
  expect(total.cost).toBeCloseTo(0.2, 9)
  expect(rows).toMatchObject([{ label: 'Deleted session' }])
})

it('new prices in config.toml do not change recorded costs', async () => {
  await begin({ work: [{ text: 'Done.', usage: USAGE }], more: [{ text: 'Done.', usage: USAGE }] })
  const sessionId = await session()
  await say(sessionId, 'work on it')
  await ended(sessionId)
  await undo.pop()!()
  writeConfig(scratch.home, config(server.baseUrl, '', PRICES.replace('output = 10', 'output = 1000')))
  await open()
  expect(engine.usage.session(sessionId, false).total.cost).toBeCloseTo(0.2, 9)
  const other = await session()
  await say(other, 'more of it')
  await ended(other)
  expect(engine.usage.session(other, false).total.cost).toBeCloseTo(10.1, 9)
})

it('a limit pauses the work before the next request; "Continue" adds the amount, "Stop" ends the turn', async () => {
  await begin({ work: [read, read, { text: 'never' }] }, '[budget]\nsession = 0.15\n')
  const sessionId = await session()
  await say(sessionId, 'work on it')
  const first = await waiting()
  expect(server.requests).toHaveLength(1)
  expect(first).toMatchObject({
    asks: 'budget',
    summary: 'The limit of $0.15 for this session is reached: $0.20 so far.',
    options: [{ name: 'Continue for another $0.15' }, { name: 'Stop' }],
  })
  await answer(first, 'continue')
  await until(() => server.requests.length === 2, 'the second request')
  const second = await waiting()
  expect(second.summary).toMatch(/^The limit of \$0\.3\d for this session is reached/)
  await answer(second, 'stop')
  await ended(sessionId)
  expect(stops(sessionId)).toEqual(['cancelled'])
  expect(server.requests).toHaveLength(2)
  // The answer outlives the process, and so does the limit.
  expect(engine.usage.session(sessionId, false).limits).toMatchObject([{ scope: 'session', unit: 'dollars' }])
})

it('subagents count toward the limit of their session, which asks only once', async () => {
  await begin(
    {
      work: [
        {
          toolCalls: [agentCall('scout'), agentCall('second')],
          usage: USAGE,
        },
        { text: 'Done.', usage: USAGE },
      ],
      scout: [read, { text: 'Seen.', usage: USAGE }],
      second: [read, { text: 'Seen.', usage: USAGE }],
    },
    '[budget]\nsession = 0.5\n',
  )
  const sessionId = await session()
  await say(sessionId, 'work on it')
  const asked = await waiting()
  expect(asked.agent).toMatchObject({ rootId: sessionId })
  expect(engine.inbox.list()).toHaveLength(1)
  await answer(asked, 'continue')
  const next = await Promise.race([ended(sessionId).then(() => undefined), waiting()])
  if (next) await answer(next, 'continue')
  await ended(sessionId)
  expect(stops(sessionId)).toEqual(['end_turn'])
  expect(engine.usage.session(sessionId, false).total.cost).toBeCloseTo(1.2, 9)
})

it('daily and project limits count all their sessions', async () => {
  await begin(
    { work: [{ text: 'Done.', usage: USAGE }], more: [{ text: 'Done.', usage: USAGE }] },
    '[budget]\nday = 0.2\n',
  )
  const first = await session()
  await say(first, 'work on it')
  await ended(first)
  const second = await session()
  await say(second, 'more of it')
  const asked = await waiting()
  expect(asked).toMatchObject({ sessionId: second, summary: expect.stringContaining('for today is reached') })
  await engine.sessions.stop(second)
  await ended(second)
  expect(engine.inbox.list()).toEqual([])
  expect(server.requests).toHaveLength(1)
})

it('the user is warned once at 80% of a limit', async () => {
  await begin({ work: [read, read, { text: 'Done.', usage: USAGE }] }, '[budget]\nproject = 0.49\n')
  const notices: string[] = []
  engine.onChange((change) => change.kind === 'notice' && notices.push(change.text))
  const sessionId = await session()
  await say(sessionId, 'work on it')
  await ended(sessionId)
  expect(notices).toEqual(['81% of the limit of $0.49 for this project this month is used.'])
})

it('for a model without a known price, a limit in dollars counts nothing and says so, and one in tokens counts everything', async () => {
  await begin({ work: [read, { text: 'never' }] }, '[budget]\nsession = 0.01\nsession_tokens = 100000\n', '')
  const sessionId = await session()
  await say(sessionId, 'work on it')
  const asked = await waiting()
  expect(asked.summary).toBe('The limit of 100,000 tokens for this session is reached: 110,000 tokens so far.')
  expect(engine.usage.session(sessionId, false)).toMatchObject({
    total: { cost: 0, unpriced: 1 },
    limits: [
      { unit: 'dollars', spent: 0, unpriced: 1 },
      { unit: 'tokens', spent: 110_000 },
    ],
  })
  await answer(asked, 'stop')
  await ended(sessionId)
})

async function printed(script: ScriptStep[], budget: string): Promise<{ code: number | null; stderr: string }> {
  scratch = createScratch({ 'notes.md': 'one\n' })
  server = await startModelServer({ script })
  writeConfig(scratch.home, config(server.baseUrl, budget))
  undo.push(
    () => scratch.remove(),
    () => server.close(),
  )
  return runCli(['print', 'go', '--cwd', scratch.project], { home: scratch.home })
}

it('print mode ends with a clear error and exit code 4, and `trestle usage` shows the usage', async () => {
  const { code, stderr } = await printed([read, { text: 'never' }], '[budget]\nsession = 0.1\n')
  expect(code).toBe(4)
  expect(stderr).toContain('The limit of $0.10 for this session is reached: $0.20 so far.')
  expect(server.requests).toHaveLength(1)
  const { home } = scratch
  const json = await runCli(['usage', '--json', '--days', '7', '--by', 'model'], { home })
  const report = JSON.parse(json.stdout) as UsageReport
  expect(report.rows).toMatchObject([{ key: 'local/scripted', requests: 1, input: 100_000, output: 10_000 }])
  expect(report.prices.generated).toMatch(/^\d{4}-\d\d-\d\d$/)
  const text = await runCli(['usage'], { home })
  expect(text.stdout).toMatch(/\d{4}-\d\d-\d\d +1 +100,000 +0 \(0%\) +10,000 +\$0\.20/)
  for (const wrong of [
    ['--days', 'none'],
    ['--by', 'week'],
  ])
    expect((await runCli(['usage', ...wrong], { home })).code).toBe(2)
})

it('an editor gets the question with its options, and the answer counts', async () => {
  const answers: Record<string, (params: Wire) => unknown> = {}
  run = await acpRun({ script: [read, { text: 'Done.', usage: USAGE }], answers })
  undo.push(() => run!.close())
  writeConfig(run.scratch.home, config(run.server.baseUrl, '[budget]\nsession = 0.15\n'))
  const sessionId = await openSession(run)
  const asked: Wire[] = []
  answers['session/request_permission'] = (params) => {
    asked.push(params)
    return { outcome: { outcome: 'selected', optionId: 'continue' } }
  }
  expect(await sayToAcp(run.client, sessionId, 'go')).toEqual({ stopReason: 'end_turn' })
  expect(asked).toMatchObject([
    {
      toolCall: { title: expect.stringContaining('The limit of $0.15 for this session is reached') },
      options: [
        { name: 'Continue for another $0.15', kind: 'allow_once' },
        { name: 'Stop', kind: 'reject_once' },
      ],
    },
  ])
})
