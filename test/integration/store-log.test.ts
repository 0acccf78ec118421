import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/main/engine/store/database/database'
import { createLeases } from '../../src/main/engine/store/lease'
import { migrate } from '../../src/main/engine/store/migrations'
import { openStore } from '../../src/main/engine/store/open/open-store'
import { identityOf } from '../../src/main/engine/process/process-identity'
import { withMemoryFallback } from '../../src/main/engine/store/open/memory-fallback'
import { createSqliteStore } from '../../src/main/engine/store/sqlite-store'
import type { Store } from '../../src/main/engine/store/store'
import type { EventBody } from '../../src/shared/events/event'
import { applyHeader, emptyHeader } from '../../src/shared/events/fold-header'

let home: string
let store: Store
let time = 1_800_000_000_000

const now = (): number => time
const created = { folder: '/project', title: 'First', mode: 'ask', addedFolders: [] } as const
const turn = (turnId: string, text = 'hello'): EventBody => ({
  type: 'turn.started',
  turnId,
  parts: [{ type: 'text', text }],
  model: 'a/b',
})
const step = (n: number): EventBody => ({ type: 'step.started', turnId: 't', stepId: `s${n}`, n, model: 'a/b' })
const answer = (n: number, text = 'fine'): EventBody => ({
  type: 'step.finished',
  turnId: 't',
  stepId: `s${n}`,
  parts: [
    { type: 'thinking', text: 'hidden thoughts' },
    { type: 'text', text },
  ],
  usage: { input: 10, output: 2, cached: 5, thinking: 1 },
  finish: 'stop',
  durationMs: 5,
})
const tool = (n: number, text = 'ok'): EventBody => ({
  type: 'tool.finished',
  turnId: 't',
  callId: `c${n}`,
  name: 'Read',
  content: [{ type: 'text', text }],
  isError: false,
  durationMs: 1,
})
const end: EventBody = { type: 'turn.finished', turnId: 't', stop: 'end_turn', steps: 1, durationMs: 9 }

const create = (sessionId: string, more: Partial<Parameters<Store['create']>[0]> = {}) =>
  store.create({ ...created, addedFolders: [], sessionId, ...more })
const reopen = (): void => {
  store.close()
  store = openStore({ home, now }).store
}

beforeEach(() => {
  time = 1_800_000_000_000
  home = mkdtempSync(join(tmpdir(), 'trestle-store-'))
  store = openStore({ home, now }).store
})
afterEach(() => {
  store.close()
  rmSync(home, { recursive: true, force: true })
})

describe('the log', () => {
  test('seq has no gaps and events are returned as appended, also after reopening', () => {
    create('a')
    const odd = 'null \u0000, lone \ud800 surrogate, 漢字, 👩‍👩‍👧'
    const events = [...store.append('a', [turn('t', odd), step(1)]), ...store.append('a', [answer(1), end])]
    expect(events.map((event) => event.seq)).toEqual([2, 3, 4, 5])
    reopen()
    expect(store.since('a', 1)).toEqual(events)
    expect(store.since('a', 3, 1)).toEqual([events[2]])
    expect(store.since('a', 5)).toEqual([])
  })

  test('the stored header equals a fold of all events', () => {
    create('a', { model: 'x/y', addedFolders: ['/other'] })
    time += 5
    store.append('a', [turn('t'), step(1), tool(1), answer(1)])
    store.append('a', [{ type: 'prompt.queued', promptId: 'p', parts: [{ type: 'text', text: 'next' }] }])
    store.append('a', [tool(2)])
    const live = store.header('a')
    reopen()
    const folded = store.since('a', 0).reduce(applyHeader, emptyHeader('a'))
    expect(store.header('a')).toEqual(folded)
    expect(live).toEqual(folded)
  })

  test('a header written by an older fold is recomputed instead of trusted', () => {
    create('a')
    store.append('a', [turn('t')])
    const want = store.header('a')
    store.close()
    const db = openDatabase(join(home, 'trestle.db'))
    db.exec(
      'UPDATE session_header SET fold = 0, header = \'{"title":"stale"}\'; ' +
        "UPDATE session SET title = 'stale', turn_id = NULL",
    )
    db.close()
    store = openStore({ home, now }).store
    expect(store.header('a')).toEqual(want)
    expect(store.list()[0]?.title).toBe('First')
  })

  test('events can be neither changed nor deleted in the file, except with their session', () => {
    create('a')
    create('b')
    store.append('a', [turn('t')])
    const db = openDatabase(join(home, 'trestle.db'))
    expect(() => db.exec("UPDATE event SET body = '{}'")).toThrow(/never changed/)
    expect(() => db.exec('DELETE FROM event')).toThrow(/only with their session/)
    expect(() => db.exec("DELETE FROM session WHERE id = 'a'")).toThrow(/FOREIGN KEY/)
    db.close()
    store.remove('a')
    expect(store.header('a')).toBeUndefined()
    expect(store.since('a', 0)).toEqual([])
    expect(store.header('b')?.seq).toBe(1)
  })

  test('a failed append leaves neither events nor a wrong header behind', () => {
    create('a')
    const loop: Record<string, unknown> = {}
    loop['self'] = loop
    const broken: EventBody = { ...answer(1), parts: [{ type: 'text', text: 'x', metadata: { p: loop } }] } as EventBody
    expect(() => store.append('a', [turn('t'), broken])).toThrow(/circular/i)
    expect(store.header('a')).toMatchObject({ seq: 1, turns: 0 })
    expect(store.append('a', [turn('t')])[0]?.seq).toBe(2)
    expect(() => store.append('missing', [turn('t')])).toThrow(expect.objectContaining({ code: 'session.not_found' }))
    expect(store.append('missing', [])).toEqual([])
  })

  test('removing a session of thousands of events removes its text from the search', () => {
    create('a')
    for (let n = 0; n < 30; n += 1)
      store.append(
        'a',
        Array.from({ length: 100 }, (_, k) => answer(k, `needle ${n} ${k}`)),
      )
    create('b')
    store.append('b', [turn('t', 'needle stays')])
    store.remove('a')
    expect(store.search('needle').map((hit) => hit.sessionId)).toEqual(['b'])
    expect(() => store.remove('a')).toThrow(expect.objectContaining({ code: 'session.not_found' }))
  })

  test('a full disk is store.full and the store works again once there is space', () => {
    store.close()
    const db = openDatabase(join(home, 'trestle.db'))
    migrate(db, { backup: () => undefined })
    const leases = createLeases(db, identityOf(process.pid), now)
    leases.register()
    store = withMemoryFallback(createSqliteStore(db, { home, leases, now }), now)
    create('a')
    db.pragma(`max_page_count = ${Number(db.pragma('page_count', { simple: true })) + 3}`)
    const fill = (): void => void store.append('a', [tool(1, 'x'.repeat(100_000))])
    expect(fill).toThrow(expect.objectContaining({ code: 'store.full' }))
    expect(store.header('a')?.seq).toBe(1)
    db.pragma('max_page_count = 1000000')
    fill()
    expect(store.header('a')?.seq).toBe(2)
  })
})

describe('windows', () => {
  test('start where a turn or a step starts and reach to its end', () => {
    create('a')
    for (let t = 0; t < 10; t += 1)
      store.append('a', [turn(`t${t}`), step(1), tool(1), answer(1), step(2), tool(2), answer(2), end])
    const whole = store.since('a', 0)
    let before: number | undefined
    let rebuilt: typeof whole = []
    for (;;) {
      const { events, hasMore } = store.window('a', { limit: 11, ...(before !== undefined && { before }) })
      expect(events.length).toBeGreaterThan(0)
      expect(events.length).toBeLessThanOrEqual(12)
      expect(['turn.started', 'step.started', 'session.created']).toContain(events[0]?.type)
      // The first step includes the start of its turn.
      expect(events[0]).not.toMatchObject({ type: 'step.started', n: 1 })
      rebuilt = [...events, ...rebuilt]
      if (!hasMore) break
      before = events[0]?.seq
    }
    expect(rebuilt).toEqual(whole)
  })

  test('contain a step whole even when it is larger than the limit', () => {
    create('a')
    store.append('a', [turn('t'), step(1), ...Array.from({ length: 50 }, (_, n) => tool(n)), answer(1)])
    const { events, hasMore } = store.window('a', { limit: 5 })
    expect(events[0]?.type).toMatch(/started/)
    expect(events).toHaveLength(events[0]?.type === 'turn.started' ? 53 : 52)
    expect(hasMore).toBe(true)
  })

  test('of a few huge events stop early instead of loading them all', () => {
    create('a')
    for (let n = 0; n < 12; n += 1) store.append('a', [step(n), tool(n, 'x'.repeat(4_000_000))])
    expect(store.window('a', { limit: 100 }).events.length).toBeLessThanOrEqual(8)
    expect(store.window('a', { limit: 100, before: 4 }).events).toHaveLength(3)
  })

  test('report no more events for an empty, an unknown and a fully read session', () => {
    create('a')
    expect(store.window('a', { limit: 10 })).toMatchObject({ hasMore: false, events: [{ seq: 1 }] })
    expect(store.window('a', { limit: 10, before: 1 })).toEqual({ events: [], hasMore: false })
    expect(store.window('missing', { limit: 10 })).toEqual({ events: [], hasMore: false })
  })

  test('history is read backwards, only what the model saw, while other calls continue', () => {
    create('a')
    for (let n = 0; n < 100; n += 1) store.append('a', [turn(`t${n}`), step(1), tool(1), answer(1), end])
    const types: string[] = []
    let last = Infinity
    for (const event of store.historyBackwards('a')) {
      expect(event.seq).toBeLessThan(last)
      last = event.seq
      types.push(event.type)
      if (types.length === 10) store.append('a', [turn('meanwhile')])
    }
    expect(types).toHaveLength(300)
    expect(types.slice(0, 3)).toEqual(['step.finished', 'tool.finished', 'turn.started'])
  })
})

describe('lists', () => {
  test('are newest first, by folder, by archive, with status from the header', () => {
    create('a')
    time += 1
    create('b', { folder: '/gone' })
    time += 1
    create('c', { model: 'p/m' })
    store.append('c', [turn('t')])
    time += 1
    store.append('a', [{ type: 'session.changed', archived: true, title: 'Old' }])
    expect(store.list().map((row) => row.sessionId)).toEqual(['a', 'c', 'b'])
    expect(store.list({ archived: false }).map((row) => row.sessionId)).toEqual(['c', 'b'])
    expect(store.list({ archived: true })).toMatchObject([
      { sessionId: 'a', title: 'Old', archived: true, status: 'idle' },
    ])
    expect(store.list({ folder: '/gone' }).map((row) => row.sessionId)).toEqual(['b'])
    expect(store.list({ limit: 2 })).toHaveLength(2)
    expect(store.list()[1]).toMatchObject({ status: 'running', model: 'p/m' })
  })

  test('show a turn whose process ended as interrupted, not running, and the next start finds it', () => {
    create('a')
    create('b')
    store.append('a', [turn('t')])
    expect(store.interrupted()).toEqual([])
    reopen()
    expect(store.interrupted()).toEqual(['a'])
    expect(store.list().find((row) => row.sessionId === 'a')).toMatchObject({ status: 'interrupted', waiting: 0 })
    expect(store.acquire('a')).toEqual({ ok: true })
    expect(store.interrupted()).toEqual([])
  })
})
