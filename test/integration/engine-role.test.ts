import { chmodSync, lstatSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { SessionHeader } from '../../src/shared/model/session/session'
import { EngineLab, Followed, lives } from '../support/engine-lab'
import type { ModelScript } from '../support/model-script'
import { runCli } from '../support/run-cli'
import { until } from '../support/until'
import type { WireClient } from '../support/wire-client'

// Each test starts several programs.
let lab: EngineLab
afterEach(() => lab.end())

const text = (words: string): { type: 'text'; text: string }[] => [{ type: 'text', text: words }]
const read = { toolCalls: [{ name: 'Read', input: { path: 'notes.md' } }] }

/** The model answers once `release` is called. */
function gated(): { script: ModelScript; release(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return {
    script: async (_request, index) => {
      if (index === 0) return read
      await promise
      return { text: 'all done' }
    },
    release: resolve,
  }
}

async function session(wire: WireClient): Promise<string> {
  return (await wire.result<SessionHeader>('session.create', { folder: lab.scratch.project })).sessionId
}

test('many clients that start at the same time share one engine', async () => {
  lab = await EngineLab.start([])
  const wires = Array.from({ length: 5 }, () => lab.attach())
  const pids = await Promise.all(wires.map(async (wire) => (await wire.result<{ pid: number }>('engine.status')).pid))
  expect(new Set(pids).size).toBe(1)
  const sessionId = await session(wires[0]!)
  expect(await wires[4]!.result('session.list', {})).toMatchObject([{ sessionId }])
  expect(await wires[1]!.result('engine.status')).toMatchObject({ holder: 'engine', clients: 5, running: 0 })
})

test('the socket, its folder and the key are the user’s alone', async () => {
  lab = await EngineLab.start([])
  await lab.startEngine()
  const run = join(lab.home, 'run')
  const modeOf = (path: string): number => lstatSync(path).mode & 0o777
  expect(modeOf(run)).toBe(0o700)
  const [socket] = readdirSync(run).filter((name) => lstatSync(join(run, name)).isSocket())
  expect(modeOf(join(run, socket!))).toBe(0o600)
  expect(modeOf(join(run, 'engine.key'))).toBe(0o600)
  chmodSync(run, 0o755)
  await lab.link().client.engine.status()
  expect(modeOf(run)).toBe(0o700)
})

test('a home with a long path has its socket elsewhere, and works the same', async () => {
  lab = await EngineLab.start([])
  const long = join(lab.scratch.project, 'x'.repeat(90))
  mkdirSync(long)
  symlinkSync(join(lab.home, 'config.toml'), join(long, 'config.toml'))
  const run = await runCli(['wire', '--attach'], { home: long, stdin: '{"id":1,"method":"engine.status"}\n' })
  const [, line = ''] = run.stdout.split('\n')
  const { pid } = (JSON.parse(line) as { result: { pid: number } }).result
  expect(lives(pid)).toBe(true)
  const status = await runCli(['engine', 'status', '--json'], { home: long })
  expect(JSON.parse(status.stdout)).toMatchObject({ state: 'running', pid })
  expect(await runCli(['engine', 'stop'], { home: long })).toMatchObject({ code: 0, stdout: 'The engine stopped.\n' })
  await until(() => !lives(pid), 'the end of the engine')
})

test('a turn continues when its client is killed, and another client gets every event once', async () => {
  const { script, release } = gated()
  lab = await EngineLab.start(script)
  const first = lab.attach()
  const sessionId = await session(first)
  first.begin('push.session', { sessionId, since: 0 })
  await first.result('session.prompt', { sessionId, parts: text('go') })
  await lab.server.arrived(2)
  await first.kill()
  const followed = new Followed(lab.link(), sessionId)
  await followed.has('step.started', 2)
  release()
  await followed.has('turn.finished')
  expect(followed.events.map(({ seq }) => seq)).toEqual(followed.events.map((_, index) => index + 1))
  expect(followed.events.at(-1)).toMatchObject({ type: 'turn.finished', stop: 'end_turn', steps: 2 })
  expect(lab.server.requests).toHaveLength(2)
})

test('at the end of stdin, all requests are answered, and the engine keeps running', async () => {
  lab = await EngineLab.start([])
  const wire = lab.attach()
  await session(wire)
  const ids = Array.from({ length: 20 }, () => wire.begin('session.list', {}))
  expect((await wire.end()).code).toBe(0)
  for (const id of ids) expect(wire.lines.some((line) => 'id' in line && line.id === id && 'result' in line)).toBe(true)
  expect(await lab.status()).toMatchObject({ running: 0 })
})

test('an engine without work and clients exits after a while, and the next client starts another', async () => {
  lab = await EngineLab.start(() => ({ text: 'hi' }), '[engine]\nidle_minutes = 0.005')
  const wire = lab.attach()
  const { pid } = await wire.result<{ pid: number }>('engine.status')
  const sessionId = await session(wire)
  await wire.result('session.prompt', { sessionId, parts: text('go') })
  await wire.end()
  await until(() => !lives(pid), 'the exit of the idle engine')
  const again = lab.attach()
  expect((await again.result<{ pid: number }>('engine.status')).pid).not.toBe(pid)
  expect(await again.result('session.list', {})).toMatchObject([{ sessionId, status: 'done' }])
})

test('a restart leaves a running turn to the next engine at its next step: no step is repeated', async () => {
  const { script, release } = gated()
  lab = await EngineLab.start(script)
  const link = lab.link()
  const { pid } = (await link.client.engine.status())!
  const { sessionId } = await link.client.session.create({ folder: lab.scratch.project })
  const followed = new Followed(link, sessionId)
  await link.client.session.prompt({ sessionId, parts: text('go') })
  await lab.server.arrived(2)
  await link.client.session.prompt({ sessionId, parts: text('and then this') })
  await link.client.engine.stop({ how: 'hand-over', restart: true })
  await expect.poll(async () => (await lab.status())?.pid).not.toBe(pid)
  release()
  await followed.has('turn.finished', 2, 60_000)
  await until(() => !lives(pid), 'the end of the first engine')
  expect(followed.events.map(({ seq }) => seq)).toEqual(followed.events.map((_, index) => index + 1))
  expect(followed.types().filter((type) => type === 'step.started')).toHaveLength(3)
  expect(lab.server.requests).toHaveLength(3)
})

test('a turn that ends during a hand-over is reported to its subscribers in the next engine', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  lab = await EngineLab.start(async () => {
    await promise
    return { text: 'done' }
  })
  const link = lab.link()
  const { pid } = (await link.client.engine.status())!
  const { sessionId } = await link.client.session.create({ folder: lab.scratch.project })
  const followed = new Followed(link, sessionId)
  await link.client.session.prompt({ sessionId, parts: text('go') })
  await lab.server.arrived(1)
  await link.client.engine.stop({ how: 'hand-over', restart: true })
  await expect.poll(async () => (await lab.status())?.pid).not.toBe(pid)
  // A call in flight while the connection changes fails with `connection.lost`.
  const opened = async (): Promise<boolean> =>
    link.client.session.open({ sessionId }).then(
      () => true,
      () => false,
    )
  await expect.poll(opened).toBe(true)
  resolve()
  await followed.has('turn.finished')
  expect(followed.events.map(({ seq }) => seq)).toEqual(followed.events.map((_, index) => index + 1))
  expect(lab.server.requests).toHaveLength(1)
})

test('an engine told to stop when idle lets the running turn end first', async () => {
  const { script, release } = gated()
  lab = await EngineLab.start(script)
  const link = lab.link()
  const { sessionId } = await link.client.session.create({ folder: lab.scratch.project })
  await link.client.session.prompt({ sessionId, parts: text('go') })
  await lab.server.arrived(2)
  link.close()
  const { pid } = (await lab.status())!
  const stop = await runCli(['engine', 'stop', '--when-idle'], { home: lab.home })
  expect(stop.stdout).toBe('The engine stops when 1 running turn has ended.\n')
  expect(await lab.status()).toMatchObject({ pid, whenIdle: 'stop' })
  release()
  await until(() => !lives(pid), 'the end of the engine')
  const status = await runCli(['engine', 'status'], { home: lab.home })
  expect(status).toMatchObject({ code: 3, stdout: 'No engine is running. The next client starts one.\n' })
  const exported = await runCli(['session', 'export', sessionId, '--json'], { home: lab.home })
  expect(exported.stdout.trim().split('\n').at(-1)).toMatch(/"type":"turn.finished".*"stop":"end_turn"/)
})
