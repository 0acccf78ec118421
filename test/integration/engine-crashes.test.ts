import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import type { RecordedEvent } from '../../src/shared/events/event'
import type { CodedError } from '../../src/shared/errors'
import { EngineLab, Followed, lives } from '../support/engine-lab'
import { RUNS_ALL } from '../support/sampled'
import { until } from '../support/until'

vi.setConfig({ testTimeout: RUNS_ALL ? 1_800_000 : 600_000 })

/** All of them with TRESTLE_TESTS=all. */
const CUTS = RUNS_ALL ? 1000 : 40
const KILLS = RUNS_ALL ? 100 : 3

let lab: EngineLab
afterEach(() => lab.end())

const text = (words: string): { type: 'text'; text: string }[] => [{ type: 'text', text: words }]
const numbers = (events: readonly RecordedEvent[]): number[] => events.map(({ seq }) => seq)
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)
const count = (followed: Followed, type: RecordedEvent['type']): number =>
  followed.types().filter((one) => one === type).length

test(`no event is lost or repeated through ${CUTS} cuts of the connection at random moments, and no turn stops`, async () => {
  // Ten steps with a streamed answer each.
  lab = await EngineLab.start(({ body }) => {
    const messages = body['messages'] as { role: string }[]
    const last = messages.findLastIndex(({ role }) => role === 'user')
    const answers = messages.slice(last).filter(({ role }) => role === 'assistant').length
    const streamed = { text: 'word '.repeat(30), deltaChars: 15, faults: { eventDelayMs: 3 } }
    return answers >= 10
      ? streamed
      : { ...streamed, toolCalls: [{ name: 'Read', input: { path: 'notes.md', n_lines: 1 + answers } }] }
  })
  await lab.startEngine()
  const proxy = await lab.proxy()
  const link = lab.link(proxy)
  const { sessionId } = await lab.link().client.session.create({ folder: lab.scratch.project })
  const cut = new Followed(link, sessionId)
  const uncut = new Followed(lab.link(), sessionId)
  const direct = lab.link()
  let turns = 0
  while (proxy.cuts < CUTS) {
    turns += 1
    await direct.client.session.prompt({ sessionId, parts: text(`go ${turns}`) })
    while (count(uncut, 'turn.finished') < turns) {
      await link.connection()
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 25))
      proxy.cut()
    }
  }
  const total = uncut.events.length
  await until(() => cut.events.length >= total, 'the last event')
  expect(numbers(cut.events)).toEqual(upTo(total))
  expect(cut.events).toEqual(uncut.events)
  expect(cut.events.flatMap((event) => (event.type === 'turn.finished' ? [event.stop] : []))).toEqual(
    Array.from({ length: turns }, () => 'end_turn'),
  )
})

test('a link in which nothing arrives for a whole turn misses no event, and neither the turn nor others wait for it', async () => {
  lab = await EngineLab.start((_request, index) =>
    index < 5
      ? { text: 'word', toolCalls: [{ name: 'Read', input: { path: 'notes.md', n_lines: index + 1 } }] }
      : { text: 'done' },
  )
  await lab.startEngine()
  const proxy = await lab.proxy()
  const { client } = lab.link()
  const { sessionId } = await client.session.create({ folder: lab.scratch.project })
  for (const ends of ['reopened', 'cut'] as const) {
    const [cut, uncut] = [new Followed(lab.link(proxy), sessionId), new Followed(lab.link(), sessionId)]
    await Promise.all([cut.has('session.created'), uncut.has('session.created')])
    const before = count(uncut, 'turn.finished')
    proxy.blackHole()
    await client.session.prompt({ sessionId, parts: text('go') })
    await uncut.has('turn.finished', before + 1)
    if (ends === 'cut') proxy.cut()
    proxy.reopen()
    await cut.has('turn.finished', before + 1)
    expect(cut.events).toEqual(uncut.events)
    expect(numbers(cut.events)).toEqual(upTo(cut.events.length))
  }
})

test('over a slow link that is cut while an answer is on its way, a request is answered once', async () => {
  const rounds = RUNS_ALL ? 100 : 3
  lab = await EngineLab.start(({ body }) => {
    const messages = body['messages'] as { role: string }[]
    return messages.at(-1)?.role === 'tool'
      ? { text: 'done' }
      : { toolCalls: [{ name: 'Bash', input: { command: `echo ran >> made` } }] }
  })
  await lab.startEngine()
  const proxy = await lab.proxy()
  proxy.delayMs = 15
  const [slow, direct] = [lab.link(proxy), lab.link()]
  const { sessionId } = await direct.client.session.create({ folder: lab.scratch.project, mode: 'ask' })
  const followed = new Followed(slow, sessionId)
  for (let round = 1; round <= rounds; round += 1) {
    await direct.client.session.prompt({ sessionId, parts: text(`go ${round}`) })
    await followed.has('approval.requested', round)
    const [{ approvalId } = { approvalId: '' }] = await direct.client.approval.list()
    const answer = (): Promise<unknown> =>
      slow.client.approval
        .reply({ sessionId, approvalId, optionId: 'allow_once' })
        .then(() => 'done')
        .catch((error: unknown) => (error as CodedError).code)
    const first = answer()
    const moment = setTimeout(() => proxy.cut(), Math.random() * 45)
    let outcome = await first
    clearTimeout(moment)
    // The request may or may not have arrived, so the client sends it again.
    while (outcome === 'connection.lost') outcome = await answer()
    expect(['done', 'approval.gone']).toContain(outcome)
    await followed.has('turn.finished', round)
  }
  expect(readFileSync(join(lab.scratch.project, 'made'), 'utf8')).toBe('ran\n'.repeat(rounds))
  expect(count(followed, 'approval.resolved')).toBe(rounds)
  expect(numbers(followed.events)).toEqual(upTo(followed.events.length))
})

test('a killed engine costs only the running step: the next client brings it back, and the user is told', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  lab = await EngineLab.start(async ({ body }, index) => {
    const results = JSON.stringify(body['messages']).split('"role":"tool"').length - 1
    if (results < 2) return { toolCalls: [{ name: 'Bash', input: { command: `echo ran-${results} >> made` } }] }
    // The first time, the engine is killed while it waits for this answer.
    if (index === 2) await promise
    return { text: 'done' }
  })
  const link = lab.link()
  const { sessionId } = await link.client.session.create({ folder: lab.scratch.project, mode: 'auto' })
  const followed = new Followed(link, sessionId)
  await link.client.session.prompt({ sessionId, parts: text('go') })
  await lab.server.arrived(3)
  const pid = await lab.killEngine()
  // Its connection is lost, and the next one starts the engine.
  await followed.has('turn.finished')
  resolve()
  expect((await lab.status())!.pid).not.toBe(pid)
  expect(numbers(followed.events)).toEqual(upTo(followed.events.length))
  expect(followed.events.at(-1)).toMatchObject({ type: 'turn.finished', stop: 'end_turn', steps: 3 })
  expect(readFileSync(join(lab.scratch.project, 'made'), 'utf8')).toBe('ran-0\nran-1\n')
  expect(lab.server.requests).toHaveLength(4)
  expect(lab.server.requests[3]!.body['messages']).toEqual(lab.server.requests[2]!.body['messages'])
  const { notifications } = await link.client.notification.list({})
  expect(notifications[0]).toMatchObject({
    source: 'engine',
    sessionId,
    title: 'Trestle stopped unexpectedly and has restarted',
    body: expect.stringContaining('Only the step that was running is repeated'),
  })
  expect((await link.client.app.info()).notices.join()).toContain('has restarted')
})

test('a call that ran when the engine was killed is reported as interrupted, and is not run again', async () => {
  lab = await EngineLab.start(({ body }) => {
    const answered = JSON.stringify(body['messages']).includes('"role":"tool"')
    return answered
      ? { text: 'done' }
      : { toolCalls: [{ name: 'Bash', input: { command: 'echo started >> made; sleep 600' } }] }
  })
  const link = lab.link()
  const { sessionId } = await link.client.session.create({ folder: lab.scratch.project, mode: 'auto' })
  const followed = new Followed(link, sessionId)
  await link.client.session.prompt({ sessionId, parts: text('go') })
  const made = (): string => readFileSync(join(lab.scratch.project, 'made'), { encoding: 'utf8', flag: 'a+' })
  await until(() => made() !== '', 'the command')
  await lab.killEngine()
  await followed.has('turn.finished')
  expect(made()).toBe('started\n')
  expect(followed.events.filter(({ type }) => type === 'tool.finished')).toMatchObject([
    { isError: true, content: [{ text: expect.stringContaining('Interrupted') }] },
  ])
  expect(followed.events.at(-1)).toMatchObject({ type: 'turn.finished', stop: 'end_turn' })
})

test('a turn whose engine was killed does not continue with the environment variables of another client', async () => {
  lab = await EngineLab.start(({ body }) =>
    JSON.stringify(body['messages']).includes('carry on with it')
      ? { text: 'done' }
      : { text: 'never said', faults: { stallAfterBytes: 1 } },
  )
  lab.env['KUBECONFIG'] = '/staging'
  const link = lab.link()
  const { sessionId } = await link.client.session.create({ folder: lab.scratch.project })
  const followed = new Followed(link, sessionId)
  await link.client.session.prompt({ sessionId, parts: text('go') })
  await lab.server.arrived(1)
  lab.env['KUBECONFIG'] = '/production'
  await lab.killEngine()
  await followed.has('turn.finished')
  expect(followed.events.at(-1)).toMatchObject({ type: 'turn.finished', stop: 'cancelled' })
  expect(lab.server.requests).toHaveLength(1)
  await expect
    .poll(async () => (await link.client.notification.list({})).notifications[0])
    .toMatchObject({
      title: 'A session could not be continued',
      body: expect.stringMatching(/other environment variables now: KUBECONFIG\. Send a message in it to continue\.$/),
    })
  await link.client.session.prompt({ sessionId, parts: text('carry on with it') })
  await followed.has('turn.finished', 2)
  expect(followed.events.at(-1)).toMatchObject({ stop: 'end_turn' })
})

test(`${KILLS} kills at random moments of a turn repeat at most one step each, and lose nothing`, async () => {
  const steps = 6
  lab = await EngineLab.start(({ body }) => {
    const messages = body['messages'] as { role: string }[]
    const last = messages.findLastIndex(({ role }) => role === 'user')
    const results = messages.slice(last).filter(({ role }) => role === 'tool').length
    const streamed = { text: 'word '.repeat(20), deltaChars: 15, faults: { eventDelayMs: 4 } }
    return results >= steps
      ? streamed
      : { ...streamed, toolCalls: [{ name: 'Read', input: { path: 'notes.md', n_lines: 1 + (results % 2) } }] }
  })
  const link = lab.link()
  for (let round = 0; round < KILLS; round += 1) {
    const { sessionId } = await link.client.session.create({ folder: lab.scratch.project, mode: 'auto' })
    const followed = new Followed(link, sessionId)
    const before = lab.server.requests.length
    await link.client.session.prompt({ sessionId, parts: text('go') })
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 1500))
    const isOver = followed.types().includes('turn.finished')
    await lab.killEngine()
    await followed.has('turn.finished', 1, 60_000)
    expect(numbers(followed.events)).toEqual(upTo(followed.events.length))
    expect(followed.events.at(-1)).toMatchObject({ type: 'turn.finished', stop: 'end_turn', steps: steps + 1 })
    expect(count(followed, 'turn.finished')).toBe(1)
    expect(count(followed, 'tool.started')).toBe(steps)
    expect(count(followed, 'tool.finished')).toBe(steps)
    expect(lab.server.requests.length - before).toBeLessThanOrEqual(steps + (isOver ? 1 : 2))
  }
})

test('a turn that crashes its engine each time is continued twice, and then stopped with a message', async () => {
  lab = await EngineLab.start(() => ({ text: 'never said', faults: { stallAfterBytes: 1 } }))
  const link = lab.link()
  const { sessionId } = await link.client.session.create({ folder: lab.scratch.project })
  const followed = new Followed(link, sessionId)
  await link.client.session.prompt({ sessionId, parts: text('go') })
  for (let kills = 1; kills <= 3; kills += 1) {
    await lab.server.arrived(kills)
    await lab.killEngine()
  }
  await followed.has('turn.finished')
  expect(lab.server.requests).toHaveLength(3)
  const { notifications } = await link.client.notification.list({})
  expect(notifications[0]).toMatchObject({
    title: 'A session could not be continued',
    body: expect.stringMatching(/Trestle stopped 3 times while it ran\. Send a message in it to continue\.$/),
  })
})

test('a request for approval outlives its client and the engine, and is answered once', async () => {
  lab = await EngineLab.start(({ body }) =>
    JSON.stringify(body['messages']).includes('"role":"tool"')
      ? { text: 'done' }
      : { toolCalls: [{ name: 'Bash', input: { command: 'echo ran >> made' } }] },
  )
  const first = lab.attach()
  const { sessionId } = await first.result<{ sessionId: string }>('session.create', {
    folder: lab.scratch.project,
    mode: 'ask',
  })
  await first.result('session.prompt', { sessionId, parts: text('go') })
  const link = lab.link()
  await expect.poll(async () => (await link.client.approval.list()).length).toBe(1)
  await first.kill()
  await lab.killEngine()
  const [entry] = await link.client.approval.list()
  const reply = (who: typeof link): Promise<unknown> =>
    who.client.approval
      .reply({ sessionId, approvalId: entry!.approvalId, optionId: 'allow_once' })
      .then(() => 'done')
      .catch((error: unknown) => (error as CodedError).code)
  const answers = await Promise.all([link, lab.link(), lab.link()].map(reply))
  expect(answers.filter((answer) => answer === 'done')).toHaveLength(1)
  expect(answers.filter((answer) => answer === 'approval.gone')).toHaveLength(2)
  const followed = new Followed(link, sessionId)
  await followed.has('turn.finished')
  expect(readFileSync(join(lab.scratch.project, 'made'), 'utf8')).toBe('ran\n')
  expect(count(followed, 'approval.resolved')).toBe(1)
})

test('a client that reads nothing delays neither the turn nor the other clients', async () => {
  lab = await EngineLab.start((_request, index) =>
    index < 40
      ? {
          text: 'x'.repeat(50_000),
          deltaChars: 1000,
          toolCalls: [{ name: 'Read', input: { path: 'notes.md', n_lines: index + 1 } }],
        }
      : { text: 'done' },
  )
  const stuck = lab.attach()
  const { sessionId } = await stuck.result<{ sessionId: string }>('session.create', {
    folder: lab.scratch.project,
    mode: 'auto',
  })
  stuck.begin('push.session', { sessionId, since: 0 })
  stuck.pause()
  const followed = new Followed(lab.link(), sessionId)
  await lab.link().client.session.prompt({ sessionId, parts: text('go') })
  await followed.has('turn.finished', 1, 60_000)
  expect(numbers(followed.events)).toEqual(upTo(followed.events.length))
  const { pid } = (await lab.status())!
  expect(lives(pid)).toBe(true)
  stuck.resume()
})
