import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import { textOf } from '../../src/shared/model/turn/message'
import type { SessionView } from '../../src/shared/events/session-view'
import { agentCall, call, familyScript, said } from '../support/family-script'
import type { ModelScript, RecordedRequest, ScriptStep } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { expectReplay, watchView } from '../support/replayed'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { until } from '../support/until'

/**
 * What a page shows that was open all the while, and what one shows that is opened later, also by another process, must
 * not differ.
 */

let scratch: Scratch
let server: ModelServer
let engine: Engine
let sessionId: string
let view: () => SessionView

async function open(): Promise<void> {
  engine = await createEngine({
    version: '0',
    home: scratch.home,
    watch: false,
    interactive: true,
    log: (message) => expect.soft(message).toBe(''),
  })
}
async function start(
  script: ModelScript,
  { files = {}, window = 128_000 }: { files?: Record<string, string>; window?: number } = {},
): Promise<void> {
  scratch = createScratch({ 'a.txt': 'a\n', ...files })
  server = await startModelServer({ script })
  writeConfig(
    scratch.home,
    configFor(server.baseUrl, { more: '[checkpoints]\nd_mail = true\n' }).replace(
      'context_window = 128000',
      `context_window = ${window}`,
    ),
  )
  await open()
  ;({ sessionId } = await engine.sessions.create({ folder: scratch.project, mode: 'auto' }))
  view = watchView(engine, sessionId)
  await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
}
afterEach(async () => {
  await engine.close('stop')
  await server.close()
  scratch.remove()
})

const header = () => engine.sessions.header(sessionId)
const over = (): Promise<void> => until(() => header().turnId === undefined && header().news.length === 0, 'the end')
const answers = (): string[] =>
  view().items.flatMap((item) => (item.kind === 'answer' ? item.segments.map(({ text }) => text) : []))
async function reply(
  tool: string,
  answer: Omit<Parameters<Engine['sessions']['reply']>[1], 'approvalId'>,
): Promise<void> {
  await until(() => header().approvals[0]?.tool === tool, `a request of ${tool}`)
  const { approvalId } = header().approvals[0]!
  await engine.sessions.reply(sessionId, { approvalId, ...answer })
  await until(() => header().approvals.every((one) => one.approvalId !== approvalId), 'the answer')
}

/** Runs in this process, and again in the next one. */
async function replays(): Promise<void> {
  const live = view()
  expectReplay(engine, sessionId, live)
  await engine.close('stop')
  await open()
  expectReplay(engine, sessionId, live)
}

it('a plan with alternatives is revised, then approved, and carried out', async () => {
  const path = ({ body }: RecordedRequest): string => /\/[^\s"\\`]+\/plan-1\.md/.exec(JSON.stringify(body))?.[0] ?? ''
  const ways = ['Small', 'Large'].map((label) => ({ label, description: `${label} steps` }))
  const steps: ((request: RecordedRequest) => ScriptStep)[] = [
    () => ({ toolCalls: [call('EnterPlanMode', {})] }),
    (request) => ({ toolCalls: [call('Write', { path: path(request), content: '# Plan\n\n1. one\n' })] }),
    () => ({ toolCalls: [call('ExitPlanMode', { options: ways })] }),
    (request) => ({ toolCalls: [call('Edit', { path: path(request), old_string: '1. one', new_string: '1. two' })] }),
    () => ({ toolCalls: [call('ExitPlanMode', { options: ways })] }),
    () => ({ toolCalls: [call('Write', { path: 'made.txt', content: 'carried out\n' })] }),
  ]
  await start((request, index) => steps[index]?.(request) ?? { text: 'all done' })
  await reply('ExitPlanMode', { optionId: 'revise', feedback: 'two, not one' })
  await until(() => header().approvals.length > 0, 'the second revision')
  const options = header().approvals[0]!.options.map(({ optionId }) => optionId)
  await reply('ExitPlanMode', { optionId: options[1]! })
  await over()
  expect(readFileSync(join(scratch.project, 'made.txt'), 'utf8')).toBe('carried out\n')
  expect(header().plan).toMatchObject({ active: false })
  expect(answers()).toEqual(['all done'])
  await replays()
})

it('a question is answered with a custom answer', async () => {
  const question = 'Which way?'
  const options = ['Left', 'Right'].map((label) => ({ label, description: '' }))
  await start([
    { toolCalls: [call('AskUserQuestion', { questions: [{ question, options }] })] },
    { text: 'straight on, then' },
  ])
  await reply('AskUserQuestion', { optionId: 'answer', answers: [{ labels: [], other: 'Straight on' }] })
  await over()
  expect(JSON.stringify(server.requests.at(-1)!.body)).toContain('Straight on')
  expect(answers()).toEqual(['straight on, then'])
  await replays()
})

it('three subagents run in parallel, and the background one is resumed', async () => {
  const goOn = (request: RecordedRequest): ScriptStep => {
    const text = said(request)
    const id = /task_id: (agent-\S+)/.exec(text)?.[1] ?? ''
    if (text.includes('I remember.')) return { text: 'all done' }
    if (text.includes('the third is done')) return { toolCalls: [agentCall('more', { resume: id })] }
    return { text: 'two are done' }
  }
  const reads = (last: string) => [{ toolCalls: [call('Read', { path: 'a.txt' })] }, { text: last }]
  await start(
    familyScript({
      go: [
        {
          toolCalls: [
            agentCall('one'),
            agentCall('two', { subagent_type: 'explore' }),
            agentCall('three', { run_in_background: true }),
          ],
        },
        ...Array.from({ length: 4 }, () => goOn),
      ],
      one: reads('the first is done'),
      two: reads('the second is done'),
      three: [...reads('the third is done'), { text: 'I remember.' }],
    }),
  )
  await until(() => answers().at(-1) === 'all done', 'the resumed one')
  await over()
  const agents = engine.sessions
    .since(sessionId, 0)
    .flatMap((event) => (event.type === 'subagent.started' ? [event.agentId] : []))
  expect(new Set(agents).size).toBe(3)
  for (const id of agents) expectReplay(engine, id, watchView(engine, id)())
  await replays()
})

it('a skill calls a skill, up to three levels deep', async () => {
  const skill = (name: string, next: string) =>
    `---\nname: ${name}\ndescription: The skill ${name}\n---\nNow load the skill ${next}.\n`
  const files = Object.fromEntries(
    ['a', 'b', 'c', 'd'].map((name, n) => [`.trestle/skills/${name}/SKILL.md`, skill(name, 'bcde'[n]!)]),
  )
  const next = (request: RecordedRequest): ScriptStep => {
    const wanted = [...said(request).matchAll(/Now load the skill (\w)\./g)].at(-1)?.[1] ?? 'a'
    return said(request).includes('nested 3 deep')
      ? { text: 'deep enough' }
      : { toolCalls: [call('Skill', { skill: wanted })] }
  }
  await start(next, { files })
  await over()
  const loaded = view().items.flatMap((item) => (item.kind === 'tool' ? [`${item.summary || 'd'} ${item.state}`] : []))
  expect(loaded).toEqual(['a done', 'b done', 'c done', 'd failed'])
  expect(answers()).toEqual(['deep enough'])
  await replays()
})

it('a D-Mail sends the agent back, and the agent then finishes', async () => {
  await start([
    { toolCalls: [call('Read', { path: 'a.txt' })], text: 'I look.' },
    { toolCalls: [call('Write', { path: 'wrong.txt', content: 'x' })], text: 'This must be it.' },
    { toolCalls: [call('SendDMail', { checkpoint_id: 2, message: 'wrong.txt is the wrong way', files: true })] },
    { toolCalls: [call('Write', { path: 'right.txt', content: 'x' })] },
    { text: 'all done' },
  ])
  await over()
  expect(answers()).toEqual(['I look.', 'all done'])
  await replays()
})

it('a conversation is compacted in the middle of a task, which then finishes', async () => {
  let step = 0
  await start(
    (request) => {
      if (said(request).includes('<conversation>')) return { text: `${step} files were read.` }
      step += 1
      return step > 40
        ? { text: 'all is read' }
        : { toolCalls: [call('Read', { path: `file-${step % 8}.txt` })], text: 'On and on. '.repeat(60) }
    },
    {
      window: 16_000,
      files: Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`file-${n}.txt`, 'many words\n'.repeat(200)])),
    },
  )
  await over()
  expect(view().items.filter(({ kind }) => kind === 'compaction').length).toBeGreaterThan(0)
  expect(answers().at(-1)).toBe('all is read')
  await replays()
})

it('undo and redo by the user have the same result everywhere too', async () => {
  await start([{ toolCalls: [call('Write', { path: 'b.txt', content: 'b' })] }, { text: 'first' }, { text: 'second' }])
  await over()
  await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'again' }])
  await over()
  writeFileSync(join(scratch.project, 'a.txt'), 'theirs')
  const [first] = await engine.checkpoints.points(sessionId)
  const { seq } = await engine.checkpoints.restore(sessionId, { to: first!.seq - 1, files: true, conversation: true })
  expect(view().items.map(({ kind }) => kind)).toEqual(['restored'])
  expectReplay(engine, sessionId, view())
  await engine.checkpoints.restore(sessionId, { to: seq! - 1, files: true, conversation: true })
  expect(view().items.flatMap((item) => (item.kind === 'user' ? [textOf(item.parts)] : []))).toEqual(['go', 'again'])
  await replays()
})
