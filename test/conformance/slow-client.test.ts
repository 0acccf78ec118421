import { MessageChannel } from 'node:worker_threads'
import { afterEach, describe, expect, test } from 'vitest'
import type { EventBody } from '../../src/shared/events/event'
import type { SessionPush } from '../../src/shared/events/push'
import { createRouter } from '../../src/main/api/server/router'
import { createRpcServer, servePort } from '../../src/main/api/server/rpc-server'
import type { SocketLimits } from '../../src/main/host/web/server/web-socket'
import { startWebHost } from '../../src/main/host/web/server/web-host'
import { connect } from '../../src/renderer/client/connect'
import { webSocketTransport } from '../../src/renderer/client/transports'
import { type MemoryEngine, memoryEngine } from '../support/memory-engine'
import { nodeSockets } from '../support/node-socket'
import { required } from '../support/required'
import { until } from '../support/until'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

const failOnBug = (message: string, error: unknown): never => {
  throw new Error(message, { cause: error })
}
const note = (text: string): EventBody => ({ type: 'prompt.removed', promptId: text })

async function newEngine() {
  const engine = memoryEngine()
  const { sessionId } = await engine.sessions.create({ folder: '/p' })
  return { engine, sessionId }
}

/** Records 100 MB in about a second: too much for a client that has stopped reading, easy for one that reads. */
async function flood(engine: MemoryEngine, sessionId: string): Promise<void> {
  const text = 'x'.repeat(10_000)
  for (let n = 0; n < 100; n += 1) {
    engine.record(sessionId, ...Array.from({ length: 100 }, () => note(text)))
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

async function overSocket(socketLimits: Partial<SocketLimits> = {}) {
  const { engine, sessionId } = await newEngine()
  const host = await startWebHost({ engine, rendererDir: '.', logBug: failOnBug, socketLimits })
  cleanups.push(() => host.close())
  const { open, sockets } = nodeSockets()
  const url = new URL(host.url)
  const connection = connect(webSocketTransport(open, `ws://${url.host}/socket`, url.hash.slice('#token='.length)))
  cleanups.push(() => connection.close())
  const pushes = await connection.client.push.session({ sessionId, since: 1 })
  expect((await pushes.next()).value).toMatchObject({ type: 'start' })
  return { engine, sessionId, socket: required(sockets[0], 'a socket'), pushes }
}

/** Reads to the end, or to the last of the flood's events. */
async function readAll(
  pushes: AsyncIterable<SessionPush>,
): Promise<{ received: number; last: SessionPush['type'] | undefined }> {
  let last: SessionPush['type'] | undefined
  let received = 0
  for await (const push of pushes) {
    last = push.type
    if (push.type === 'events') received += push.events.length
    if (received === 10_000) break
  }
  return { received, last }
}

describe('a client that stops reading', () => {
  test('over a WebSocket: its queue stays bounded, its subscription ends, and it gets lagged when it reads again', async () => {
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

  test('over a WebSocket: a client that keeps reading handles the same flood', async () => {
    const { engine, sessionId, pushes } = await overSocket()
    const [, read] = await Promise.all([flood(engine, sessionId), readAll(pushes)])
    expect(read).toEqual({ received: 10_000, last: 'events' })
  })

  test('over a WebSocket: a client that never reads again is disconnected', async () => {
    const { engine, sessionId, socket } = await overSocket({ pingMs: 30 })
    await new Promise((resolve) => socket.once('ping', resolve))
    expect(engine.listenerCount(sessionId)).toBe(1)
    socket.pause()
    await until(() => engine.listenerCount(sessionId) === 0, 'the cut')
  })

  test('over a MessagePort: unacknowledged messages are bounded, then the client receives lagged', async () => {
    const { engine, sessionId } = await newEngine()
    const router = createRouter({
      engine,
      host: { kind: 'electron', chooseFolder: async () => null, openExternal: async () => false },
      logBug: failOnBug,
    })
    const { port1, port2 } = new MessageChannel()
    let sent = 0
    const post = port1.postMessage.bind(port1)
    port1.postMessage = (message: unknown) => {
      sent += 1
      post(message)
    }
    cleanups.push(servePort(createRpcServer(router, failOnBug), port1))
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
