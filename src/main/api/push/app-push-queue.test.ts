import { expect, test } from 'vitest'
import { memoryEngine, type MemoryEngine } from '../../../../test/support/memory-engine'
import type { SessionSummary } from '../../../shared/model/session'
import { type AppSubscription, appPushes } from './app-push-queue'

const summary = (sessionId: string, title: string): SessionSummary => ({
  sessionId,
  folder: '/p',
  title,
  status: 'idle',
  waiting: 0,
  updatedAt: 0,
  archived: false,
})

/** A subscriber that has had the whole lists, with which every subscription begins. */
async function begun(engine: MemoryEngine, subscription?: AppSubscription) {
  const pushes = appPushes(engine, subscription)
  const first = [await pushes.next(), await pushes.next()].map(({ value }) => value)
  return { pushes, first }
}

test('the whole list comes first, then only the newest state of what changed, however slow the reader', async () => {
  const engine = memoryEngine()
  const { sessionId } = await engine.sessions.create({ folder: '/p' })
  const { pushes, first } = await begun(engine)
  expect(first).toMatchObject([
    { type: 'sessions', changed: [{ sessionId }], removed: [] },
    { type: 'inbox', entries: [] },
  ])
  for (let n = 0; n < 1000; n += 1) engine.changed({ kind: 'session', summary: summary('a', `${n}`) })
  engine.changed({ kind: 'session', summary: summary('b', 'gone') })
  engine.changed({ kind: 'session.removed', sessionId: 'b' })
  engine.changed({ kind: 'settings' })
  engine.changed({ kind: 'settings' })
  engine.changed({ kind: 'models' })
  expect((await pushes.next()).value).toMatchObject({
    type: 'sessions',
    changed: [{ sessionId: 'a', title: '999' }],
    removed: ['b'],
  })
  expect((await pushes.next()).value).toEqual({ type: 'settings' })
  expect((await pushes.next()).value).toEqual({ type: 'models' })
  await pushes.return()
  expect(engine.changeListenerCount).toBe(0)
})

test('of thousands of sessions the latest come at once, and the others in pieces once the page had time to draw those', async () => {
  const engine = memoryEngine()
  const ids: string[] = []
  for (let n = 0; n < 1300; n += 1) ids.push((await engine.sessions.create({ folder: '/p' })).sessionId)
  let later: (() => void) | undefined
  const clock = {
    now: () => 0,
    after(ms: number, run: () => void) {
      if (ms > 16 && ms < 1000) later = run
      return () => {}
    },
  }
  const { pushes, first } = await begun(engine, { clock, frameMs: 0 })
  const seen: string[] = []
  const take = (push: unknown): { more?: true } => {
    const list = push as { changed: SessionSummary[]; more?: true }
    seen.push(...list.changed.map(({ sessionId }) => sessionId))
    return list
  }
  expect(take(first[0]).more).toBe(true)
  expect(seen).toHaveLength(100)
  // What happens meanwhile is told, and does not pass for the end of the list.
  engine.changed({ kind: 'session.removed', sessionId: 'gone' })
  expect((await pushes.next()).value).toEqual({ type: 'sessions', changed: [], removed: ['gone'], more: true })
  later?.()
  while (take((await pushes.next()).value).more);
  expect(seen.toSorted()).toEqual(ids.toSorted())
  await pushes.return()
})

test('silence is broken by heartbeats, and a reader that slept gets one, not all of them', async () => {
  const engine = memoryEngine()
  let fire: (() => void) | undefined
  let cancelled = 0
  const clock = {
    now: () => 0,
    after(ms: number, run: () => void) {
      if (ms === 5000) fire = run
      return () => {
        cancelled += 1
      }
    },
  }
  const { pushes } = await begun(engine, { clock })
  const waiting = pushes.next()
  fire?.()
  expect((await waiting).value).toMatchObject({ type: 'heartbeat' })
  fire?.()
  fire?.()
  expect((await pushes.next()).value).toMatchObject({ type: 'heartbeat' })
  const end = pushes.next()
  const before = cancelled
  await pushes.return()
  expect(await end).toMatchObject({ done: true })
  expect(cancelled).toBe(before + 1)
  expect(engine.changeListenerCount).toBe(0)
})

test('aborting ends the subscription without a trace', async () => {
  const engine = memoryEngine()
  const controller = new AbortController()
  const { pushes } = await begun(engine, { signal: controller.signal })
  const waiting = pushes.next()
  controller.abort()
  expect(await waiting).toMatchObject({ done: true })
  expect(engine.changeListenerCount).toBe(0)
})

test('what waits comes as a whole whenever it changes, as it is when the reader takes it', async () => {
  const engine = memoryEngine()
  const { sessionId } = await engine.sessions.create({ folder: '/p' })
  const { pushes } = await begun(engine)
  engine.ask(sessionId, 'first')
  engine.ask(sessionId, 'second')
  await engine.sessions.reply(sessionId, { approvalId: 'first', optionId: 'once' })
  expect((await pushes.next()).value).toMatchObject({ type: 'sessions' })
  expect((await pushes.next()).value).toMatchObject({ type: 'inbox', entries: [{ sessionId, approvalId: 'second' }] })
  await pushes.return()
})
