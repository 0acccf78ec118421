import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import { failureFrom } from '../../src/renderer/client/failure-from'
import { subscribeSession } from '../../src/renderer/client/subscriptions'
import type { Approval } from '../../src/shared/model/approval/approval'
import { type RecordedEvent, isRecorded } from '../../src/shared/events/event'
import { applyHeader, emptyHeader } from '../../src/shared/events/fold-header'
import { rejection } from '../support/required'
import { endHosts, sourceTaskHost } from '../support/source-task-host'
import { until } from '../support/until'
import { WAYS } from '../support/ways'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

type Serve = (typeof WAYS)[keyof typeof WAYS]

async function setup(serve: Serve) {
  const home = await mkdtemp(join(tmpdir(), 'trestle-home-'))
  cleanups.push(() => rm(home, { recursive: true }))
  cleanups.push(() => endHosts(home))
  const engine = await createEngine({
    version: '0.0.0-test',
    home,
    interactive: true,
    watch: false,
    taskHost: sourceTaskHost,
  })
  cleanups.push(() => engine.close())
  const served = await serve(engine)
  cleanups.push(() => served.stop())
  return { engine, home, served, client: served.connect().client }
}

const codeOf = async (call: Promise<unknown>) => failureFrom(await rejection(call)).code

/** Plays the demo from the first prompt to the end, allowing what it asks and breaking the wire after each answer. */
async function playDemo(serve: Serve): Promise<void> {
  const { engine, served, client } = await setup(serve)
  const { path } = await client.folder.scratch()
  cleanups.push(() => rm(dirname(path), { recursive: true }))
  const { sessionId } = await client.session.create({ folder: path, model: 'demo/scripted' })
  const events: RecordedEvent[] = []
  const waiting: Approval[] = []
  let streamed = 0
  let starts = 0
  const stop = subscribeSession(
    client,
    sessionId,
    0,
    (push) => {
      if (push.type === 'start') starts += 1
      if (push.type !== 'events') return
      for (const event of push.events) {
        if (!isRecorded(event)) streamed += 1
        else {
          events.push(event)
          if (event.type === 'approval.requested') waiting.push(event.approval)
        }
      }
    },
    { retryMs: 1 },
  )
  cleanups.push(stop)
  await until(() => starts > 0, 'the subscription')
  await client.session.prompt({ sessionId, parts: [{ type: 'text', text: 'Show me what you can do' }] })
  let answered = 0
  const isOver = (): boolean => events.some((event) => event.type === 'turn.finished')
  while (!isOver()) {
    await until(() => isOver() || waiting.length > answered, 'an approval or the end')
    const approval = waiting[answered]
    if (!approval) continue
    answered += 1
    const optionId = approval.options.find((option) => option.kind === 'allow_once')?.optionId ?? ''
    await client.approval.reply({ sessionId, approvalId: approval.approvalId, optionId })
    expect(
      failureFrom(await rejection(client.approval.reply({ sessionId, approvalId: approval.approvalId, optionId }))),
    ).toMatchObject({
      code: 'approval.gone',
    })
    // The answer has arrived; from here on the wire may break.
    served.breakWires()
  }
  expect(events.at(-1)).toMatchObject({ type: 'turn.finished', stop: 'end_turn' })
  expect(answered).toBeGreaterThan(0)
  // Its background task has ended, and it was told.
  expect(events.flatMap((event) => (event.type === 'turn.steered' ? [event.by] : []))).toEqual(['task'])
  expect(streamed).toBeGreaterThan(0)
  expect(events.map((event) => event.seq)).toEqual(events.map((_event, index) => index + 1))
  expect(events.reduce(applyHeader, emptyHeader(sessionId))).toEqual(engine.sessions.header(sessionId))
  expect(await readdir(path)).toContain('trestle-demo.md')
  expect(served.bugs).toEqual([])
}

describe('the real engine', () => {
  // All at once: the demo takes its time, so that people can watch it.
  test("the demo streams, asks, is allowed and finishes over every transport, broken connections or not, and its log folds to the engine's state", async () => {
    const plays = await Promise.allSettled(Object.values(WAYS).map(playDemo))
    expect(plays).toEqual(Object.keys(WAYS).map(() => ({ status: 'fulfilled', value: undefined })))
  })

  test.each(Object.entries(WAYS))('failures arrive with their codes over %s', async (_name, serve) => {
    const { client, served, home } = await setup(serve)
    expect(await codeOf(client.session.create({ folder: join(home, 'not-there') }))).toBe('session.folder_missing')
    expect(await codeOf(client.session.open({ sessionId: 'nope' }))).toBe('session.not_found')
    expect(await codeOf(client.push.session({ sessionId: 'nope', since: 0 }))).toBe('session.not_found')
    const { sessionId } = await client.session.create({ folder: home })
    expect(await codeOf(client.approval.reply({ sessionId, approvalId: 'nope', optionId: 'x' }))).toBe('approval.gone')
    expect(
      await codeOf(client.session.editQueued({ sessionId, promptId: 'nope', parts: [{ type: 'text', text: 'x' }] })),
    ).toBe('request.invalid')
    await client.session.remove({ sessionId })
    expect(await client.session.list({})).toEqual([])
    expect(served.bugs).toEqual([])
  })

  test('sandbox settings are written to config.toml with its comments kept, and settings that would be ignored there are rejected', async () => {
    const { client, home } = await setup(WAYS.direct)
    const file = join(home, 'config.toml')
    await client.settings.setDefaultMode({ mode: 'ask' })
    await writeFile(file, `# mine\n${await readFile(file, 'utf8')}`)
    const added = await client.settings.setSandbox({
      hosts: ['example.com'],
      write: ['~/.cache/tool'],
      defaults: false,
      mode: 'required',
    })
    expect(added.sandbox).toMatchObject({
      mode: 'required',
      hosts: ['example.com'],
      write: ['~/.cache/tool'],
      read: [],
      defaults: false,
    })
    expect(added.sandbox.builtIn.write).toContain('~/.npm')
    expect(added.problems).toEqual([])
    const text = await readFile(file, 'utf8')
    expect(text).toContain('# mine')
    expect(text).toMatch(/\[sandbox\]\n(.*\n)*hosts = \["example\.com"\]/)
    for (const wrong of [{ hosts: ['https://example.com/x'] }, { write: ['relative'] }, { read: ['/a\nb'] }])
      expect(await codeOf(client.settings.setSandbox(wrong))).toBe('request.invalid')
    const emptied = await client.settings.setSandbox({ hosts: [], write: [], defaults: true })
    expect(emptied.sandbox).toMatchObject({ mode: 'required', hosts: [], write: [], defaults: true })
    expect(await readFile(file, 'utf8')).not.toMatch(/hosts|write|defaults/)
  })
})
