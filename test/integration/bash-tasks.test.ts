import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import type { RecordedEvent, SessionEvent } from '../../src/shared/events/event'
import { textOf } from '../../src/shared/model/turn/message'
import type { Task } from '../../src/shared/model/task/task'
import { startModelServer, type ModelServer } from '../support/model-server'
import type { ModelScript } from '../support/model-script'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { endHosts, hostPids, sourceTaskHost } from '../support/source-task-host'
import { until } from '../support/until'

const SECRET = 'correct-horse-battery-staple'
const ASKS = `read -s -p "Password: " x </dev/tty; echo; echo "got \${#x} characters"`

let scratch: Scratch
let server: ModelServer
let engine: Engine | undefined
const told: RecordedEvent[] = []

beforeEach(() => {
  scratch = createScratch()
  told.length = 0
})
afterEach(async () => {
  await engine?.close()
  engine = undefined
  await server.close()
  await endHosts(scratch.home)
  scratch.remove()
})

/** A session whose model plays the script; everything is allowed. */
async function session(
  script: ModelScript,
  { interactive = true, more = '' } = {},
): Promise<{ engine: Engine; sessionId: string }> {
  server = await startModelServer({ script })
  writeConfig(scratch.home, configFor(server.baseUrl, { more }))
  engine = await createEngine({
    version: '0.0.0-test',
    home: scratch.home,
    interactive,
    taskHost: sourceTaskHost,
    watch: false,
  })
  const { sessionId } = await engine.sessions.create({ folder: scratch.project, mode: 'auto' })
  engine.sessions.listen(sessionId, (event: SessionEvent) => {
    if ('seq' in event) told.push(event)
  })
  return { engine, sessionId }
}

/** Resolves with the first matching task, existing or new. */
async function taskWhere(of: Engine, fits: (task: Task) => boolean): Promise<Task> {
  const { promise, resolve } = Promise.withResolvers<Task>()
  const unlisten = of.onChange((change) => {
    if (change.kind === 'task' && fits(change.task)) resolve(change.task)
  })
  const known = (await of.tasks.list({})).find(fits)
  if (known) resolve(known)
  return promise.finally(unlisten)
}

/** Resolves when `count` turns have ended. */
function turnsEnded(of: Engine, sessionId: string, count: number): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (told.filter((event) => event.type === 'turn.finished').length >= count) resolve()
    }
    of.sessions.listen(sessionId, look)
    look()
  })
}

function resultOf(callId: string): string {
  const finished = told.find((event) => event.type === 'tool.finished' && event.callId === callId)
  return finished?.type === 'tool.finished' ? textOf(finished.content) : ''
}

function filesWith(text: string, folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() && readFileSync(path).includes(text))
}

const bash = (input: Record<string, unknown>) => ({ text: '', toolCalls: [{ name: 'Bash', id: 'call', input }] })

test('a password requested at the terminal is typed there; the model learns only that, and no password is recorded', async () => {
  const { engine: live, sessionId } = await session([bash({ command: ASKS }), { text: 'done' }])
  await live.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
  const waiting = await taskWhere(live, (task) => task.prompt !== undefined)
  expect(waiting).toMatchObject({
    status: 'running',
    sessionId,
    callId: 'call',
    prompt: { text: expect.stringContaining('Password:') },
  })
  await live.tasks.input(waiting.taskId, `${SECRET}\r`)
  await turnsEnded(live, sessionId, 1)
  expect(resultOf('call')).toMatch(
    new RegExp(
      `got ${SECRET.length} characters\\n\\[The command waited for input at its terminal, ` +
        'not on stdin: "Password:"; the user typed',
    ),
  )
  await live.close()
  expect(filesWith(SECRET, scratch.home)).toEqual([])
  expect(JSON.stringify(told)).not.toContain(SECRET)
  expect(JSON.stringify(server.requests)).not.toContain(SECRET)
})

test('time spent waiting for the user does not count against the time limit', async () => {
  const { engine: live, sessionId } = await session([bash({ command: ASKS, timeout: 4_000 }), { text: 'done' }])
  await live.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
  const { taskId } = await taskWhere(live, (task) => task.prompt !== undefined)
  // Longer than the whole limit.
  await new Promise((resolve) => setTimeout(resolve, 4_500))
  await live.tasks.input(taskId, 'x\r')
  await turnsEnded(live, sessionId, 1)
  expect(resultOf('call')).toContain('got 1 characters')
})

test('without a user, a command that asks for input times out, and the model is told what to do instead', async () => {
  const { engine: headless, sessionId } = await session([bash({ command: ASKS, timeout: 6_000 }), { text: 'done' }], {
    interactive: false,
  })
  await headless.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
  await turnsEnded(headless, sessionId, 1)
  expect(resultOf('call')).toMatch(
    /waited for input at its terminal, not on stdin: "Password:"\. No user is available to type, so it waited/,
  )
})

test('moving a command to the background ends the call, the command keeps running, and its end is reported', async () => {
  const command = 'echo started; while [ ! -e go ]; do sleep 0.05; done; echo through'
  const { engine: live, sessionId } = await session((request, index) => {
    if (index === 0) return bash({ command })
    return { text: JSON.stringify(request.body['messages']).includes('<task-news>') ? 'heard' : 'waiting' }
  })
  await live.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
  const { taskId } = await taskWhere(live, (task) => task.lastLine === 'started')
  expect(await live.tasks.moveToBackground(taskId)).toMatchObject({ background: true, status: 'running' })
  await turnsEnded(live, sessionId, 1)
  expect(resultOf('call')).toMatch(
    new RegExp(
      `^started\\nThe user moved this command to the background, where it keeps running\\.\\ntask_id: ${taskId}\\n`,
    ),
  )
  writeFileSync(join(scratch.project, 'go'), '')
  await turnsEnded(live, sessionId, 2)
  const [news] = told.filter((event) => event.type === 'turn.started' && event.news)
  expect(news).toMatchObject({ news: [{ taskId, status: 'completed', exitCode: 0 }] })
  expect(JSON.stringify(news)).toContain('through')
})

test('a command is stopped at its time limit when the settings say so', async () => {
  const { engine: live, sessionId } = await session(
    [bash({ command: 'echo started; sleep 60', timeout: 300 }), { text: 'done' }],
    {
      more: '[tasks]\nat_time_limit = "stop"\n',
    },
  )
  await live.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
  await turnsEnded(live, sessionId, 1)
  expect(resultOf('call')).toMatch(
    /^(?:started|It printed no output\.)\nTimed out: stopped after 0\.3 s, with everything it had started\./,
  )
})

test('a command continues in the background at its time limit, and its end is reported', async () => {
  const { engine: live, sessionId } = await session([
    bash({ command: 'echo started; sleep 60', timeout: 300 }),
    { text: 'done' },
    { text: 'ok' },
  ])
  await live.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
  await turnsEnded(live, sessionId, 1)
  const [, taskId = ''] =
    /^(?:started|It has printed no output so far\.)\nIt had not ended after 0\.3 s and keeps running in the background\.\ntask_id: (\S+)/.exec(
      resultOf('call'),
    ) ?? []
  expect(await live.tasks.stop(taskId)).toMatchObject({ status: 'stopped' })
  await turnsEnded(live, sessionId, 2)
  expect(told.filter((event) => event.type === 'turn.started' && event.news)).toHaveLength(1)
})

test("a background task that asks at its terminal is reported as waiting, and its end mentions the user's answer", async () => {
  const { engine: live, sessionId } = await session((request, index) => {
    if (index === 0) return bash({ command: ASKS, description: 'asks', run_in_background: true })
    const [, taskId = ''] = /task_id: (bash-\w{8})/.exec(JSON.stringify(request.body['messages'])) ?? []
    return index === 1
      ? {
          text: '',
          toolCalls: [{ name: 'TaskOutput', id: 'look', input: { task_id: taskId, block: true, timeout: 6 } }],
        }
      : { text: 'ok' }
  })
  await live.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
  const { taskId } = await taskWhere(live, (task) => task.prompt !== undefined)
  await turnsEnded(live, sessionId, 1)
  expect(resultOf('look')).toMatch(
    /^retrieval_status: timeout\n[^]*\nwaits_for_input: Password: \(the user was asked at its terminal\)\n/,
  )
  await live.tasks.input(taskId, `${SECRET}\r`)
  await turnsEnded(live, sessionId, 2)
  const news = JSON.stringify(told.filter((event) => event.type === 'turn.started' && event.news))
  expect(news).toContain('waited_for_input: Password: (the user typed an answer there, which is not shown to you)')
  expect(news).not.toContain(SECRET)
  expect(filesWith(SECRET, scratch.home)).toEqual([])
})

test('a background task that times out is stopped by its host, and the agent is notified', async () => {
  const { engine: live, sessionId } = await session([
    bash({ command: 'echo started; sleep 60', description: 'slow', run_in_background: true, timeout: 400 }),
    { text: 'done' },
    { text: 'ok' },
  ])
  await live.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
  await turnsEnded(live, sessionId, 2)
  const [news] = told.filter((event) => event.type === 'turn.started' && event.news)
  expect(news).toMatchObject({ news: [{ status: 'timed_out' }] })
  expect(JSON.stringify(news)).toContain('timed_out: true')
})

test('when the task host is killed, a waiting call ends as lost, and background tasks are reported lost', async () => {
  const { engine: live, sessionId } = await session([
    bash({ command: 'echo started; sleep 60', description: 'server', run_in_background: true }),
    { text: '', toolCalls: [{ name: 'Bash', id: 'waits', input: { command: 'echo working; sleep 61' } }] },
    { text: 'done' },
    { text: 'ok' },
  ])
  await live.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
  const working = await taskWhere(live, (task) => task.lastLine === 'working')
  // Only output that is already on disk survives when the host is killed.
  const isKept = (): boolean =>
    existsSync(working.outputPath) && readFileSync(working.outputPath, 'utf8').includes('working')
  await until(isKept, 'the output on disk')
  for (const pid of hostPids(scratch.home)) process.kill(pid, 'SIGKILL')
  await until(
    () => live.sessions.header(sessionId).news.length === 0 && live.sessions.header(sessionId).turnId === undefined,
    'the news',
  )
  expect(resultOf('waits')).toMatch(/^working\n\[The task host that ran the command died[^]*\nLost after/)
  const news = told.flatMap((event) =>
    event.type === 'turn.started' || event.type === 'turn.steered' ? (event.news ?? []) : [],
  )
  expect(news).toMatchObject([{ status: 'lost', description: 'server' }])
})
