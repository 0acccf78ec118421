import { expect, test } from 'vitest'
import { memoryEngine, type MemoryEngine } from '../../../../test/support/memory-engine'
import type { SessionSummary } from '../../../shared/model/session/session'
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

/** A subscriber that has received the complete lists, which every subscription starts with. */
async function subscribed(engine: MemoryEngine, subscription?: AppSubscription) {
  const pushes = appPushes(engine, subscription)
  const first = [await pushes.next(), await pushes.next()].map(({ value }) => value)
  return { pushes, first }
}

test('sends the complete list first, then only the newest state of each change, however slow the reader', async () => {
  const engine = memoryEngine()
  const { sessionId } = await engine.sessions.create({ folder: '/p' })
  const { pushes, first } = await subscribed(engine)
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

test('sends the latest of thousands of sessions immediately, and the rest in chunks after the page has drawn them', async () => {
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
  const { pushes, first } = await subscribed(engine, { clock, frameMs: 0 })
  const seen: string[] = []
  const take = (push: unknown): { more?: true } => {
    const list = push as { changed: SessionSummary[]; more?: true }
    seen.push(...list.changed.map(({ sessionId }) => sessionId))
    return list
  }
  expect(take(first[0]).more).toBe(true)
  expect(seen).toHaveLength(100)
  // Changes in between are sent, and are not mistaken for the end of the list.
  engine.changed({ kind: 'session.removed', sessionId: 'gone' })
  expect((await pushes.next()).value).toEqual({ type: 'sessions', changed: [], removed: ['gone'], more: true })
  later?.()
  while (take((await pushes.next()).value).more);
  expect(seen.toSorted()).toEqual(ids.toSorted())
  await pushes.return()
})

test('sends heartbeats while idle, and only one to a reader that slept', async () => {
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
  const { pushes } = await subscribed(engine, { clock })
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

test('aborting ends the subscription and removes its listeners', async () => {
  const engine = memoryEngine()
  const controller = new AbortController()
  const { pushes } = await subscribed(engine, { signal: controller.signal })
  const waiting = pushes.next()
  controller.abort()
  expect(await waiting).toMatchObject({ done: true })
  expect(engine.changeListenerCount).toBe(0)
})

test('sends the complete inbox whenever it changes, in its state when it is read', async () => {
  const engine = memoryEngine()
  const { sessionId } = await engine.sessions.create({ folder: '/p' })
  const { pushes } = await subscribed(engine)
  engine.ask(sessionId, 'first')
  engine.ask(sessionId, 'second')
  await engine.sessions.reply(sessionId, { approvalId: 'first', optionId: 'once' })
  expect((await pushes.next()).value).toMatchObject({ type: 'sessions' })
  expect((await pushes.next()).value).toMatchObject({ type: 'inbox', entries: [{ sessionId, approvalId: 'second' }] })
  await pushes.return()
})
