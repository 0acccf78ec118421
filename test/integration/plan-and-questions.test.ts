import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import type { Approval } from '../../src/shared/model/approval/approval'
import type { RecordedEvent } from '../../src/shared/events/event'
import { applyHeader, emptyHeader } from '../../src/shared/events/fold-header'
import { textOf } from '../../src/shared/model/turn/message'
import type { ScriptStep } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { until } from '../support/until'

const PLAN = '# Plan\n\n1. one\n2. two\n'
const enter: Step = () => call('EnterPlanMode', {})
const write =
  (content: string): Step =>
  (path) =>
    call('Write', { path, content })
const submit =
  (options?: { label: string; description: string }[]): Step =>
  () =>
    call('ExitPlanMode', options ? { options } : {})
const WAYS = [
  { label: 'Small', description: 'A little' },
  { label: 'Large', description: 'A lot' },
]

/** The model's actions, for the path of the plan. */
type Step = (plan: string) => ScriptStep

function call(name: string, input: Record<string, unknown>): ScriptStep {
  return { toolCalls: [{ name, input }] }
}

let scratch: Scratch
let server: ModelServer
let engine: Engine
let sessionId: string

async function start(steps: Step[], { interactive = true } = {}): Promise<void> {
  scratch = createScratch({ 'a.txt': 'a\n' })
  server = await startModelServer({
    script: ({ body }, index) => {
      const found = /\/[^\s"\\`]+\/plan-\d+\.md/g
      return steps[index]?.(JSON.stringify(body).match(found)?.at(-1) ?? '') ?? { text: 'done' }
    },
  })
  writeConfig(scratch.home, configFor(server.baseUrl))
  engine = await createEngine({
    version: '0',
    home: scratch.home,
    watch: false,
    interactive,
    log: (message) => expect.soft(message).toBe(''),
  })
  ;({ sessionId } = await engine.sessions.create({ folder: scratch.project, mode: 'auto' }))
}
afterEach(async () => {
  await engine.close()
  await server.close()
  scratch.remove()
})

const events = (): RecordedEvent[] => engine.sessions.since(sessionId, 0)
const prompt = (): Promise<unknown> => engine.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
async function asked(): Promise<Approval> {
  await until(() => engine.inbox.list().length > 0, 'a request')
  return engine.sessions.header(sessionId).approvals[0]!
}
async function reply(optionId: string, more: Partial<Parameters<Engine['sessions']['reply']>[1]> = {}): Promise<void> {
  const { approvalId } = await asked()
  await engine.sessions.reply(sessionId, { approvalId, optionId, ...more })
}
async function ended(): Promise<Extract<RecordedEvent, { type: 'turn.finished' }>> {
  await until(() => engine.sessions.header(sessionId).turnId === undefined, 'the end of the turn')
  return events().findLast((event) => event.type === 'turn.finished')!
}
function results(tool: string): { text: string; isError: boolean }[] {
  return events().flatMap((event) =>
    event.type === 'tool.finished' && event.name === tool
      ? [{ text: textOf(event.content), isError: event.isError }]
      : [],
  )
}

describe('a plan', () => {
  it('is approved by the user even in Auto, keeps every revision, and names the chosen alternative', async () => {
    await start([
      enter,
      write(PLAN),
      submit(WAYS),
      write(`${PLAN}3. three\n`),
      submit(WAYS),
      () => call('Write', { path: 'made', content: 'x' }),
    ])
    await prompt()
    const first = await asked()
    expect(first).toMatchObject({
      asks: 'plan',
      tool: 'ExitPlanMode',
      preview: { kind: 'plan', text: PLAN, revision: 1, alternatives: WAYS },
    })
    expect(first.options.map(({ name }) => name)).toEqual([
      'Approve: Small',
      'Approve: Large',
      'Request changes',
      'Reject',
      'Reject and leave plan mode',
    ])
    await expect(reply('revise')).rejects.toMatchObject({ code: 'request.invalid' })
    await reply('revise', { feedback: 'more', comments: [{ line: 4, text: 'is it?' }] })
    await until(
      () => engine.sessions.header(sessionId).approvals[0]?.preview?.kind === 'plan' && results('Write').length === 2,
      'revision 2',
    )
    const second = await asked()
    expect(second.preview).toMatchObject({ revision: 2, diff: expect.stringContaining('+3. three') })
    expect(engine.sessions.header(sessionId).plan).toMatchObject({ active: true })
    await reply('approve-2')
    expect((await ended()).stop).toBe('end_turn')
    const [revise, approve] = results('ExitPlanMode')
    expect(revise).toEqual({
      text: expect.stringMatching(/wants changes.*more.*line 4 \("2\. two"\): is it\?/s),
      isError: false,
    })
    expect(approve!.text).toMatch(/approved.*chose "Large": carry out only this one/s)
    expect(existsSync(join(scratch.project, 'made'))).toBe(true)
    const { plan } = engine.sessions.header(sessionId)
    expect(plan).toMatchObject({
      active: false,
      revisions: [{ decision: 'revise' }, { decision: 'approve', choice: 'Large' }],
    })
    expect(await engine.plans.revision(sessionId, { plan: 1, revision: 1 })).toEqual({ text: PLAN })
    expect(new Set(plan!.revisions.map(({ hash }) => hash)).size).toBe(2)
    // A replay of the log has the same result.
    expect(events().reduce(applyHeader, emptyHeader(sessionId))).toEqual(engine.sessions.header(sessionId))
  })

  it('shows a single approach as the only alternative', async () => {
    const [way] = WAYS
    await start([enter, write(PLAN), submit([way!])])
    await prompt()
    const first = await asked()
    expect(first.preview).toMatchObject({ kind: 'plan', alternatives: [way] })
    expect(first.options.map(({ name }) => name)).toEqual([
      `Approve: ${way!.label}`,
      'Request changes',
      'Reject',
      'Reject and leave plan mode',
    ])
    await reply('approve-1')
    await ended()
    expect(results('ExitPlanMode')[0]!.text).toContain(`chose "${way!.label}"`)
  })

  it.each([
    ['reject', true],
    ['reject_exit', false],
  ])('ends the turn after %s, with plan mode on or off accordingly', async (optionId, active) => {
    const last: Step = () => ({
      toolCalls: [
        { name: 'ExitPlanMode', input: {} },
        { name: 'Write', input: { path: 'made', content: 'x' } },
      ],
    })
    await start([enter, write(PLAN), last])
    await prompt()
    await reply(optionId)
    expect((await ended()).stop).toBe('cancelled')
    expect(server.requests).toHaveLength(3)
    expect(engine.sessions.header(sessionId).plan?.active).toBe(active)
    expect(existsSync(join(scratch.project, 'made'))).toBe(false)
  })

  it('is rejected if it is empty or has reserved or duplicate labels', async () => {
    const label = (...labels: string[]): Step => submit(labels.map((text) => ({ label: text, description: '' })))
    await start([
      submit(),
      enter,
      submit(),
      write(' \n'),
      submit(),
      label('Request changes '),
      label('a', 'A'),
      label('x'.repeat(81)),
      label('a', 'b', 'c', 'd'),
    ])
    await prompt()
    await ended()
    const texts = results('ExitPlanMode')
    expect(texts).toHaveLength(7)
    expect(texts.every(({ isError }) => isError)).toBe(true)
    expect(texts.map(({ text }) => text).slice(0, 5)).toEqual([
      expect.stringContaining('not on'),
      expect.stringContaining('empty'),
      expect.stringContaining('empty'),
      expect.stringContaining('reserved'),
      expect.stringContaining('unique'),
    ])
  })

  it('is kept, and plan mode stays on, when no user can approve it', async () => {
    await start([write(PLAN), submit(), () => call('Write', { path: 'made', content: 'x' })], { interactive: false })
    await engine.plans.enter(sessionId)
    await prompt()
    await ended()
    const { file } = await engine.plans.view(sessionId)
    expect(results('ExitPlanMode')).toEqual([{ text: expect.stringMatching(/^There is no tool/), isError: true }])
    expect(readFileSync(file, 'utf8')).toBe(PLAN)
    expect(engine.sessions.header(sessionId).plan?.active).toBe(true)
    expect(existsSync(join(scratch.project, 'made'))).toBe(false)
  })

  it('withdraws a pending approval when the user enters plan mode', async () => {
    await start([() => call('Bash', { command: 'rm -rf /nowhere/at/all' })])
    await prompt()
    const { approvalId } = await asked()
    await engine.plans.enter(sessionId)
    await ended()
    expect(results('Bash')[0]!.text).toContain('Plan mode is on')
    await expect(engine.sessions.reply(sessionId, { approvalId, optionId: 'allow_once' })).rejects.toMatchObject({
      code: 'approval.gone',
    })
  })

  it('allows reading', async () => {
    writeFileSync(
      join(
        (await start([
          enter,
          () => call('Bash', { command: 'cat a.txt | head -1' }),
          () => call('Read', { path: 'a.txt' }),
        ]),
        scratch.project),
        'a.txt',
      ),
      'a\n',
    )
    await prompt()
    await ended()
    expect([...results('Bash'), ...results('Read')].map(({ isError }) => isError)).toEqual([false, false])
  })
})

describe('questions', () => {
  const questions = [
    {
      question: 'Which?',
      options: [
        { label: 'a', description: '' },
        { label: 'b', description: '' },
      ],
    },
    {
      question: 'What else?',
      multi_select: true,
      options: [
        { label: 'c', description: '' },
        { label: 'd', description: '' },
      ],
    },
  ]
  const ask: Step = () => call('AskUserQuestion', { questions })

  it('accept only the offered answers, and report the chosen one', async () => {
    await start([ask])
    await prompt()
    expect(await asked()).toMatchObject({ asks: 'questions', preview: { kind: 'questions' } })
    const wrong = [
      [],
      [{ labels: ['a'] }],
      [{ labels: ['a', 'b'] }, { labels: ['c'] }],
      [{ labels: ['x'] }, { labels: ['c'] }],
      [{ labels: [] }, { labels: ['c'] }],
      [{ labels: [], other: ' ' }, { labels: ['c'] }],
    ]
    for (const answers of wrong)
      await expect(reply('answer', { answers })).rejects.toMatchObject({ code: 'request.invalid' })
    await reply('answer', { answers: [{ labels: [], other: 'mine' }, { labels: ['c', 'd'] }] })
    await ended()
    expect(JSON.parse(results('AskUserQuestion')[0]!.text)).toEqual({
      answers: { 'Which?': 'mine', 'What else?': ['c', 'd'] },
    })
  })

  it('keep the turn running when they are dismissed', async () => {
    await start([ask])
    await prompt()
    await reply('dismiss')
    expect((await ended()).stop).toBe('end_turn')
    expect(results('AskUserQuestion')).toEqual([
      { text: expect.stringMatching(/^\{"answers":\{\},"note":"The user dismissed/), isError: false },
    ])
  })

  it('do not wait when no user is present', async () => {
    await start([ask], { interactive: false })
    await prompt()
    await ended()
    expect(results('AskUserQuestion')).toEqual([{ text: expect.stringMatching(/^There is no tool/), isError: true }])
  })
})
