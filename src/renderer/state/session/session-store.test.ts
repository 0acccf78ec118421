import { describe, expect, it } from 'vitest'
import type { TrestleClient } from '../../../shared/contract'
import type { EventBody, RecordedEvent } from '../../../shared/events/event'
import { applyHeader, emptyHeader } from '../../../shared/events/fold-header'
import type { SessionPush } from '../../../shared/events/push'
import { SessionStore } from './session-store'

const S = 's'

/** A fake engine with one session: a log, windows of it, and subscribers that receive what the test pushes. */
function engine(turns: number) {
  const log: RecordedEvent[] = []
  const add = (body: EventBody): RecordedEvent => {
    const event = { ...body, sessionId: S, seq: log.length + 1, at: 1 }
    log.push(event)
    return event
  }
  const turn = (n: number): RecordedEvent[] => [
    add({ type: 'turn.started', turnId: `t${n}`, parts: [{ type: 'text', text: `question ${n}` }], model: 'm' }),
    add({ type: 'turn.finished', turnId: `t${n}`, stop: 'end_turn', steps: 0, durationMs: 1 }),
  ]
  for (let n = 0; n < turns; n += 1) turn(n)
  const header = () => log.reduce(applyHeader, emptyHeader(S))
  const subscriptions: { since: number; push: (push: SessionPush) => void; stopped: boolean }[] = []
  const frames = new Set<() => void>()
  let fail = false
  const window = (before: number, limit: number) => {
    const start = Math.max(0, before - 1 - (limit - (limit % 2)))
    return { events: log.slice(start, before - 1), hasMore: start > 0 }
  }
  const session = {
    open: async ({ limit = 400 }) => {
      if (fail) throw new Error('no connection')
      return { header: header(), ...window(log.length + 1, limit) }
    },
    window: async ({ before, limit = 400 }: { before: number; limit?: number }) => window(before, limit),
  }
  const store = new SessionStore(S, {
    client: { session } as unknown as Pick<TrestleClient, 'session'>,
    subscribe: (_id, since, push) => {
      const subscription = { since, push, stopped: false }
      subscriptions.push(subscription)
      return () => (subscription.stopped = true)
    },
    onFrame: (callback) => {
      frames.add(callback)
      return () => frames.delete(callback)
    },
    now: () => 7,
  })
  const frame = (): void => {
    const due = [...frames]
    frames.clear()
    for (const callback of due) callback()
  }
  return { log, turn, header, store, subscriptions, frame, failNext: (value: boolean) => (fail = value) }
}

const ids = (store: SessionStore): string[] => store.store.getState().view?.items.map((item) => item.id) ?? []
/** Lets resolved promises settle. */
const settled = async () => {
  for (let n = 0; n < 10; n += 1) await Promise.resolve()
}

describe('SessionStore', () => {
  it('opens with the latest window and misses no event between reading and subscribing', async () => {
    const { store, subscriptions, turn, header, frame } = engine(3)
    store.follow()
    await settled()
    expect(subscriptions[0]?.since).toBe(6)
    subscriptions[0]?.push({ type: 'start', header: header(), live: [] })
    subscriptions[0]?.push({ type: 'events', events: turn(3) })
    expect(ids(store).length).toBe(3)
    frame()
    expect(ids(store)).toEqual(['u1', 'u3', 'u5', 'u7'])
  })

  it('prepends older items in a separate frame', async () => {
    const { store, subscriptions, turn, header, frame } = engine(500)
    store.follow()
    await settled()
    subscriptions[0]?.push({ type: 'start', header: header(), live: [] })
    expect(ids(store).length).toBe(200)
    const loading = store.loadOlder()
    await loading
    subscriptions[0]?.push({ type: 'events', events: turn(500) })
    frame()
    expect(ids(store).length).toBe(400)
    expect(ids(store).at(-1)).toBe('u999')
    frame()
    expect(ids(store).at(-1)).toBe('u1001')
    expect(store.store.getState().loadingOlder).toBe(false)
  })

  it('resumes at its last event when followed again', async () => {
    const { store, subscriptions, turn, header, frame } = engine(2)
    const stop = store.follow()
    await settled()
    stop()
    expect(subscriptions[0]?.stopped).toBe(true)
    const missed = turn(2)
    store.follow()
    expect(subscriptions[1]?.since).toBe(4)
    subscriptions[1]?.push({ type: 'start', header: header(), live: [] })
    subscriptions[1]?.push({ type: 'events', events: missed })
    frame()
    expect(ids(store)).toEqual(['u1', 'u3', 'u5'])
  })

  it('reads the latest window again when it is far behind', async () => {
    const { store, subscriptions, turn, header } = engine(2)
    const stop = store.follow()
    await settled()
    stop()
    for (let n = 0; n < 2000; n += 1) turn(n)
    store.follow()
    subscriptions[1]?.push({ type: 'start', header: header(), live: [] })
    await settled()
    expect(subscriptions[1]?.stopped).toBe(true)
    expect(subscriptions[2]?.since).toBe(4004)
    expect(ids(store).length).toBe(200)
  })

  it('reports why it could not be opened, and opens on retry', async () => {
    const { store, failNext } = engine(1)
    failNext(true)
    store.follow()
    await settled()
    expect(store.store.getState()).toMatchObject({ status: 'failed', failure: { message: 'no connection' } })
    failNext(false)
    await store.open()
    expect(store.store.getState()).toMatchObject({ status: 'ready', failure: undefined })
  })

  it('ignores pushes of a stopped subscription', async () => {
    const { store, subscriptions, turn, frame } = engine(1)
    const stop = store.follow()
    await settled()
    stop()
    subscriptions[0]?.push({ type: 'events', events: turn(1) })
    frame()
    expect(ids(store)).toEqual(['u1'])
  })
})
