import { execFileSync } from 'node:child_process'
import { closeSync, constants, existsSync, mkdirSync, openSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import type { TrestleClient } from '../../src/shared/contract'
import { failureFrom } from '../../src/renderer/client/failure-from'
import type { InboxEntry } from '../../src/shared/model/approval/approval'
import type { EventBody } from '../../src/shared/events/event'
import { textOf } from '../../src/shared/model/turn/message'
import type { AppPush } from '../../src/shared/events/push'
import { startModelServer, type ModelServer } from '../support/model-server'
import type { ModelScript, ScriptedCall } from '../support/model-script'
import { rejection } from '../support/required'
import { runTs } from '../support/run-ts'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { until } from '../support/until'
import { PROGRAM, startWebProcess, type WebProcess } from '../support/web-process'

// Each test starts several programs.
let scratch: Scratch
let server: ModelServer
let host: WebProcess | undefined
afterEach(async () => {
  await host?.kill()
  host = undefined
  await server.close()
  scratch.remove()
})

/** A home with a scripted model, and a web host on it. */
async function setup(script: ModelScript, files: Record<string, string> = {}): Promise<TrestleClient> {
  scratch = createScratch(files)
  server = await startModelServer({ script })
  writeConfig(scratch.home, configFor(server.baseUrl))
  return restarted()
}

async function restarted(): Promise<TrestleClient> {
  host = await startWebProcess(scratch.home)
  return host.connect().client
}

/** The model makes these calls in its first answer and ends the turn with its second. */
function callsThenDone(toolCalls: ScriptedCall[]): ModelScript {
  return (request) =>
    JSON.stringify(request.body['messages']).includes('"role":"tool"') ? { text: 'done' } : { toolCalls }
}

async function start(client: TrestleClient, prompt = 'go', folder = scratch.project): Promise<string> {
  const { sessionId } = await client.session.create({ folder })
  await client.session.prompt({ sessionId, parts: [{ type: 'text', text: prompt }] })
  return sessionId
}

async function waiting(client: TrestleClient, count: number): Promise<InboxEntry[]> {
  let entries: InboxEntry[] = []
  await expect
    .poll(async () => (entries = await client.approval.list()).length, { timeout: 60_000, interval: 5 })
    .toBe(count)
  return entries
}

/** The session's log once its turn has ended. */
async function ended(client: TrestleClient, sessionId: string): Promise<EventBody[]> {
  let events: EventBody[] = []
  const look = async (): Promise<string | undefined> => {
    ;({ events } = await client.session.open({ sessionId }))
    return events.at(-1)?.type
  }
  await expect.poll(look, { timeout: 60_000, interval: 5 }).toBe('turn.finished')
  return events
}

function isRead(pipe: string): boolean {
  try {
    closeSync(openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK))
    return true
  } catch {
    return false
  }
}

const results = (events: readonly EventBody[]) =>
  Object.fromEntries(events.flatMap((event) => (event.type === 'tool.finished' ? [[event.callId, event]] : [])))
/** Runs the program until it exits. */
async function runTsCli(args: string[], { home, project }: Scratch) {
  const script = runTs(PROGRAM, [...args, '--cwd', project], { TRESTLE_HOME: home })
  script.child.stdin?.end()
  const { code, stderr } = await script.done
  return { code, stderr, stdout: `${script.lines.join('\n')}\n` }
}

const allow = ({ sessionId, approvalId }: InboxEntry) => ({ sessionId, approvalId, optionId: 'allow_once' })
const inboxOf = (pushes: AppPush[]) => pushes.flatMap((push) => (push.type === 'inbox' ? [push.entries] : [])).at(-1)

it('keeps the requests of ten sessions through a kill: in order, each answered once, every turn ending correctly', async () => {
  const before = await setup((request) => {
    const text = JSON.stringify(request.body['messages'])
    const n = /prompt-(\d)/.exec(text)![1]!
    if (text.includes('"role":"tool"')) return { text: `end of ${n}` }
    return { toolCalls: [{ name: 'Bash', input: { command: `echo ran >> made-${n}` } }] }
  })
  const sessions = await Promise.all(Array.from({ length: 10 }, (_, n) => start(before, `prompt-${n}`)))
  const asked = await waiting(before, 10)
  expect(new Set(asked.map(({ sessionId }) => sessionId))).toEqual(new Set(sessions))
  expect(asked.map(({ requestedAt }) => requestedAt)).toEqual(
    asked.map(({ requestedAt }) => requestedAt).toSorted((a, b) => a - b),
  )
  for (const entry of asked.slice(0, 2)) await before.approval.reply(allow(entry))
  await Promise.all(asked.slice(0, 2).map(({ sessionId }) => ended(before, sessionId)))

  await host!.kill()
  const client = await restarted()
  const left = asked.slice(2)
  expect(await client.approval.list()).toEqual(left)
  const list = await client.session.list({})
  expect(list.filter(({ status, waiting: count }) => status === 'waiting' && count === 1)).toHaveLength(8)
  expect(failureFrom(await rejection(client.approval.reply(allow(asked[0]!))))).toMatchObject({
    code: 'approval.gone',
    message: expect.stringContaining('already allowed'),
  })

  // Two tabs answer each request at the same time, the latest first; a third one watches.
  const other = host!.connect().client
  const pushes = host!.follow(host!.connect().client)
  await until(() => inboxOf(pushes)?.length === 8, 'the first list')
  const answers = await Promise.all(
    left
      .toReversed()
      .map((entry) => Promise.allSettled([client, other].map((tab) => tab.approval.reply(allow(entry))))),
  )
  for (const pair of answers) {
    expect(pair.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const late = pair.find(({ status }) => status === 'rejected') as PromiseRejectedResult
    expect(failureFrom(late.reason).code).toBe('approval.gone')
  }
  for (const sessionId of sessions) {
    const events = await ended(client, sessionId)
    expect(events.at(-1)).toMatchObject({ stop: 'end_turn', steps: 2 })
    expect(events.filter(({ type }) => type === 'tool.started')).toHaveLength(1)
    expect(events.filter(({ type }) => type === 'tool.finished')).toMatchObject([{ isError: false }])
    expect(events.filter(({ type }) => type === 'approval.resolved')).toHaveLength(1)
  }
  await until(() => inboxOf(pushes)?.length === 0, 'an empty list everywhere')
  for (let n = 0; n < 10; n += 1) expect(readFileSync(join(scratch.project, `made-${n}`), 'utf8')).toBe('ran\n')
  // Exactly two each: no step was requested again.
  expect(server.requests).toHaveLength(20)
})

it.each([1, 4])(
  'neither loses nor duplicates answers when killed while giving ten of them (after %i are through)',
  async (through) => {
    const before = await setup((request) => {
      const text = JSON.stringify(request.body['messages'])
      if (text.includes('"role":"tool"')) return { text: 'end' }
      return { toolCalls: [{ name: 'Bash', input: { command: `echo ran >> made-${/prompt-(\d)/.exec(text)![1]!}` } }] }
    })
    const sessions = await Promise.all(Array.from({ length: 10 }, (_, n) => start(before, `prompt-${n}`)))
    const asked = await waiting(before, 10)
    let settled = 0
    const answers = Promise.allSettled(
      asked.map(async (entry) => {
        await before.approval.reply(allow(entry))
        settled += 1
      }),
    )
    await until(() => settled >= through, 'some answers')
    await host!.kill()
    const heard = await answers

    const client = await restarted()
    const left = await client.approval.list()
    // Requests with a confirmed answer are not shown again; the others are, in order.
    const done = asked.filter((_, index) => heard[index]!.status === 'fulfilled').map(({ approvalId }) => approvalId)
    expect(left.filter(({ approvalId }) => done.includes(approvalId))).toEqual([])
    expect(left).toEqual(asked.filter(({ approvalId }) => left.some((entry) => entry.approvalId === approvalId)))
    for (const entry of left) await client.approval.reply(allow(entry))
    for (const [n, sessionId] of sessions.entries()) {
      const events = await ended(client, sessionId)
      expect(events.filter(({ type }) => type === 'approval.resolved')).toMatchObject([{ outcome: 'allow_once' }])
      const [result, ...more] = events.flatMap((event) => (event.type === 'tool.finished' ? [event] : []))
      expect(more).toEqual([])
      const file = join(scratch.project, `made-${n}`)
      const made = existsSync(file) ? readFileSync(file, 'utf8') : ''
      const told = result!.isError ? textOf(result!.content) : made
      expect(told).toMatch(result!.isError ? /^Interrupted/ : /^ran\n$/)
      expect(['', 'ran\n']).toContain(made)
      expect(['end_turn', 'interrupted']).toContain((events.at(-1) as { stop?: string }).stop)
    }
  },
)

it('continues a turn that was waiting when the app closed: first a rejection, then messages sent meanwhile, then the queue', async () => {
  const before = await setup((request) => {
    const text = JSON.stringify(request.body['messages'])
    if (text.includes('said in the queue')) return { text: 'done' }
    return text.includes('said meanwhile')
      ? { text: 'going on' }
      : { toolCalls: [{ name: 'Write', input: { path: 'new.txt', content: 'x' }, id: 'w' }] }
  })
  const sessionId = await start(before)
  const [entry] = await waiting(before, 1)
  expect(await host!.terminate()).toBe(0)
  const client = await restarted()
  expect(await client.approval.list()).toEqual([entry])
  expect((await client.session.open({ sessionId })).header).toMatchObject({
    approvals: [{ approvalId: entry!.approvalId }],
  })
  const say = (words: string) => ({ sessionId, parts: [{ type: 'text' as const, text: words }] })
  expect(await client.session.prompt(say('said in the queue'))).toMatchObject({ queued: true })
  await client.session.steer(say('said meanwhile'))
  expect(server.requests).toHaveLength(1)
  await client.approval.reply({ ...allow(entry!), optionId: 'reject', feedback: 'not there' })
  await server.arrived(3)
  const events = await ended(client, sessionId)
  expect(events.filter(({ type }) => type === 'turn.finished')).toMatchObject([
    { stop: 'end_turn', steps: 2 },
    { stop: 'end_turn', steps: 1 },
  ])
  expect(textOf(results(events)['w']!.content)).toContain('not there')
  expect(JSON.stringify(server.requests[1]!.body)).toMatch(/not there.*said meanwhile/)
  expect(existsSync(join(scratch.project, 'new.txt'))).toBe(false)
  // The session is ready for the next prompt.
  expect(await client.session.prompt(say('said in the queue, again'))).toEqual({ queued: false })
  await ended(client, sessionId)
})

it('runs nothing twice: of parallel calls one has run, one was running, one is pending, one was not started', async () => {
  const outside = createScratch({ 'far.txt': 'far away\n' })
  const before = await setup(
    callsThenDone([
      { name: 'Read', input: { path: 'a.txt' }, id: 'ran' },
      { name: 'Bash', input: { command: 'cat pipe' }, id: 'runs' },
      { name: 'Read', input: { path: join(outside.project, 'far.txt') }, id: 'waits' },
      { name: 'Write', input: { path: 'new.txt', content: 'new' }, id: 'behind' },
    ]),
    { 'a.txt': 'one\n' },
  )
  const pipe = join(scratch.project, 'pipe')
  execFileSync('mkfifo', [pipe])
  const sessionId = await start(before)
  const [first] = await waiting(before, 1)
  // A pipe can be opened for writing without blocking only when it has a reader.
  await until(() => isRead(pipe), 'the command that reads the pipe')
  await host!.kill()
  writeFileSync(join(scratch.project, 'a.txt'), 'two\n')
  const client = await restarted()
  expect(await client.approval.list()).toEqual([first])
  await client.approval.reply(allow(first!))
  await until(() => !isRead(pipe), 'the end of the command that was cut off')
  const [second] = await waiting(client, 1)
  expect(second).toMatchObject({ tool: 'Write' })
  await client.approval.reply(allow(second!))
  const events = await ended(client, sessionId)
  expect(events.at(-1)).toMatchObject({ stop: 'end_turn', steps: 2 })
  expect(events.filter(({ type }) => type === 'tool.started')).toHaveLength(4)
  expect(events.filter(({ type }) => type === 'tool.finished')).toHaveLength(4)
  const finished = results(events)
  expect(textOf(finished['ran']!.content)).toContain('one')
  expect(textOf(finished['runs']!.content)).toMatch(/^Interrupted/)
  expect(textOf(finished['waits']!.content)).toContain('far away')
  expect(finished['behind']).toMatchObject({ isError: false })
  const messages = server.requests.at(-1)!.body['messages'] as { role: string; tool_call_id?: string }[]
  expect(messages.filter(({ role }) => role === 'tool').map((message) => message.tool_call_id)).toEqual([
    'ran',
    'runs',
    'waits',
    'behind',
  ])
  outside.remove()
})

it('does not run an edit whose file changed meanwhile, and asks again when the call still works but has a different effect', async () => {
  const before = await setup(
    callsThenDone([
      { name: 'Read', input: { path: 'a.txt' } },
      { name: 'Edit', input: { path: 'a.txt', old_string: 'one', new_string: 'ONE' }, id: 'edit' },
      { name: 'Write', input: { path: 'sub/new.txt', content: 'new' }, id: 'write' },
    ]),
    { 'a.txt': 'one\n' },
  )
  const sessionId = await start(before)
  const entries = await waiting(before, 2)
  await host!.kill()
  writeFileSync(join(scratch.project, 'a.txt'), 'one\nby hand\n')
  mkdirSync(join(scratch.project, 'sub'))
  const client = await restarted()
  const replies = await Promise.all(
    entries.map(
      async (entry) => [entry.tool, failureFrom(await rejection(client.approval.reply(allow(entry))))] as const,
    ),
  )
  expect(Object.fromEntries(replies)).toMatchObject({
    Edit: { code: 'approval.gone', message: expect.stringContaining('changed on disk') },
    Write: { code: 'approval.gone', message: expect.stringContaining('Review the new request') },
  })
  const [again] = await waiting(client, 1)
  expect(again).toMatchObject({ tool: 'Write', reason: expect.stringContaining('What it would do has changed') })
  expect(again!.approvalId).not.toBe(entries.find(({ tool }) => tool === 'Write')!.approvalId)
  await client.approval.reply(allow(again!))
  const finished = results(await ended(client, sessionId))
  expect(textOf(finished['edit']!.content)).toContain('changed on disk')
  expect(finished['write']).toMatchObject({ isError: false })
  expect(readFileSync(join(scratch.project, 'a.txt'), 'utf8')).toBe('one\nby hand\n')
})

it('applies a deny rule added while the request was pending, even over a restart', async () => {
  const before = await setup(callsThenDone([{ name: 'Bash', input: { command: 'touch made' }, id: 'b' }]))
  const sessionId = await start(before)
  const [entry] = await waiting(before, 1)
  await host!.kill()
  writeConfig(
    scratch.home,
    configFor(server.baseUrl, { loop: '[[permission.rules]]\ndecision = "deny"\npattern = "Bash(touch *)"' }),
  )
  const client = await restarted()
  expect(failureFrom(await rejection(client.approval.reply(allow(entry!)))).message).toContain('Bash(touch *)')
  expect(textOf(results(await ended(client, sessionId))['b']!.content)).toContain('Denied')
  expect(existsSync(join(scratch.project, 'made'))).toBe(false)
})

it('can be allowed for the session after a restart too, which covers the next call of that kind', async () => {
  const before = await setup((request) => {
    const done = (request.body['messages'] as { role: string }[]).filter(({ role }) => role === 'tool').length
    return done < 2
      ? { toolCalls: [{ name: 'Bash', input: { command: `mkdir made-${done}` }, id: `b${done}` }] }
      : { text: 'done' }
  })
  const sessionId = await start(before)
  const [entry] = await waiting(before, 1)
  await host!.kill()
  const client = await restarted()
  const [, wider] = await client.approval.choices({ sessionId, approvalId: entry!.approvalId })
  await client.approval.reply({
    ...allow(entry!),
    optionId: 'allow_always',
    rule: { pattern: wider!.pattern, scope: 'session' },
  })
  const events = await ended(client, sessionId)
  expect(events.filter(({ type }) => type === 'approval.requested')).toHaveLength(1)
  expect(events.find((event) => event.type === 'tool.judged')).toMatchObject({
    callId: 'b1',
    decision: 'allow',
    rule: { pattern: wider!.pattern, scope: 'session' },
  })
  expect([existsSync(join(scratch.project, 'made-0')), existsSync(join(scratch.project, 'made-1'))]).toEqual([
    true,
    true,
  ])
})

it('stops, archives and deletes older pending requests with the reason, and closes them when the folder is missing', async () => {
  const before = await setup(callsThenDone([{ name: 'Bash', input: { command: 'touch made' } }]))
  const gone = join(scratch.project, 'gone')
  mkdirSync(gone)
  const [stopped, archived, removed, homeless] = await Promise.all(
    [1, 2, 3, 4].map((n) => start(before, `go ${n}`, n === 4 ? gone : undefined)),
  )
  const entries = await waiting(before, 4)
  await host!.kill()
  rmdirSync(gone)
  const client = await restarted()
  await client.session.stop({ sessionId: stopped! })
  await client.session.change({ sessionId: archived!, archived: true })
  await client.session.remove({ sessionId: removed! })
  expect(
    failureFrom(await rejection(client.approval.reply(allow(entries.find((entry) => entry.sessionId === homeless)!))))
      .code,
  ).toBe('session.folder_missing')
  expect(await client.approval.list()).toEqual([])
  const reasonOf = async (sessionId: string) =>
    (await ended(client, sessionId)).flatMap((event) =>
      event.type === 'approval.resolved' ? [event.outcome, event.reason] : [],
    )
  expect(await reasonOf(stopped!)).toEqual(['cancelled', 'The turn was stopped.'])
  expect(await reasonOf(homeless!)).toEqual(['cancelled', expect.stringContaining(gone)])
  // Archived after the end of the turn was recorded.
  const { events } = await client.session.open({ sessionId: archived! })
  expect(events.slice(-4).map(({ type }) => type)).toEqual([
    'approval.resolved',
    'tool.finished',
    'turn.finished',
    'session.changed',
  ])
  expect(existsSync(join(scratch.project, 'made'))).toBe(false)
})

it('cancels pending requests when a script continues the session, says so, and loses nothing else', async () => {
  const before = await setup((request) => {
    const text = JSON.stringify(request.body['messages'])
    return text.includes('and now')
      ? { text: 'went on' }
      : { toolCalls: [{ name: 'Bash', input: { command: 'touch made' } }] }
  })
  await start(before)
  await waiting(before, 1)
  await host!.terminate()
  const { code, stdout, stderr } = await runTsCli(['print', 'and now', '--continue'], scratch)
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'went on\n' })
  expect(stderr).toContain('1 request that waited for an answer was cancelled')
  expect(JSON.stringify(server.requests.at(-1)!.body)).toContain('Not run')
  expect(await (await restarted()).approval.list()).toEqual([])
  expect(existsSync(join(scratch.project, 'made'))).toBe(false)
})
