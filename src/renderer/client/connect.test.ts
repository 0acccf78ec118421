import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { connect, CONNECT_TIMING } from './connect'
import type { Transport, TransportEvents, Connection } from './connection'

interface FakeTransport extends Transport {
  events: TransportEvents
  sent: string[]
  pings: number
  isClosed: boolean
}

/** Transports that the test opens, breaks and sends messages on. */
function transports() {
  const all: FakeTransport[] = []
  const open = (events: TransportEvents): Transport => {
    const transport: FakeTransport = {
      events,
      sent: [],
      pings: 0,
      isClosed: false,
      send: (message) => transport.sent.push(message),
      ping: () => (transport.pings += 1),
      close: () => (transport.isClosed = true),
    }
    all.push(transport)
    return transport
  }
  const latest = (): FakeTransport => {
    const transport = all.at(-1)
    if (!transport) throw new Error('no transport was opened')
    return transport
  }
  return { all, open, latest }
}

const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'answered',
    (error: unknown) => (error as { code?: unknown }).code,
  )

let connection: Connection | undefined
beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  connection?.close()
  vi.useRealTimers()
})

describe('a connection', () => {
  test('retries with exponential backoff and jitter, and resets the delay once open', async () => {
    const { all, open, latest } = transports()
    connection = connect(open, { random: () => 0.5 })
    const delays: number[] = []
    for (let n = 0; n < 8; n += 1) {
      const count = all.length
      latest().events.closed(false)
      let waited = 0
      while (all.length === count) {
        await vi.advanceTimersByTimeAsync(1)
        waited += 1
      }
      delays.push(waited)
    }
    expect(delays).toEqual([187, 375, 750, 1500, 3000, 6000, 7500, 7500])
    latest().events.ready()
    expect(connection.state.get()).toMatchObject({ status: 'open', attempt: 0 })
    latest().events.closed(false)
    expect(connection.state.get()).toMatchObject({ status: 'lost' })
    const count = all.length
    await vi.advanceTimersByTimeAsync(188)
    expect(all).toHaveLength(count + 1)
  })

  test('retries immediately when the machine is back online, and only then', async () => {
    const { all, open, latest } = transports()
    let listener: (() => void) | undefined
    const wake = (): void => listener?.()
    connection = connect(open, {
      onWake(run) {
        listener = run
        return () => (listener = undefined)
      },
    })
    wake()
    expect(all).toHaveLength(1)
    latest().events.closed(false)
    wake()
    expect(all).toHaveLength(2)
    latest().events.ready()
    wake()
    expect(latest().pings).toBe(1)
    connection.close()
    wake()
    expect(all).toHaveLength(2)
  })

  test('gives up on a transport that never becomes ready, and ignores its later messages', async () => {
    const { all, open } = transports()
    connection = connect(open)
    await vi.advanceTimersByTimeAsync(CONNECT_TIMING.openTimeout)
    expect(all[0]?.isClosed).toBe(true)
    await vi.advanceTimersByTimeAsync(300)
    expect(all).toHaveLength(2)
    all[0]?.events.ready()
    all[0]?.events.closed(true)
    expect(connection.state.get()).toMatchObject({ status: 'connecting', attempt: 2 })
  })

  test('requests a heartbeat after silence, and keeps the transport if one arrives', async () => {
    const { all, open, latest } = transports()
    connection = connect(open)
    latest().events.ready()
    await vi.advanceTimersByTimeAsync(CONNECT_TIMING.pingAfter)
    expect(latest().pings).toBe(1)
    await vi.advanceTimersByTimeAsync(CONNECT_TIMING.deadAfter - 1)
    latest().events.heartbeat()
    await vi.advanceTimersByTimeAsync(CONNECT_TIMING.pingAfter)
    expect(connection.state.get().status).toBe('open')
    expect(latest().pings).toBe(2)
    await vi.advanceTimersByTimeAsync(CONNECT_TIMING.deadAfter)
    expect(connection.state.get().status).toBe('lost')
    expect(all[0]?.isClosed).toBe(true)
  })

  test('an answered request does not hide that the next one is unanswered', async () => {
    const { open, latest } = transports()
    connection = connect(open)
    latest().events.ready()
    await vi.advanceTimersByTimeAsync(1)
    void connection.client.app.info().catch(() => undefined)
    await vi.advanceTimersByTimeAsync(100)
    latest().events.heartbeat()
    await vi.advanceTimersByTimeAsync(100)
    void connection.client.app.info().catch(() => undefined)
    await vi.advanceTimersByTimeAsync(CONNECT_TIMING.silentAfter * 2)
    expect(connection.state.get().responds).toBe(false)
  })

  test('reports an unresponsive engine 2 seconds after a request without activity, until the next activity', async () => {
    const { open, latest } = transports()
    connection = connect(open)
    latest().events.ready()
    const responds = (): boolean | undefined => connection?.state.get().responds
    await vi.advanceTimersByTimeAsync(1)
    void connection.client.app.info().catch(() => undefined)
    await vi.advanceTimersByTimeAsync(1999)
    expect(responds()).toBe(true)
    await vi.advanceTimersByTimeAsync(1)
    expect(latest().pings).toBe(1)
    expect(responds()).toBe(false)
    expect(connection.state.get().status).toBe('open')
    latest().events.heartbeat()
    expect(responds()).toBe(true)
    // A slow answer from a live engine is not reported.
    void connection.client.app.info().catch(() => undefined)
    await vi.advanceTimersByTimeAsync(1000)
    latest().events.heartbeat()
    await vi.advanceTimersByTimeAsync(5000)
    expect(responds()).toBe(true)
  })

  test('a request waits for the first connection until a timeout', async () => {
    const { open, latest } = transports()
    connection = connect(open)
    const early = codeOf(connection.client.app.info())
    latest().events.ready()
    await vi.advanceTimersByTimeAsync(0)
    expect(latest().sent).toHaveLength(1)
    latest().events.closed(false)
    expect(await early).toBe('connection.lost')
    const late = codeOf(connection.client.app.info())
    latest().events.closed(false)
    await vi.advanceTimersByTimeAsync(CONNECT_TIMING.requestWait)
    expect(await late).toBe('connection.lost')
  })

  test('a request aborted while waiting is never sent', async () => {
    const { open, latest } = transports()
    connection = connect(open)
    const controller = new AbortController()
    const call = connection.client.app.info(undefined, { signal: controller.signal }).catch((error: unknown) => error)
    controller.abort(new Error('not wanted any more'))
    expect(await call).toMatchObject({ message: 'not wanted any more' })
    latest().events.ready()
    await vi.advanceTimersByTimeAsync(0)
    expect(latest().sent).toEqual([])
  })

  test('a refused client stops permanently and reports why', async () => {
    const { all, open, latest } = transports()
    connection = connect(open)
    const call = codeOf(connection.client.app.info())
    latest().events.closed(true)
    expect(await call).toBe('connection.refused')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(all).toHaveLength(1)
    expect(connection.state.get()).toMatchObject({ status: 'lost', failure: { code: 'connection.refused' } })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('thousands of messages a second notify listeners only once a second', async () => {
    const { open, latest } = transports()
    connection = connect(open)
    latest().events.ready()
    let notified = 0
    connection.state.subscribe(() => (notified += 1))
    for (let n = 0; n < 3000; n += 1) {
      await vi.advanceTimersByTimeAsync(1)
      latest().events.heartbeat()
    }
    expect(notified).toBe(3)
  })
})
