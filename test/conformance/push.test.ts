import { MessageChannel } from 'node:worker_threads'
import { afterEach, describe, expect, test } from 'vitest'
import type { EventBody, SessionEvent } from '../../src/shared/model/event'
import { isRecorded } from '../../src/shared/model/event'
import type { AppPush, SessionPush } from '../../src/shared/model/push'
import { createRouter } from '../../src/main/api/router'
import { createRpcServer } from '../../src/main/api/rpc-server'
import { servePort } from '../../src/main/api/serve-port'
import type { SocketLimits } from '../../src/main/host/web/serve-socket'
import { startWebHost } from '../../src/main/host/web/web-host'
import { connect } from '../../src/renderer/client/connect'
import { failureFrom } from '../../src/renderer/client/failure-from'
import { socketCarrier } from '../../src/renderer/client/socket-carrier'
import { subscribeApp } from '../../src/renderer/client/subscribe-app'
import { subscribeSession } from '../../src/renderer/client/subscribe-session'
import type { MemoryEngine } from '../support/memory-engine'
import { memoryEngine } from '../support/memory-engine'
import { nodeSockets } from '../support/node-socket'
import { until } from '../support/until'
import type { Served } from '../support/ways'
import { WAYS } from '../support/ways'

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
  test('5,000 events in a second arrive once, in order, and soon; deltas arrive merged and complete', async () => {
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
    await until(() => seen.seqs.at(-1) === 5001, 'all events', 2000)
    expect(seen.seqs).toEqual(upTo(5001).slice(1))
    expect(seen.text()).toBe(expected)
    expect(pushes).toBeLessThan(200)
  })

  test('a replay of 20,000 events is complete and then goes on live', async () => {
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

  test('wires that break at random moments lose nothing and repeat nothing', async () => {
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
    if (name !== 'direct') {
      expect(seen.starts()).toBeGreaterThan(3)
      expect(statuses).toEqual(new Set(['lost', 'open']))
    }
    expect(served.bugs).toEqual([])
  })

  test('a request on its way when the wire breaks fails with a retryable error and is not sent again', async () => {
    const { engine, served, sessionId } = await setup(serve)
    const { client, state } = served.connect()
    if (name === 'direct') return
    await client.app.info()
    let calls = 0
    let finish: (() => void) | undefined
    engine.sessions.stop = () => {
      calls += 1
      return new Promise((resolve) => (finish = resolve))
    }
    const call = client.session.stop({ sessionId }).then(() => expect.unreachable('nobody answered'), failureFrom)
    await until(() => calls === 1, 'the call to arrive')
    served.breakWires()
    expect(await call).toMatchObject({ code: 'connection.lost', retryable: true })
    await until(() => state.get().status === 'open', 'the reconnect')
    expect(await client.app.info()).toMatchObject({ version: '0.0.0-test' })
    expect(calls).toBe(1)
    finish?.()
    await turn()
    expect(served.bugs).toEqual([])
  })

  test('stopping a subscription, and hanging up, leave no listener in the engine', async () => {
    const { engine, served, sessionId } = await setup(serve)
    const connection = served.connect()
    const seen = follower()
    const stops = [1, 2, 3].map(() => subscribeSession(connection.client, sessionId, 0, seen.onPush))
    const app: AppPush[] = []
    stops.push(subscribeApp(connection.client, (push) => app.push(push)))
    await until(() => seen.starts() >= 6 && app.length > 0 && engine.listenerCount(sessionId) === 3, 'all subscriptions')
    for (const stop of stops) stop()
    await until(() => engine.listenerCount(sessionId) === 0 && engine.changeListenerCount === 0, 'no listener')
    if (name === 'direct') return
    subscribeSession(connection.client, sessionId, 0, () => {})
    subscribeApp(connection.client, () => {})
    await until(() => engine.listenerCount(sessionId) === 1 && engine.changeListenerCount === 2, 'both subscriptions')
    connection.close()
    await until(() => engine.listenerCount(sessionId) === 0 && engine.changeListenerCount === 0, 'no listener')
  })

  test('a session that is deleted ends its subscriptions with the reason', async () => {
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

  test('a slow client that is told lagged subscribes again by itself and has everything in the end', async () => {
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
    // More than the queue holds, before anybody can read.
    engine.record(sessionId, ...Array.from({ length: 6000 }, (_, n) => note(`${n}`)))
    await until(() => seen.seqs.at(-1) === 6001, 'the last event')
    expect(seen.seqs).toEqual(upTo(6001).slice(1))
    expect(lagged).toBe(1)
  })
})

/** Records 100 MB in about a second: too much for a client that has stopped reading, easy for one that reads. */
async function flood(engine: MemoryEngine, sessionId: string): Promise<void> {
  const text = 'x'.repeat(10_000)
  for (let n = 0; n < 100; n += 1) {
    engine.record(sessionId, ...Array.from({ length: 100 }, () => note(text)))
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

describe('a client that stops reading', () => {
  async function overSocket(socketLimits: Partial<SocketLimits> = {}) {
    const { engine, sessionId } = await setup(WAYS.direct)
    const host = await startWebHost({ engine, rendererDir: '.', logBug: (message) => expect.unreachable(message), socketLimits })
    cleanups.push(() => host.close())
    const { open, sockets } = nodeSockets()
    const url = new URL(host.url)
    const connection = connect(socketCarrier(open, `ws://${url.host}/socket`, url.hash.slice('#token='.length)))
    cleanups.push(() => connection.close())
    const pushes = await connection.client.push.session({ sessionId, since: 1 })
    expect((await pushes.next()).value).toMatchObject({ type: 'start' })
    return { engine, sessionId, socket: sockets[0] ?? expect.unreachable('no socket'), pushes }
  }

  /** Reads to the end, or to the last of the flood's events. */
  async function readAll(pushes: AsyncIterable<SessionPush>): Promise<{ received: number; last: SessionPush['type'] | undefined }> {
    let last: SessionPush['type'] | undefined
    let received = 0
    for await (const push of pushes) {
      last = push.type
      if (push.type === 'events') received += push.events.length
      if (received === 10_000) break
    }
    return { received, last }
  }

  test('over a WebSocket: its queue stays bounded, its subscription ends, it gets lagged when it reads again', async () => {
    const { engine, sessionId, socket, pushes } = await overSocket()
    socket.pause()
    await flood(engine, sessionId)
    expect(engine.listenerCount(sessionId)).toBe(0)
    socket.resume()
    const { received, last } = await readAll(pushes)
    expect(last).toBe('lagged')
    // What the operating system and one push hold, of 100 MB.
    expect(received).toBeLessThan(3000)
  })

  test('over a WebSocket: the same flood is no problem for one that reads', async () => {
    const { engine, sessionId, pushes } = await overSocket()
    const [, read] = await Promise.all([flood(engine, sessionId), readAll(pushes)])
    expect(read).toEqual({ received: 10_000, last: 'events' })
  })

  test('over a WebSocket: one that never reads again is cut off', async () => {
    const { engine, sessionId, socket } = await overSocket({ pingMs: 30 })
    await new Promise((resolve) => socket.once('ping', resolve))
    expect(engine.listenerCount(sessionId)).toBe(1)
    socket.pause()
    await until(() => engine.listenerCount(sessionId) === 0, 'the cut', 2000)
  })

  test('over a MessagePort: unacknowledged messages are bounded, then it is told lagged', async () => {
    const { engine, sessionId } = await setup(WAYS.direct)
    const logBug = (message: string) => expect.unreachable(message)
    const router = createRouter({
      engine,
      host: { kind: 'electron', chooseFolder: async () => null, openExternal: async () => false },
      logBug,
    })
    const { port1, port2 } = new MessageChannel()
    let sent = 0
    const post = port1.postMessage.bind(port1)
    port1.postMessage = (message: unknown) => {
      sent += 1
      post(message)
    }
    cleanups.push(servePort(createRpcServer(router, logBug), port1))
    const received: string[] = []
    port2.on('message', (message: unknown) => {
      if (typeof message === 'string') received.push(message)
    })
    port2.postMessage(JSON.stringify({ i: '1', p: { u: '/push/session', b: { json: { sessionId, since: 1 } } } }))
    await until(() => received.length >= 2, 'the first push')
    await flood(engine, sessionId)
    expect(sent).toBeLessThanOrEqual(16)
    expect(engine.listenerCount(sessionId)).toBe(0)
    port2.postMessage(received.length)
    await until(() => received.some((message) => message.includes('"lagged"')), 'lagged')
  })
})
