import { describe, expect, test } from 'vitest'
import { memoryEngine } from '../../../../test/support/memory-engine'
import type { EventBody } from '../../../shared/events/event'
import type { SessionPush } from '../../../shared/events/push'
import { type SessionSubscription, sessionPushes, type Clock } from './session-push-queue'

const note = (text: string): EventBody => ({ type: 'prompt.removed', promptId: text })

function manualClock(): Clock & { advance(ms: number): void; readonly waiting: number } {
  let now = 0
  let timers: { at: number; run: () => void }[] = []
  return {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run }
      timers.push(timer)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
    advance(ms) {
      now += ms
      const due = timers.filter((timer) => timer.at <= now)
      timers = timers.filter((timer) => timer.at > now)
      for (const timer of due) timer.run()
    },
    get waiting() {
      return timers.length
    },
  }
}

async function setup(since = 1, limits: SessionSubscription['limits'] = {}) {
  const engine = memoryEngine()
  const { sessionId } = await engine.sessions.create({ folder: '/p' })
  const clock = manualClock()
  const subscribe = (from = since, extra: Partial<SessionSubscription> = {}) =>
    sessionPushes(engine.sessions, { sessionId, since: from, limits, clock, ...extra })
  const text = (text: string, stepId = 's') => engine.stream(sessionId, { type: 'text.delta', sessionId, stepId, text })
  return { engine, sessionId, clock, subscribe, text }
}

/** The `type:seq` or `type:text` of every event of a push. */
function shape(push: SessionPush | undefined): unknown {
  if (push?.type !== 'events') return push?.type
  return push.events.map((event) =>
    'seq' in event ? event.seq : 'text' in event ? `${event.type} ${event.text}` : `${event.type} ${event.chars}`,
  )
}

/** Resolves once all pending promise callbacks have run. */
const settled = () => new Promise((resolve) => setImmediate(resolve))
const pull = async (pushes: AsyncIterator<SessionPush>) => (await pushes.next()).value as SessionPush | undefined

describe('session pushes', () => {
  test('an up-to-date subscriber gets the live state with its first push and receives events from then on', async () => {
    const { engine, sessionId, subscribe, text } = await setup()
    text('so far')
    const { pushes } = subscribe()
    expect(await pull(pushes)).toMatchObject({ type: 'start', header: { seq: 1 }, live: [{ text: 'so far' }] })
    text(' and on')
    engine.record(sessionId, note('a'))
    expect(shape(await pull(pushes))).toEqual(['text.delta  and on', 2])
  })

  test('events recorded during a replay arrive exactly once and in order', async () => {
    const { engine, sessionId, subscribe, clock } = await setup(0, { chunkEvents: 3 })
    for (let n = 0; n < 7; n += 1) engine.record(sessionId, note(`${n}`))
    const { pushes } = subscribe(0)
    expect(shape(await pull(pushes))).toBe('start')
    const seen: number[] = []
    for (let round = 0; seen.at(-1) !== 12; round += 1) {
      if (round < 4) engine.record(sessionId, note(`during ${round}`))
      clock.advance(32)
      const push = await pull(pushes)
      if (push?.type === 'events') seen.push(...push.events.map((event) => ('seq' in event ? event.seq : -1)))
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  })

  test('delivers what another process recorded just before it released the session', async () => {
    const { engine, sessionId } = await setup()
    const { sessions } = engine
    const left: typeof sessions.listen = (...asked) => {
      engine.record(sessionId, note('last'))
      return sessions.listen(...asked)
    }
    const { pushes } = sessionPushes({ ...sessions, listen: left }, { sessionId, since: 1 })
    expect(shape(await pull(pushes))).toBe('start')
    expect(shape(await pull(pushes))).toEqual([2])
  })

  test('text streamed during a replay is kept and follows the events it belongs to', async () => {
    const { engine, sessionId, subscribe, text, clock } = await setup(0)
    text('early ')
    const { pushes } = subscribe(0)
    expect(await pull(pushes)).toMatchObject({ type: 'start', live: [] })
    text('middle ')
    expect(shape(await pull(pushes))).toEqual([1])
    text('late')
    expect(await pull(pushes)).toMatchObject({
      type: 'start',
      live: [{ text: 'early ' }, { text: 'middle ' }, { text: 'late' }],
    })
    text('!')
    clock.advance(32)
    expect(shape(await pull(pushes))).toEqual(['text.delta !'])
    expect(engine.listenerCount(sessionId)).toBe(1)
  })

  test('a replay of 50,000 events never requests more than one chunk from the log', async () => {
    const { engine, sessionId, subscribe } = await setup(0)
    engine.record(sessionId, ...Array.from({ length: 49_999 }, (_, n) => note(`${n}`)))
    const { pushes } = subscribe(0)
    const seqs: unknown[] = []
    while (seqs.length < 50_000) {
      const push = await pull(pushes)
      if (push?.type === 'events') for (const event of push.events) seqs.push('seq' in event && event.seq)
    }
    expect(seqs.every((seq, index) => seq === index + 1)).toBe(true)
    expect(engine.largestRead).toBeLessThanOrEqual(500)
  })

  test('large events are read and sent a few at a time', async () => {
    const { engine, sessionId, subscribe } = await setup(0, { chunkBytes: 10_000 })
    engine.record(sessionId, ...Array.from({ length: 300 }, () => note('x'.repeat(4000))))
    const { pushes } = subscribe(0)
    let last = 0
    while (last < 301) {
      const push = await pull(pushes)
      if (push?.type !== 'events') continue
      expect(push.events.length).toBeLessThanOrEqual(3)
      last += push.events.length
    }
  })

  test('deltas of one frame arrive as one, and a second push waits for the next frame', async () => {
    const { subscribe, text, clock } = await setup()
    const { pushes } = subscribe()
    await pull(pushes)
    text('a')
    text('b')
    expect(shape(await pull(pushes))).toEqual(['text.delta ab'])
    text('c')
    const next = pull(pushes)
    await settled()
    text('d')
    clock.advance(31)
    text('e')
    expect(clock.waiting).toBe(1)
    clock.advance(1)
    expect(shape(await next)).toEqual(['text.delta cde'])
  })

  test('merging keeps the order of thinking, text and recorded events, and leaves the engine its own objects', async () => {
    const { engine, sessionId, subscribe, text } = await setup()
    const { pushes } = subscribe()
    await pull(pushes)
    const first = { type: 'thinking.delta' as const, sessionId, stepId: 's', text: 'hm' }
    engine.stream(sessionId, first)
    engine.stream(sessionId, { ...first, text: 'm' })
    text('A')
    engine.stream(sessionId, { type: 'tool.drafting', sessionId, stepId: 's', callId: 'c', name: 'Bash', chars: 3 })
    engine.stream(sessionId, { ...first, text: 'again' })
    engine.stream(sessionId, { type: 'tool.drafting', sessionId, stepId: 's', callId: 'c', name: 'Bash', chars: 9 })
    engine.stream(sessionId, { type: 'tool.progress', sessionId, callId: 'c', text: '1' })
    text('B')
    engine.stream(sessionId, { type: 'tool.progress', sessionId, callId: 'c', text: '2' })
    engine.record(sessionId, note('x'))
    text('C')
    expect(shape(await pull(pushes))).toEqual([
      'thinking.delta hmm',
      'text.delta A',
      'tool.drafting 9',
      'thinking.delta again',
      'tool.progress 12',
      'text.delta B',
      2,
      'text.delta C',
    ])
    expect(first.text).toBe('hm')
  })

  test('a slow client that misses only live events gets a new live state instead of a growing queue', async () => {
    const { engine, sessionId, subscribe, text } = await setup(1, { pendingBytes: 10_000 })
    const { pushes } = subscribe()
    await pull(pushes)
    engine.record(sessionId, note('kept'))
    for (let n = 0; n < 1000; n += 1) text('x'.repeat(100))
    expect(shape(await pull(pushes))).toEqual([2])
    const restart = await pull(pushes)
    expect(restart).toMatchObject({ type: 'start', header: { seq: 2 } })
    expect(restart?.type === 'start' && restart.live.length).toBe(1000)
  })

  test('a client too slow for the recorded events gets one lagged push, and its listener is removed', async () => {
    const { engine, sessionId, subscribe } = await setup(1, { pendingEvents: 10 })
    let ended = 0
    const { pushes } = subscribe(1, { onEnd: () => (ended += 1) })
    await pull(pushes)
    for (let n = 0; n < 11; n += 1) engine.record(sessionId, note(`${n}`))
    expect(engine.listenerCount(sessionId)).toBe(0)
    expect(ended).toBe(1)
    expect(await pull(pushes)).toEqual({ type: 'lagged' })
    expect(await pushes.next()).toEqual({ done: true, value: undefined })
    const again = subscribe(1).pushes
    await pull(again)
    expect(shape(await pull(again))).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    await again.return()
  })

  test('a single event larger than the bound is delivered and does not count as backlog', async () => {
    const { engine, sessionId, subscribe } = await setup(1, { pendingBytes: 1000 })
    const { pushes } = subscribe()
    await pull(pushes)
    engine.record(sessionId, note('x'.repeat(5000)))
    expect(shape(await pull(pushes))).toEqual([2])
  })

  test.each(['return', 'abort', 'end'])('%s removes the listener and wakes a waiting reader', async (way) => {
    const { engine, sessionId, subscribe, clock } = await setup()
    const controller = new AbortController()
    const subscription = subscribe(1, { signal: controller.signal })
    await pull(subscription.pushes)
    const waiting = subscription.pushes.next()
    if (way === 'return') await subscription.pushes.return()
    else if (way === 'abort') controller.abort()
    else subscription.end()
    expect(await waiting).toEqual({ done: true, value: undefined })
    expect(engine.listenerCount(sessionId)).toBe(0)
    expect(clock.waiting).toBe(0)
  })

  test('ending in the middle of a frame clears the timer', async () => {
    const { subscribe, text, clock } = await setup()
    const { pushes } = subscribe()
    await pull(pushes)
    text('a')
    await pull(pushes)
    text('b')
    const waiting = pushes.next()
    await settled()
    expect(clock.waiting).toBe(1)
    await pushes.return()
    expect(await waiting).toMatchObject({ done: true })
    expect(clock.waiting).toBe(0)
  })

  test('a since beyond the end is rejected, because the client has a different log', async () => {
    const { engine, sessionId, subscribe } = await setup()
    expect(() => subscribe(2)).toThrow(/beyond the end/)
    expect(() => sessionPushes(engine.sessions, { sessionId: 'nope', since: 0 })).toThrow(/no session/)
    expect(engine.listenerCount(sessionId)).toBe(0)
  })
})
