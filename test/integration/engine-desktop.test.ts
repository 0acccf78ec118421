import { afterEach, expect, test } from 'vitest'
import { version } from '../../package.json'
import { createEngine } from '../../src/main/engine/engine'
import { openDesktopEngine, type DesktopEngine } from '../../src/main/role/desktop-engine'
import { EngineLab, Followed, lives } from '../support/engine-lab'
import { until } from '../support/until'

let lab: EngineLab
let app: DesktopEngine | undefined
afterEach(async () => {
  await app?.close()
  app = undefined
  await lab.end()
})

/** The engine as opened by the main process of the desktop app. */
async function openApp(): Promise<DesktopEngine> {
  const log = (): void => {}
  app = await openDesktopEngine({
    home: lab.home,
    version,
    log,
    start: lab.startEngine,
    open: (keepsTurns) => createEngine({ version, home: lab.home, interactive: true, keepsTurns, log }),
  })
  return app
}

/** Quits the app, as `leave` or `close` does. */
async function quit(how: (engine: DesktopEngine) => Promise<void> | undefined): Promise<void> {
  const engine = app!
  app = undefined
  await how(engine)
}

const text = (words: string): { type: 'text'; text: string }[] => [{ type: 'text', text: words }]
const read = { toolCalls: [{ name: 'Read', input: { path: 'notes.md' } }] }
const seqs = ({ events }: Followed): number[] => events.map(({ seq }) => seq)

test('the open app holds the engine: clients see its sessions and answer its requests, and cannot stop it', async () => {
  lab = await EngineLab.start(({ body }) =>
    JSON.stringify(body['messages']).includes('"role":"tool"')
      ? { text: 'done' }
      : { toolCalls: [{ name: 'Write', input: { path: 'new.md', content: 'x' } }] },
  )
  const engine = await openApp()
  const { client } = lab.link()
  expect(await client.engine.status()).toMatchObject({ holder: 'desktop', pid: process.pid, clients: 1 })
  const { sessionId } = await engine.sessions.create({ folder: lab.scratch.project, mode: 'ask' })
  await engine.sessions.prompt(sessionId, text('go'))
  await expect.poll(async () => (await client.approval.list()).length).toBe(1)
  const [{ approvalId } = { approvalId: '' }] = await client.approval.list()
  await client.approval.reply({ sessionId, approvalId, optionId: 'allow_once' })
  await expect.poll(() => engine.sessions.header(sessionId).turnId).toBeUndefined()
  await expect(client.engine.stop({ how: 'now' })).rejects.toMatchObject({
    code: 'request.invalid',
    message: expect.stringContaining('Quit the app instead'),
  })
})

test('a running turn moves from the app to a resident engine when it quits, and back at its next start', async () => {
  const steps = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  lab = await EngineLab.start(async (_request, index) => {
    if (index > 0) await steps[index - 1]?.promise
    return index < 2
      ? { toolCalls: [{ name: 'Read', input: { path: 'notes.md', n_lines: index + 1 } }] }
      : { text: 'done' }
  })
  const engine = await openApp()
  const link = lab.link()
  const { sessionId } = await engine.sessions.create({ folder: lab.scratch.project })
  const followed = new Followed(link, sessionId)
  await engine.sessions.prompt(sessionId, text('go'))
  await lab.server.arrived(2)
  const leaving = quit((one) => one.leave?.({ resident: true, limitMs: 60_000 }))
  await expect.poll(async () => (await lab.status())?.holder).toBe('engine')
  steps[0]!.resolve()
  await leaving
  await lab.server.arrived(3)
  const { pid } = (await lab.status())!
  expect(pid).not.toBe(process.pid)
  const again = await openApp()
  expect(await lab.status()).toMatchObject({ holder: 'desktop', pid: process.pid })
  steps[1]!.resolve()
  await followed.has('turn.finished')
  await until(() => !lives(pid), 'the end of the resident engine')
  expect(seqs(followed)).toEqual(followed.events.map((_, index) => index + 1))
  expect(followed.types().filter((type) => type === 'step.started')).toHaveLength(3)
  expect(followed.events.at(-1)).toMatchObject({ type: 'turn.finished', stop: 'end_turn', steps: 3 })
  expect(lab.server.requests).toHaveLength(3)
  expect(again.sessions.header(sessionId).turnId).toBeUndefined()
})

test('at log-out, a running turn is left as it is, and continues when the app starts again', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  lab = await EngineLab.start(async (_request, index) => {
    if (index === 0) return read
    if (index === 1) await promise
    return { text: 'done' }
  })
  const engine = await openApp()
  const { sessionId } = await engine.sessions.create({ folder: lab.scratch.project })
  await engine.sessions.prompt(sessionId, text('go'))
  await lab.server.arrived(2)
  await quit((one) => one.leave?.({ resident: false, limitMs: 50 }))
  resolve()
  expect(await lab.status()).toBeUndefined()
  const again = await openApp()
  await expect.poll(() => again.sessions.header(sessionId).turnId).toBeUndefined()
  const events = again.sessions.since(sessionId, 0)
  expect(events.at(-1)).toMatchObject({ type: 'turn.finished', stop: 'end_turn', steps: 2 })
  expect(lab.server.requests).toHaveLength(3)
  expect(lab.server.requests[2]!.body['messages']).toEqual(lab.server.requests[1]!.body['messages'])
})

test('stopping and quitting ends the turns, and none of them continues', async () => {
  lab = await EngineLab.start(() => ({ text: 'never said', faults: { stallAfterBytes: 1 } }))
  const engine = await openApp()
  const { sessionId } = await engine.sessions.create({ folder: lab.scratch.project })
  await engine.sessions.prompt(sessionId, text('go'))
  await lab.server.arrived(1)
  await quit((one) => one.close())
  const again = await openApp()
  expect(again.sessions.since(sessionId, 0).at(-1)).toMatchObject({ type: 'turn.finished', stop: 'cancelled' })
  expect(lab.server.requests).toHaveLength(1)
})
