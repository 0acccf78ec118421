import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import { applyHeader, emptyHeader } from '../../src/shared/events/fold-header'
import type { EventBody, RecordedEvent } from '../../src/shared/events/event'
import { textOf } from '../../src/shared/model/turn/message'
import { agentCall, call, familyScript, said, toolsOf, type Part } from '../support/family-script'
import type { RecordedRequest, ScriptStep } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { until } from '../support/until'

let scratch: Scratch
let server: ModelServer
let engine: Engine
afterEach(async () => {
  await engine.close('stop')
  await server.close()
  scratch.remove()
})

async function setup(
  parts: Record<string, Part>,
  { more = '', files = {} }: { more?: string; files?: Record<string, string> } = {},
) {
  scratch = createScratch(files)
  server = await startModelServer({ script: familyScript(parts) })
  writeConfig(scratch.home, configFor(server.baseUrl, { more }))
  engine = await createEngine({ version: 'test', home: scratch.home, interactive: true, watch: false })
}

async function begin(prompt: string, mode: 'ask' | 'auto' = 'auto'): Promise<string> {
  const { sessionId } = await engine.sessions.create({ folder: scratch.project, mode })
  await engine.sessions.prompt(sessionId, [{ type: 'text', text: prompt }])
  return sessionId
}

const log = (sessionId: string): RecordedEvent[] => engine.sessions.since(sessionId, 0)
const turns = (sessionId: string): number => log(sessionId).filter(({ type }) => type === 'turn.finished').length
const over = (sessionId: string, count = 1): Promise<void> =>
  until(
    () => turns(sessionId) >= count && engine.sessions.header(sessionId).turnId === undefined,
    `${count} turns to end`,
  )
const ofType = <Type extends EventBody['type']>(sessionId: string, type: Type) =>
  log(sessionId).filter((event): event is Extract<RecordedEvent, { type: Type }> => event.type === type)
const results = (sessionId: string): string[] =>
  ofType(sessionId, 'tool.finished').map(({ content }) => textOf(content))
const agentsOf = (sessionId: string): string[] => ofType(sessionId, 'subagent.started').map(({ agentId }) => agentId)
const newsTo = (sessionId: string): string[] =>
  log(sessionId).flatMap((event) =>
    event.type === 'turn.started' || event.type === 'turn.steered'
      ? (event.news ?? []).map(({ taskId }) => taskId)
      : [],
  )

/** Folding the log again gives the state at the end of the run. */
function replays(sessionId: string): void {
  expect(log(sessionId).reduce(applyHeader, emptyHeader(sessionId))).toEqual(engine.sessions.header(sessionId))
}

it('three subagents run in parallel; the background one is reported once and resumed with its context', async () => {
  let working = 0
  const together = Promise.withResolvers<void>()
  const reads = (file: string): Part => [
    // No answer is sent before all three have requested one: if they did not run in parallel, the test would time out.
    async () => {
      working += 1
      if (working === 3) together.resolve()
      await together.promise
      return { toolCalls: [call('Read', { path: file })] }
    },
    () => ({ text: `${file} has been read.` }),
  ]
  let backgroundId = ''
  // The notification about the third may arrive before or after the second step.
  const nextStep = (request: RecordedRequest): ScriptStep => {
    const text = said(request)
    backgroundId = /task_id: (agent-\S+)/.exec(text)?.[1] ?? ''
    if (text.includes('I remember c.txt.')) return { text: 'all done' }
    if (text.includes('c.txt has been read.')) return { toolCalls: [agentCall('more', { resume: backgroundId })] }
    return { text: 'two are done' }
  }
  await setup(
    {
      go: [
        {
          toolCalls: [
            agentCall('one reads a.txt'),
            agentCall('two reads b.txt', { subagent_type: 'explore' }),
            agentCall('three reads c.txt', { run_in_background: true }),
          ],
        },
        ...Array.from({ length: 4 }, () => nextStep),
      ],
      one: reads('a.txt'),
      two: reads('b.txt'),
      three: [
        ...reads('c.txt'),
        (request) => {
          expect(said(request)).toContain('three reads c.txt')
          return { text: 'I remember c.txt.' }
        },
      ],
    },
    { files: { 'a.txt': 'A', 'b.txt': 'B', 'c.txt': 'C' } },
  )
  const sessionId = await begin('go')
  await until(() => results(sessionId).length === 4, 'four results')
  await over(sessionId)
  expect(results(sessionId).filter((text) => /[ab]\.txt has been read/.test(text))).toHaveLength(2)
  expect(results(sessionId).some((text) => text.includes('I remember c.txt.'))).toBe(true)
  expect(newsTo(sessionId)).toEqual([backgroundId])
  const agents = agentsOf(sessionId)
  expect(new Set(agents).size).toBe(3)
  expect(agents.at(-1)).toBe(backgroundId)
  // Only the last message was returned, and the list of sessions contains only the user's.
  expect(JSON.stringify(log(sessionId).filter(({ type }) => type !== 'prefix.frozen'))).not.toContain('"Read"')
  expect(engine.sessions.list({}).map((one) => one.sessionId)).toEqual([sessionId])
  for (const id of [sessionId, ...agents]) replays(id)
  expect(readFileSync(join(scratch.home, 'sessions', sessionId, 'agents', `${backgroundId}.md`), 'utf8')).toBe(
    'I remember c.txt.',
  )
})

it('of fifty in the background, only the allowed number run at once, and each end is reported exactly once', async () => {
  let working = 0
  let most = 0
  const two = Promise.withResolvers<void>()
  const parts: Record<string, Part> = {
    go: [
      { toolCalls: Array.from({ length: 50 }, (_, n) => agentCall(`job${n}`, { run_in_background: true })) },
      ...Array.from({ length: 60 }, () => ({ text: 'noted' })),
    ],
  }
  for (let n = 0; n < 50; n += 1)
    parts[`job${n}`] = [
      async () => {
        working += 1
        most = Math.max(most, working)
        // The first one works until another one runs at the same time.
        if (working > 1) two.resolve()
        await two.promise
        return { toolCalls: [call('ListDirectory', { path: '.' })] }
      },
      () => {
        working -= 1
        return { text: `job${n} is done` }
      },
    ]
  await setup(parts, { more: '[agents]\nmax_running = 7' })
  const changes: string[] = []
  engine.onChange((change) => {
    if (change.kind === 'task' && change.task.agent?.isQueued) changes.push(change.task.taskId)
  })
  const sessionId = await begin('go')
  await until(() => newsTo(sessionId).length >= 50, 'fifty news', 150_000)
  await over(sessionId)
  const told = newsTo(sessionId)
  expect(told).toHaveLength(50)
  expect(new Set(told)).toEqual(new Set(agentsOf(sessionId)))
  expect(most).toBeLessThanOrEqual(7)
  expect(most).toBeGreaterThan(1)
  // Waiting subagents are shown as waiting.
  expect(new Set(changes).size).toBe(50)
  expect(engine.sessions.header(sessionId).news).toEqual([])
  const tasks = await engine.tasks.list({ limit: 100 })
  expect(tasks.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 'completed'))
})

it("a subagent's request is in the inbox with its name; allowing it for the session applies to the whole family", async () => {
  await setup({
    go: [
      { toolCalls: [agentCall('one')] },
      { toolCalls: [call('Write', { path: 'out/b.txt', content: 'B' })] },
      { text: 'done' },
    ],
    one: [{ toolCalls: [call('Write', { path: 'out/a.txt', content: 'A' })] }, { text: 'written' }],
  })
  const sessionId = await begin('go', 'ask')
  await until(() => engine.inbox.list().length === 1, 'a request')
  const [entry] = engine.inbox.list()
  expect(entry).toMatchObject({ tool: 'Write', agent: { type: 'coder', description: 'Do one', rootId: sessionId } })
  const choices = await engine.inbox.choices(entry!.sessionId, entry!.approvalId)
  const wide = choices.find(({ pattern }) => pattern.includes('out/'))!
  await engine.sessions.reply(entry!.sessionId, {
    approvalId: entry!.approvalId,
    optionId: 'allow_always',
    rule: { pattern: choices.at(-1)?.pattern ?? wide.pattern, scope: 'session' },
  })
  await over(sessionId)
  expect(readFileSync(join(scratch.project, 'out/b.txt'), 'utf8')).toBe('B')
  expect(engine.inbox.list()).toEqual([])
  expect(engine.sessions.header(sessionId).rules).toEqual(engine.sessions.header(entry!.sessionId).rules)
})

it('explore changes nothing, even in Auto, whatever a command hides', async () => {
  const commands = [
    'touch made',
    'echo x > made',
    'ls | tee made',
    'git -c core.pager="touch made" log',
    'sh -c "touch made"',
    'node -e 1',
  ]
  await setup({
    go: [{ toolCalls: [agentCall('one', { subagent_type: 'explore' })] }, { text: 'done' }],
    one: [
      {
        toolCalls: [
          ...commands.map((command) => call('Bash', { command })),
          call('Write', { path: 'made', content: '' }),
          call('Bash', { command: 'ls' }),
        ],
      },
      { text: 'looked' },
    ],
  })
  const sessionId = await begin('go', 'auto')
  await over(sessionId)
  const [agentId] = agentsOf(sessionId)
  const finished = ofType(agentId!, 'tool.finished')
  expect(finished.map(({ isError }) => isError)).toEqual([...commands.map(() => true), true, false])
  expect(existsSync(join(scratch.project, 'made'))).toBe(false)
  const offered = toolsOf(server.requests[1]!)
  expect(offered).toContain('Bash')
  expect(offered).not.toContain('Write')
  expect(offered).not.toContain('Agent')
})

it('depth is limited, and subagents that wait for their own subagents give up their slots, so that they cannot deadlock', async () => {
  const files = { 'chief.yaml': 'description: passes work on\nsubagents: [chief]\n' }
  const passesOn = (next: string): Part => [
    { toolCalls: [agentCall(next, { subagent_type: 'chief' })] },
    (request) => ({ text: said(request).slice(-400) }),
  ]
  await setup(
    {
      go: passesOn('one'),
      one: passesOn('two'),
      two: [(request) => ({ text: `two has ${toolsOf(request).includes('Agent') ? 'Agent' : 'no Agent'}` })],
    },
    {
      more: '[agents]\nmax_running = 1\nmax_depth = 2',
    },
  )
  const { mkdirSync } = await import('node:fs')
  mkdirSync(join(scratch.home, 'agents'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(scratch.home, 'agents', name), text)
  const sessionId = await begin('go')
  await over(sessionId)
  expect(results(sessionId)[0]).toContain('two has no Agent')
})

it("two subagents that edit the same file keep each other's changes", async () => {
  const edits = (name: string): Part => [
    { toolCalls: [call('Read', { path: 'a.txt' })] },
    { toolCalls: [call('Edit', { path: 'a.txt', old_string: `${name}=0`, new_string: `${name}=1` })] },
    { toolCalls: [call('Read', { path: 'a.txt' })] },
    { toolCalls: [call('Edit', { path: 'a.txt', old_string: `${name}=0`, new_string: `${name}=1` })] },
    { text: 'done' },
  ]
  await setup(
    {
      go: [{ toolCalls: [agentCall('one'), agentCall('two')] }, { text: 'done' }],
      one: edits('one'),
      two: edits('two'),
    },
    { files: { 'a.txt': 'one=0\ntwo=0\n' } },
  )
  const sessionId = await begin('go')
  await over(sessionId)
  expect(readFileSync(join(scratch.project, 'a.txt'), 'utf8')).toBe('one=1\ntwo=1\n')
})

it('stopping the turn stops the subagent it waits for; stopping only the subagent lets the turn continue', async () => {
  await setup({
    go: [{ toolCalls: [agentCall('one')] }, { text: 'went on' }, { toolCalls: [agentCall('one again')] }],
    one: [
      { faults: { stallAfterBytes: 0 }, text: 'never' },
      { faults: { stallAfterBytes: 0 }, text: 'never' },
    ],
  })
  const sessionId = await begin('go')
  await until(() => agentsOf(sessionId).length === 1 && server.requests.length === 2, 'the subagent to be at work')
  const [first] = agentsOf(sessionId)
  expect(await engine.tasks.stop(first!, 'Not needed any more.')).toMatchObject({
    status: 'stopped',
    stopReason: 'Not needed any more.',
  })
  await over(sessionId)
  expect(results(sessionId)[0]).toMatch(/status: stopped\nreason: Not needed any more\./)
  await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'once more' }])
  await until(() => agentsOf(sessionId).length === 2 && server.requests.length === 5, 'the second to be at work')
  await engine.sessions.stop(sessionId)
  const second = agentsOf(sessionId)[1]!
  await until(() => engine.sessions.header(second).agent?.status === 'stopped', 'the second to be stopped')
  expect(engine.sessions.header(second).turnId).toBeUndefined()
})

it("an agent defines a type for its session, without tools it lacks itself, and a project's types apply only once it is trusted", async () => {
  const spec = 'description: knows this project\nsystem_prompt: The project word is wombat.\ntools: [Read]\n'
  await setup(
    {
      go: [
        {
          toolCalls: [
            call('CreateSubagent', {
              name: 'reader',
              description: 'reads',
              system_prompt: 'You read poems.',
              tools: ['Read'],
            }),
            call('CreateSubagent', { name: 'wizard', description: 'x', system_prompt: 'x', tools: ['Teleport'] }),
            agentCall('two', { subagent_type: 'local' }),
          ],
        },
        { toolCalls: [agentCall('one', { subagent_type: 'reader' })] },
        { text: 'done' },
        { toolCalls: [agentCall('two', { subagent_type: 'local' })] },
        { text: 'done' },
      ],
      one: [(request) => ({ text: `${toolsOf(request).join()} ${said(request).includes('You read poems.')}` })],
      two: [(request) => ({ text: `${toolsOf(request).join()} ${said(request).includes('wombat')}` })],
    },
    {
      files: { '.trestle/agents/local.yaml': spec, '.trestle/agents/broken.yaml': 'description: x\n\ntools: [Raed]\n' },
    },
  )
  const sessionId = await begin('go')
  await over(sessionId)
  const first = results(sessionId).slice(0, 3).join('\n')
  expect(first).toMatch(/"Teleport" is not among the tools/)
  expect(first).toMatch(/There is no agent type "local"/)
  expect(results(sessionId)[3]).toContain('Read,call_tool true')
  expect((await engine.agents.list(scratch.project)).agents.map(({ name }) => name)).not.toContain('local')
  const { hash, parts } = await engine.trust.view(scratch.project)
  expect(parts.find(({ file }) => file.endsWith('local.yaml'))).toMatchObject({
    kind: 'agents',
    lines: spec.trimEnd().split('\n'),
  })
  await engine.trust.accept(scratch.project, hash)
  const { agents, problems } = await engine.agents.list(scratch.project)
  expect(agents.find(({ name }) => name === 'local')).toMatchObject({ source: 'project', tools: ['Read'] })
  const broken = join(scratch.project, '.trestle/agents/broken.yaml')
  expect(problems).toEqual([
    { path: broken, line: 3, message: 'There is no tool "Raed". Did you mean Read?', isFatal: false },
  ])
  await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'again' }])
  await over(sessionId, 2)
  expect(results(sessionId)[4]).toContain('Read,call_tool true')
  writeFileSync(join(scratch.project, '.trestle/agents/local.yaml'), spec.replace('wombat', 'weasel'))
  expect((await engine.agents.list(scratch.project)).agents.map(({ name }) => name)).not.toContain('local')
})

it('errors are reported so that the model can act on them', async () => {
  await setup({
    go: [
      {
        toolCalls: [
          agentCall('a', { subagent_type: 'coder', resume: 'agent-x' }),
          agentCall('b', { subagent_type: 'exploer' }),
          agentCall('c', { resume: 'agent-x' }),
          agentCall('d', { timeout: 5 }),
          agentCall('one'),
        ],
      },
      { text: 'done' },
    ],
    one: [{ faults: { status: 401, body: { error: { message: 'no such key' } } } }],
  })
  const sessionId = await begin('go')
  await over(sessionId)
  const all = results(sessionId)
  expect(all.some((text) => text.includes('cannot be combined'))).toBe(true)
  expect(all.some((text) => text.includes('Did you mean explore?'))).toBe(true)
  expect(all.some((text) => text.includes('There is no subagent "agent-x"'))).toBe(true)
  expect(all.some((text) => text.includes('timeout'))).toBe(true)
  expect(all.some((text) => /status: failed\nreason: Invalid API key/.test(text))).toBe(true)
})

it('when the engine closes, subagents end with it, are reported at the next start, and can be resumed', async () => {
  await setup({
    go: [
      { toolCalls: [agentCall('one', { run_in_background: true })] },
      { text: 'waits' },
      (request) => ({
        toolCalls: [agentCall('more', { resume: /task_id: (agent-\S+)/.exec(said(request))?.[1] ?? '' })],
      }),
      { text: 'done' },
    ],
    one: [{ faults: { stallAfterBytes: 0 }, text: 'never' }, { text: 'I went on.' }],
  })
  const sessionId = await begin('go')
  await over(sessionId)
  const [agentId] = agentsOf(sessionId)
  await until(() => server.requests.length === 3, 'the subagent to be at work')
  await engine.close()
  engine = await createEngine({ version: 'test', home: scratch.home, interactive: true, watch: false })
  await over(sessionId, 2)
  expect(newsTo(sessionId)).toEqual([agentId])
  expect(results(sessionId).at(-1)).toContain('I went on.')
  expect(engine.sessions.header(agentId!).agent?.status).toBe('completed')
})

it("a user's message to a running subagent joins its work, and its turn is not the parent's", async () => {
  await setup({
    go: [{ toolCalls: [agentCall('one')] }, { text: 'done' }],
    one: [
      { text: 'first', faults: { delayMs: 300 } },
      (request) => ({ text: `heard ${said(request).includes('look at b too')}` }),
    ],
  })
  const sessionId = await begin('go')
  await until(() => server.requests.length === 2, 'the subagent to be at work')
  const [agentId] = agentsOf(sessionId)
  await engine.sessions.steer(agentId!, { parts: [{ type: 'text', text: 'look at b too' }] })
  await over(sessionId)
  expect(results(sessionId)[0]).toContain('heard true')
  expect(ofType(sessionId, 'turn.steered')).toEqual([])
})

it('plan mode applies to subagents too, including those running when it was turned on', async () => {
  await setup({
    go: [{ toolCalls: [agentCall('one')] }, { text: 'done' }],
    one: [
      { toolCalls: [call('Write', { path: 'a.txt', content: 'A' })], faults: { delayMs: 300 } },
      { toolCalls: [call('Bash', { command: 'touch b.txt' })] },
      { text: 'nothing could be done' },
    ],
  })
  const sessionId = await begin('go')
  await until(() => server.requests.length === 2, 'the subagent to be at work')
  await engine.plans.enter(sessionId)
  await over(sessionId)
  const [agentId] = agentsOf(sessionId)
  expect(ofType(agentId!, 'tool.finished').map(({ isError }) => isError)).toEqual([true, true])
  expect(['a.txt', 'b.txt'].map((name) => existsSync(join(scratch.project, name)))).toEqual([false, false])
})
