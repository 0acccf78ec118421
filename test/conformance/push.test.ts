import { afterEach, describe, expect, test } from 'vitest'
import { type EventBody, type SessionEvent, isRecorded } from '../../src/shared/events/event'
import type { AppPush, SessionPush } from '../../src/shared/events/push'
import { failureFrom } from '../../src/renderer/client/failure-from'
import { subscribeApp, subscribeSession } from '../../src/renderer/client/subscriptions'
import { type MemoryEngine, memoryEngine } from '../support/memory-engine'
import { until } from '../support/until'
import { rejection } from '../support/required'
import { type Served, WAYS } from '../support/ways'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

async function setup(serve: (engine: MemoryEngine) => Promise<Served>) {
  const engine = memoryEngine()
  const served = await serve(engine)
  cleanups.push(() => served.stop())
  const { sessionId } = await engine.sessions.create({ folder: '/p' })
  return { engine, served, sessionId }
}

const note = (text: string): EventBody => ({ type: 'prompt.removed', promptId: text })
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** What a client has seen: every recorded seq in order, and the text it would show for step `s`. */
function follower() {
  const seqs: number[] = []
  let text = ''
  let starts = 0
  const take = (event: SessionEvent): void => {
    if (isRecorded(event)) seqs.push(event.seq)
    if (event.type === 'text.delta') text += event.text
  }
  const onPush = (push: SessionPush): void => {
    if (push.type === 'start') {
      starts += 1
      text = ''
      push.live.forEach(take)
    } else if (push.type === 'events') push.events.forEach(take)
  }
  return { onPush, seqs, text: () => text, starts: () => starts }
}

const upTo = (n: number) => Array.from({ length: n }, (_, index) => index + 1)

/** Small, seeded, good enough to choose moments. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

describe.each(Object.entries(WAYS))('pushes over %s', (name, serve) => {
  test('5,000 events in a second arrive once, in order and promptly; deltas arrive merged and complete', async () => {
    const { engine, served, sessionId } = await setup(serve)
    const { client } = served.connect()
    const seen = follower()
    let pushes = 0
    cleanups.push(
      subscribeSession(client, sessionId, 1, (push) => {
        pushes += 1
        seen.onPush(push)
      }),
    )
    await until(() => seen.starts() > 0, 'the first push')
    let expected = ''
    const startedAt = performance.now()
    for (let tick = 0; tick < 100; tick += 1) {
      for (let n = 0; n < 50; n += 1) {
        engine.stream(sessionId, { type: 'text.delta', sessionId, stepId: 's', text: `${n},` })
        expected += `${n},`
      }
      engine.record(sessionId, ...Array.from({ length: 50 }, (_, n) => note(`${n}`)))
      await until(() => performance.now() >= startedAt + tick * 10, 'the next 10 ms')
    }
    await until(() => seen.seqs.at(-1) === 5001, 'all events')
    expect(seen.seqs).toEqual(upTo(5001).slice(1))
    expect(seen.text()).toBe(expected)
    // Of 5,000 events in a second at best; a busy machine takes longer.
    expect(pushes).toBeLessThan(Math.max(200, 0.1 * (performance.now() - startedAt)))
  })

  test('a replay of 20,000 events is complete and then continues live', async () => {
    const { engine, served, sessionId } = await setup(serve)
    engine.record(sessionId, ...Array.from({ length: 19_999 }, (_, n) => note(`${n}`)))
    const seen = follower()
    cleanups.push(subscribeSession(served.connect().client, sessionId, 0, seen.onPush))
    await until(() => seen.seqs.length > 1000, 'the replay to be on its way')
    engine.record(sessionId, note('live'))
    await until(() => seen.seqs.length >= 20_001, 'all events')
    expect(seen.seqs).toEqual(upTo(20_001))
    expect(engine.largestRead).toBeLessThanOrEqual(500)
  })

  test('connections that break at random moments neither lose nor repeat events', async () => {
    const { engine, served, sessionId } = await setup(serve)
    const { client, state } = served.connect()
    const seen = follower()
    const statuses = new Set<string>()
    cleanups.push(state.subscribe(() => statuses.add(state.get().status)))
    cleanups.push(subscribeSession(client, sessionId, 0, seen.onPush, { retryMs: 1 }))
    const next = random(42)
    for (let n = 0; n < 3000; n += 1) {
      engine.stream(sessionId, { type: 'text.delta', sessionId, stepId: 's', text: 'x' })
      engine.record(sessionId, note(`${n}`))
      if (next() < 0.2) await turn()
      if (next() < 0.01) await until(() => seen.seqs.length > n / 2, 'the client to follow')
      if (next() < 0.02) served.breakWires()
    }
    await until(() => seen.seqs.at(-1) === 3001, 'the last event')
    expect(seen.seqs).toEqual(upTo(3001))
    await until(() => seen.text().length === 3000, 'the whole text')
    const broke = name !== 'direct'
    expect(seen.starts() > 3).toBe(broke)
    expect(statuses).toEqual(new Set(broke ? ['lost', 'open'] : []))
    expect(served.bugs).toEqual([])
  })

  test('stopping a subscription leaves no listener in the engine', async () => {
    const { engine, served, sessionId } = await setup(serve)
    const { client } = served.connect()
    const seen = follower()
    const stops = [1, 2, 3].map(() => subscribeSession(client, sessionId, 0, seen.onPush))
    const app: AppPush[] = []
    stops.push(subscribeApp(client, (push) => app.push(push)))
    await until(
      () => seen.starts() >= 6 && app.length > 0 && engine.listenerCount(sessionId) === 3,
      'all subscriptions',
    )
    for (const stop of stops) stop()
    await until(() => engine.listenerCount(sessionId) === 0 && engine.changeListenerCount === 0, 'no listener')
    const { length } = app
    await engine.sessions.change(sessionId, { title: 'not delivered' })
    await turn()
    expect(app).toHaveLength(length)
  })

  test('deleting a session ends its subscriptions with the reason', async () => {
    const { served, sessionId } = await setup(serve)
    const { client } = served.connect()
    const codes: string[] = []
    const seen = follower()
    subscribeSession(client, sessionId, 0, seen.onPush, { onFailure: ({ code }) => codes.push(code) })
    await until(() => seen.starts() > 0, 'the subscription')
    await client.session.remove({ sessionId })
    await until(() => codes.length > 0, 'the reason')
    expect(codes).toEqual(['session.not_found'])
    expect(served.bugs).toEqual([])
  })

  test('a slow client that receives lagged resubscribes automatically and ends up with every event', async () => {
    const { engine, served, sessionId } = await setup(serve)
    const { client } = served.connect()
    const seen = follower()
    let lagged = 0
    cleanups.push(
      subscribeSession(
        client,
        sessionId,
        1,
        (push) => {
          if (push.type === 'lagged') lagged += 1
          seen.onPush(push)
        },
        { retryMs: 1 },
      ),
    )
    await until(() => seen.starts() > 0, 'the subscription')
    // More than the queue holds, before the client can read.
    engine.record(sessionId, ...Array.from({ length: 6000 }, (_, n) => note(`${n}`)))
    await until(() => seen.seqs.at(-1) === 6001, 'the last event')
    expect(seen.seqs).toEqual(upTo(6001).slice(1))
    expect(lagged).toBe(1)
  })
})

describe.each(Object.entries(WAYS).filter(([name]) => name !== 'direct'))('wires: %s', (_name, serve) => {
  test('a request in flight when the connection breaks fails with a retryable error and is not resent', async () => {
    const { engine, served, sessionId } = await setup(serve)
    const { client, state } = served.connect()
    await client.app.info()
    let calls = 0
    let finish: (() => void) | undefined
    engine.sessions.stop = () => {
      calls += 1
      return new Promise((resolve) => (finish = resolve))
    }
    const call = rejection(client.session.stop({ sessionId }))
    await until(() => calls === 1, 'the call to arrive')
    served.breakWires()
    expect(failureFrom(await call)).toMatchObject({ code: 'connection.lost', retryable: true })
    await until(() => state.get().status === 'open', 'the reconnect')
    expect(await client.app.info()).toMatchObject({ version: '0.0.0-test' })
    expect(calls).toBe(1)
    finish?.()
    await turn()
    expect(served.bugs).toEqual([])
  })

  test('disconnecting leaves no listener in the engine', async () => {
    const { engine, served, sessionId } = await setup(serve)
    const connection = served.connect()
    cleanups.push(subscribeSession(connection.client, sessionId, 0, () => {}))
    cleanups.push(subscribeApp(connection.client, () => {}))
    await until(() => engine.listenerCount(sessionId) === 1 && engine.changeListenerCount === 2, 'both subscriptions')
    connection.close()
    await until(() => engine.listenerCount(sessionId) === 0 && engine.changeListenerCount === 0, 'no listener')
    expect(failureFrom(await rejection(connection.client.app.info()))).toMatchObject({ code: 'connection.lost' })
  })
})
