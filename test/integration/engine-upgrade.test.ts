import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { afterEach, expect, test, vi } from 'vitest'
import { EngineLab, Followed, lives } from '../support/engine-lab'
import { RUNS_ALL } from '../support/sampled'
import { TwoBuilds } from '../support/two-builds'
import { until } from '../support/until'

vi.setConfig({ testTimeout: RUNS_ALL ? 1_800_000 : 180_000 })

/** All of them with TRESTLE_TESTS=all. */
const UPGRADES = RUNS_ALL ? 200 : 3
/** Programs start slowly on a busy machine. */
const LIMIT_MS = 90_000

let lab: EngineLab
let installed: TwoBuilds | undefined
afterEach(async () => {
  await lab.end()
  installed?.remove()
  installed = undefined
})

test(`${UPGRADES} upgrades while a turn and a task run stop neither, and repeat no step`, async () => {
  let gate = Promise.withResolvers<void>()
  lab = await EngineLab.start(async ({ body }) => {
    const messages = body['messages'] as { role: string; content: unknown }[]
    const last = messages.findLastIndex(({ role }) => role === 'user')
    const isTask = JSON.stringify(messages[last]).includes('task')
    if (messages.slice(last).some(({ role }) => role === 'tool')) {
      if (!isTask) await gate.promise
      return { text: 'done' }
    }
    return isTask
      ? {
          toolCalls: [
            { name: 'Bash', input: { command: 'exec sleep 3600', description: 'wait', run_in_background: true } },
          ],
        }
      : { toolCalls: [{ name: 'Read', input: { path: 'notes.md' } }] }
  })
  const app = new TwoBuilds()
  installed = app
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, TRESTLE_HOME: lab.home, TRESTLE_KEY_STORE: 'file' }
  const engine = spawn(process.execPath, [app.program, 'engine'], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  await once(engine.stdout, 'data')
  const link = lab.link('never starts one')
  const { sessionId } = await link.client.session.create({ folder: lab.scratch.project, mode: 'auto' })
  const followed = new Followed(link, sessionId)
  const say = (text: string): Promise<unknown> =>
    link.client.session.prompt({ sessionId, parts: [{ type: 'text', text }] })
  await say('start the task')
  await followed.has('turn.finished', 1, LIMIT_MS)
  const [task] = await link.client.task.list({ activeOnly: true })
  for (let round = 1; round <= UPGRADES; round += 1) {
    const requests = lab.server.requests.length
    await say(`round ${round}`)
    await lab.server.arrived(requests + 2)
    const { pid } = (await lab.status())!
    app.upgrade()
    const restart = promisify(execFile)(process.execPath, [app.program, 'engine', 'restart'], { env })
    await expect.poll(async () => (await lab.status())?.pid ?? pid, { timeout: LIMIT_MS }).not.toBe(pid)
    gate.resolve()
    expect((await restart).stdout).toContain('1 running turn continues at the next step')
    await followed.has('turn.finished', round + 1, LIMIT_MS)
    await until(() => !lives(pid), 'the end of the engine before', LIMIT_MS)
    expect(await lab.status()).toMatchObject({ version: app.version })
    expect(lab.server.requests).toHaveLength(requests + 2)
    expect(await link.client.task.list({ activeOnly: true })).toMatchObject([
      { taskId: task!.taskId, pid: task!.pid, status: 'running' },
    ])
    gate = Promise.withResolvers()
  }
  const ends = followed.events.flatMap((event) => (event.type === 'turn.finished' ? [event.stop] : []))
  expect(ends).toEqual(Array.from({ length: UPGRADES + 1 }, () => 'end_turn'))
  expect(followed.events.map(({ seq }) => seq)).toEqual(followed.events.map((_, index) => index + 1))
  expect(lives(task!.pid!)).toBe(true)
})
