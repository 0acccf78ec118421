import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { RecordedEvent } from '../../src/shared/events/event'
import { startModelServer, type ModelServer } from '../support/model-server'
import type { ModelScript, RecordedRequest } from '../support/model-script'
import { runCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { serveApp } from '../support/served-app'
import { endHosts } from '../support/source-task-host'
import { until } from '../support/until'

/** How often the app is killed; TRESTLE_KILLS=100 for the full count. */
const KILLS = Number(process.env['TRESTLE_KILLS'] ?? 6)

let scratch: Scratch
let server: ModelServer
beforeEach(() => {
  scratch = createScratch()
})
afterEach(async () => {
  await server.close()
  await endHosts(scratch.home)
  scratch.remove()
})

async function serveModel(script: ModelScript, more = ''): Promise<void> {
  server = await startModelServer({ script })
  writeConfig(scratch.home, configFor(server.baseUrl, { more }))
}

function print(prompt: string, ...more: string[]) {
  return runCli(['print', prompt, '--cwd', scratch.project, '--output-format', 'stream-json', ...more], {
    home: scratch.home,
  })
}

function recorded(stdout: string): RecordedEvent[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RecordedEvent)
    .filter((event) => 'seq' in event)
}

/** All events of all sessions from the store. */
function stored(): RecordedEvent[] {
  const db = new Database(join(scratch.home, 'trestle.db'), { readonly: true })
  try {
    return db
      .prepare<[], { body: string; sessionId: string }>('SELECT session_id AS sessionId, body FROM event ORDER BY id')
      .all()
      .map(({ body, sessionId }) => ({ ...(JSON.parse(body) as RecordedEvent), sessionId }))
  } finally {
    db.close()
  }
}

/** The tasks that the agent was notified of, one entry per notification. */
function told(): string[] {
  return stored().flatMap((event) =>
    event.type === 'turn.started' || event.type === 'turn.steered'
      ? (event.news ?? []).map(({ taskId }) => taskId)
      : [],
  )
}

function started(): string[] {
  return stored().flatMap((event) => (event.type === 'task.started' ? [event.task.taskId] : []))
}

function messagesOf({ body }: RecordedRequest): string {
  return JSON.stringify(body['messages'])
}

const IN_BACKGROUND = (command: string) => ({
  text: '',
  toolCalls: [{ name: 'Bash', input: { command, description: 'a test', run_in_background: true } }],
})

it('a model starts a server in the background, reads its output, pages its log without approval, and stops it', async () => {
  writeFileSync(
    join(scratch.project, 'server.js'),
    "require('http').createServer().listen(0, '127.0.0.1', " +
      "function () { console.log('ready on', this.address().port) })",
  )
  const rules = ['Bash(node server.js)', 'TaskStop']
    .map((pattern) => `[[permission.rules]]\ndecision = "allow"\npattern = "${pattern}"\n`)
    .join('')
  let [taskId, outputPath] = ['', '']
  await serveModel((request, index) => {
    const said = messagesOf(request)
    taskId = /task_id: (bash-\w{8})/.exec(said)?.[1] ?? taskId
    outputPath = /output_path: ([^\\"]+)/.exec(said)?.[1] ?? outputPath
    if (index === 0) return IN_BACKGROUND('node server.js')
    if (!said.includes('ready on '))
      return { text: '', toolCalls: [{ name: 'TaskOutput', input: { task_id: taskId, block: true, timeout: 1 } }] }
    if (!said.includes('1\\tready on ')) return { text: '', toolCalls: [{ name: 'Read', input: { path: outputPath } }] }
    if (!said.includes('status: stopped'))
      return { text: '', toolCalls: [{ name: 'TaskStop', input: { task_id: taskId } }] }
    return { text: 'done' }
  }, rules)
  const run = await print('serve', '--permission-mode', 'ask')
  expect(run).toMatchObject({ code: 0, stderr: '' })
  const events = recorded(run.stdout)
  const finished = events.filter((event) => event.type === 'tool.finished')
  expect(finished.filter((event) => event.isError)).toEqual([])
  expect(finished[0]!.details).toMatchObject({
    kind: 'task',
    started: 'started',
    task: { status: 'running', outputPath },
  })
  expect(finished.at(-1)!.details).toMatchObject({ kind: 'task', told: true, task: { status: 'stopped' } })
  expect(told()).toEqual([])
})

it('print mode exits while a task runs, says so, and the next run notifies the agent, once', async () => {
  await serveModel((request, index) => {
    if (index === 0) return IN_BACKGROUND('sleep 1; echo finished; exit 3')
    return { text: messagesOf(request).includes('<task-news>') ? 'heard' : 'not heard' }
  })
  const first = await print('start', '--permission-mode', 'auto')
  const [taskId = ''] = started()
  expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining(taskId) })
  const { sessionId } = recorded(first.stdout)[0]!
  await until(
    () => readFileSync(join(scratch.home, 'tasks', taskId, 'task.json'), 'utf8').includes('"failed"'),
    'the task to end',
  )
  const second = await print('and now', '-S', sessionId, '--permission-mode', 'auto')
  const steered = recorded(second.stdout).filter((event) => event.type === 'turn.steered')
  expect(steered).toMatchObject([{ by: 'task', news: [{ taskId, status: 'failed', exitCode: 3 }] }])
  expect(messagesOf(server.requests.at(-1)!)).toContain('finished')
  await print('and again', '-S', sessionId, '--permission-mode', 'auto')
  expect(told()).toEqual([taskId])
})

it(
  'the app reports every task exactly once, however often it is killed, including tasks that ended while no app ran',
  async () => {
    await serveModel((request) => {
      const messages = request.body['messages'] as { role: string; content: unknown }[]
      const asked = messages.slice(messages.findLastIndex(({ role }) => role !== 'user') + 1)
      return asked.some(({ content }) => JSON.stringify(content).includes('start one'))
        ? IN_BACKGROUND('sleep 0.4; echo over')
        : { text: 'well' }
    })
    const { PATH = '', HOME = '' } = process.env
    const env = { PATH, HOME, TRESTLE_HOME: scratch.home }
    const first = await print('start one', '--permission-mode', 'auto')
    const { sessionId } = recorded(first.stdout)[0]!
    for (let kill = 0; kill < KILLS; kill += 1) {
      const app = await serveApp(env)
      await new Promise((resolve) => setTimeout(resolve, (kill * 137) % 900))
      await app.kill()
      await print('start one', '-S', sessionId, '--permission-mode', 'auto')
    }
    const app = await serveApp(env)
    try {
      await until(() => told().length >= started().length, 'every notification')
      const ids = started()
      expect(ids).toHaveLength(KILLS + 1)
      expect(told().toSorted()).toEqual(ids.toSorted())
    } finally {
      await app.close()
    }
  },
  60_000 + KILLS * 5_000,
)
