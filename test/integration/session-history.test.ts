import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { walkChain, verifyHistories, verifyHistory } from '../../src/main/engine/audit/verify-history'
import { createHistoryRows } from '../../src/main/engine/store/chain/history-rows'
import { openDatabase, openReadOnly, sqliteCode, type Database } from '../../src/main/engine/store/database/database'
import { eventDigest, firstHash, nextHash } from '../../src/main/engine/store/chain/event-chain'
import { migrate, MIGRATIONS } from '../../src/main/engine/store/migrations'
import { rebuildStore } from '../../src/main/engine/store/recovery/rebuild-store'
import { openStoreRows } from '../../src/main/engine/store/recovery/store-rows'
import { openStore } from '../../src/main/engine/store/open/open-store'
import type { EventBody } from '../../src/shared/events/event'
import type { HistoryCheck } from '../../src/shared/model/session/history'
import { runTs } from '../support/run-ts'

let home: string
let file: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'trestle-history-'))
  file = join(home, 'trestle.db')
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const said = (n: number): EventBody => ({
  type: 'turn.started',
  turnId: `turn-${n}`,
  parts: [{ type: 'text', text: `message number ${n} ${'x'.repeat((n * 37) % 900)}` }],
  model: 'local/scripted',
})

/** Two sessions with this many events each. */
function fill(events: number): void {
  const { store } = openStore({ home })
  for (const sessionId of ['session-a', 'session-b']) {
    store.create({ sessionId, folder: '/p', title: sessionId, mode: 'ask', addedFolders: [] })
    for (let n = 2; n <= events; n += 1) store.append(sessionId, [said(n)])
  }
  store.close()
}

/** A session with this many events, as recorded by a Trestle without hashes. */
function fillOld(events: number): void {
  const db = openDatabase(file)
  migrate(db, { migrations: MIGRATIONS.filter(({ version }) => version < 5), backup: () => {} })
  db.prepare(
    'INSERT INTO session (id, seq, created_at, updated_at, folder, title, status, ' +
      "waiting, archived) VALUES ('session-a', ?, 1, 1, '/p', 'Old', 'idle', 0, 0)",
  ).run(events)
  db.exec("INSERT INTO session_header VALUES ('session-a', 0, '{}')")
  const insert = db.prepare("INSERT INTO event (session_id, seq, at, type, body) VALUES ('session-a', ?, 1, ?, ?)")
  const created = { type: 'session.created', folder: '/p', title: 'Old', mode: 'ask', addedFolders: [] }
  for (let n = 1; n <= events; n += 1) {
    const body = n === 1 ? created : said(n)
    insert.run(n, body.type, JSON.stringify(body))
  }
  db.close()
}

function verify(sessionId = 'session-a', expected?: string): Promise<HistoryCheck> {
  const db = openReadOnly(file)
  return verifyHistory(
    { rows: createHistoryRows(db), store: { header: () => undefined } },
    sessionId,
    expected,
  ).finally(() => db.close())
}

/** Changes the file directly, without the store. */
function tamper(change: (db: Database) => void): void {
  const db = openDatabase(file)
  db.pragma('foreign_keys = OFF')
  db.exec('DROP TRIGGER IF EXISTS event_is_final; DROP TRIGGER IF EXISTS event_goes_with_session')
  db.exec('DROP INDEX IF EXISTS event_order')
  change(db)
  db.exec('CREATE INDEX event_order ON event (session_id, seq)')
  db.close()
}

const setSeq = (db: Database, from: number, by: number): void =>
  void db.prepare("UPDATE event SET seq = seq + ? WHERE session_id = 'session-a' AND seq >= ?").run(by, from)
const remove = (db: Database, seq: number): void =>
  void db.prepare("DELETE FROM event WHERE session_id = 'session-a' AND seq = ?").run(seq)
const setEnd = (db: Database, seq: number): void =>
  void db.prepare("UPDATE session SET seq = ? WHERE id = 'session-a'").run(seq)
const insert = (db: Database, seq: number, hash: string | null): void =>
  void db
    .prepare(
      "INSERT INTO event (session_id, seq, at, type, body, hash) VALUES ('session-a', ?, 5, 'turn.started', ?, ?)",
    )
    .run(seq, JSON.stringify(said(99)), hash)

/** Runs a process that records events, and kills it while it records. */
async function killWhileRecording(): Promise<void> {
  const writer = runTs('./store-writer.ts', [home, 'session-a'])
  await writer.line('ack')
  // A random delay, not a wait for a condition.
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 60))
  await writer.kill()
}

describe('the history of a session', () => {
  test('is intact after events were recorded, and its head is the hash of the last event', async () => {
    fill(12)
    const check = await verify()
    expect(check).toMatchObject({ ok: true, events: 12, withoutHash: 0 })
    const db = openReadOnly(file)
    expect(db.prepare("SELECT hash FROM event WHERE session_id = 'session-a' AND seq = 12").pluck().get()).toBe(
      check.head,
    )
    db.close()
  })

  test('has the hashes that docs/events.md describes', async () => {
    fill(3)
    const db = openReadOnly(file)
    let hash = firstHash('session-a')
    for (const row of db.prepare("SELECT * FROM event WHERE session_id = 'session-a' ORDER BY seq").all()) {
      const event = row as { seq: number; at: number; type: string; body: string; hash: string }
      hash = nextHash(hash, eventDigest(event))
      expect(event.hash).toBe(hash)
    }
    db.close()
  })

  test('contains a hash that was noted earlier, but not one of another history', async () => {
    fill(5)
    const { head } = await verify()
    const { store } = openStore({ home })
    store.append('session-a', [said(6)])
    store.close()
    expect(await verify('session-a', head)).toMatchObject({ ok: true, events: 6, expectedAt: 5 })
    const other = await verify('session-b', head)
    expect(other).toMatchObject({ ok: false, problem: { kind: 'rewritten' } })
  })

  test('of a session from before the hashes is covered by the hash of its next event', async () => {
    fillOld(6)
    openStore({ home }).store.close()
    expect(await verify()).toMatchObject({ ok: true, events: 6, withoutHash: 6 })
    const { store } = openStore({ home })
    store.append('session-a', [said(7), said(8)])
    store.close()
    expect(await verify()).toMatchObject({ ok: true, events: 8, withoutHash: 6 })
    tamper((db) => db.prepare("UPDATE event SET at = at + 1 WHERE session_id = 'session-a' AND seq = 3").run())
    expect(await verify()).toMatchObject({ ok: false, problem: { kind: 'altered', seq: 1, to: 7 } })
  })

  test('is intact in a store that was rebuilt from a damaged file', async () => {
    fill(60)
    const check = await verify()
    const source = openStoreRows(file)
    const rebuilt = join(home, 'rebuilt.db')
    rebuildStore(rebuilt, [source])
    source.close()
    rmSync(`${file}-wal`, { force: true })
    copyFileSync(rebuilt, file)
    expect(await verify()).toEqual(check)
    const { store } = openStore({ home })
    store.append('session-a', [said(61)])
    store.close()
    expect(await verify('session-a', check.head)).toMatchObject({ ok: true, events: 61, expectedAt: 60 })
  })

  test('stays intact through kills of the process that records it', { timeout: 180_000 }, async () => {
    for (let round = 0; round < 4; round += 1) {
      await killWhileRecording()
      expect(await verify()).toMatchObject({ ok: true })
    }
    const { store } = openStore({ home })
    store.append('session-a', [said(1)])
    store.close()
    expect(await verify()).toMatchObject({ ok: true, withoutHash: 0 })
  })
})

describe('a change behind the back of Trestle', () => {
  /** Each changes something at event `n` of 12 and returns the expected report. */
  const CHANGES: Record<
    string,
    { change: (db: Database, n: number) => void; kind: string; at?: (n: number) => number }
  > = {
    'of a text': {
      change: (db, n) =>
        void db
          .prepare(
            "UPDATE event SET body = replace(body, 'message', 'massage') WHERE session_id = 'session-a' AND seq = ?",
          )
          .run(n),
      kind: 'altered',
    },
    'of a time': {
      change: (db, n) =>
        void db.prepare("UPDATE event SET at = at + 1 WHERE session_id = 'session-a' AND seq = ?").run(n),
      kind: 'altered',
    },
    'of a type': {
      change: (db, n) =>
        void db.prepare("UPDATE event SET type = 'turn.x' WHERE session_id = 'session-a' AND seq = ?").run(n),
      kind: 'altered',
    },
    'of a hash': {
      change: (db, n) =>
        void db.prepare("UPDATE event SET hash = ? WHERE session_id = 'session-a' AND seq = ?").run('0'.repeat(64), n),
      kind: 'altered',
    },
    'that strips a hash': {
      change: (db, n) =>
        void db.prepare("UPDATE event SET hash = NULL WHERE session_id = 'session-a' AND seq = ?").run(n),
      kind: 'altered',
    },
    'that removes an event': { change: remove, kind: 'removed' },
    'that removes an event and renumbers the rest': {
      change(db, n) {
        remove(db, n)
        setSeq(db, n + 1, -1)
        setEnd(db, 11)
      },
      kind: 'removed',
    },
    'that inserts an event': {
      change(db, n) {
        setSeq(db, n, 1)
        insert(db, n, 'f'.repeat(64))
        setEnd(db, 13)
      },
      kind: 'inserted',
    },
    'that inserts an event without a hash': {
      change(db, n) {
        setSeq(db, n, 1)
        insert(db, n, null)
        setEnd(db, 13)
      },
      kind: 'inserted',
    },
    'that swaps two events with their hashes': {
      change(db, n) {
        setSeqOf(db, n, -1)
        setSeqOf(db, n + 1, n)
        setSeqOf(db, -1, n + 1)
      },
      kind: 'reordered',
    },
    'that swaps what two events say': {
      change(db, n) {
        const of = (seq: number) =>
          db.prepare("SELECT at, body FROM event WHERE session_id = 'session-a' AND seq = ?").get(seq) as {
            at: number
            body: string
          }
        const [one, two] = [of(n), of(n + 2 > 12 ? n - 1 : n + 2)]
        const set = db.prepare("UPDATE event SET at = ?, body = ? WHERE session_id = 'session-a' AND seq = ?")
        set.run(two.at, two.body, n)
        set.run(one.at, one.body, n + 2 > 12 ? n - 1 : n + 2)
      },
      kind: 'reordered',
      at: (n) => (n + 2 > 12 ? n - 1 : n),
    },
  }
  const setSeqOf = (db: Database, seq: number, to: number): void =>
    void db.prepare("UPDATE event SET seq = ? WHERE session_id = 'session-a' AND seq = ?").run(to, seq)

  for (const [name, { change, kind, at = (n: number) => n }] of Object.entries(CHANGES))
    test(`${name} is found at the event it is about`, async () => {
      fill(12)
      const sound = readFileSync(file)
      // At the last two events, some kinds cannot be distinguished, so the test only expects a problem.
      for (let n = 2; n <= 10; n += 1) {
        writeFileSync(file, sound)
        tamper((db) => change(db, n))
        expect(await verify(), `event ${n}`).toMatchObject({ ok: false, problem: { kind, seq: at(n) } })
        expect(await verify('session-b')).toMatchObject({ ok: true })
      }
      for (const n of [11, 12]) {
        if (name.includes('with their hashes') && n === 12) continue
        writeFileSync(file, sound)
        tamper((db) => change(db, n))
        expect((await verify()).ok, `event ${n}`).toBe(false)
      }
    })

  test('that removes the last events is found, even if the count is corrected', async () => {
    fill(8)
    const sound = readFileSync(file)
    tamper((db) => {
      remove(db, 8)
      remove(db, 7)
    })
    expect(await verify()).toMatchObject({ problem: { kind: 'removed', seq: 7, to: 8 } })
    writeFileSync(file, sound)
    tamper((db) => {
      remove(db, 8)
      setEnd(db, 7)
    })
    expect(await verify()).toMatchObject({ ok: false })
  })

  test('that rewrites the last event with a matching hash is found', async () => {
    fill(8)
    tamper((db) => {
      const row = (seq: number) =>
        db.prepare("SELECT * FROM event WHERE session_id = 'session-a' AND seq = ?").get(seq) as {
          seq: number
          at: number
          type: string
          body: string
          hash: string
        }
      const last = { ...row(8), body: JSON.stringify(said(77)) }
      db.prepare("UPDATE event SET body = ?, hash = ? WHERE session_id = 'session-a' AND seq = 8").run(
        last.body,
        nextHash(row(7).hash, eventDigest(last)),
      )
    })
    expect(await verify()).toMatchObject({ problem: { kind: 'altered', seq: 8 } })
  })

  test('that adds an event at the end is found', async () => {
    fill(8)
    tamper((db) => insert(db, 9, null))
    expect(await verify()).toMatchObject({ problem: { kind: 'inserted', seq: 9 } })
  })

  test('that strips all hashes, or the row of the session, is found', async () => {
    fill(8)
    const sound = readFileSync(file)
    tamper((db) => db.exec('UPDATE event SET hash = NULL; UPDATE session SET head = NULL'))
    expect(await verify()).toMatchObject({ problem: { kind: 'altered', seq: 1 } })
    writeFileSync(file, sound)
    tamper((db) => db.exec("DELETE FROM session WHERE id = 'session-a'"))
    const db = openReadOnly(file)
    const all = await verifyHistories({ rows: createHistoryRows(db), store: { header: () => undefined } })
    db.close()
    expect(all).toMatchObject({ ok: false, sessions: 2, failed: [{ sessionId: 'session-a' }] })
  })

  test('that moves an event to another session is found in both', async () => {
    fill(8)
    tamper((db) => {
      db.exec("UPDATE event SET session_id = 'x' WHERE session_id = 'session-a' AND seq = 4")
      db.exec("UPDATE event SET session_id = 'session-a' WHERE session_id = 'session-b' AND seq = 4")
      db.exec("UPDATE event SET session_id = 'session-b' WHERE session_id = 'x'")
    })
    expect(await verify()).toMatchObject({ problem: { kind: 'altered', seq: 4 } })
    expect(await verify('session-b')).toMatchObject({ problem: { kind: 'altered', seq: 4 } })
  })

  test('of any byte of the file is found, or changes nothing of any event', { timeout: 180_000 }, async () => {
    fill(40)
    const sound = readFileSync(file)
    const read = (db: Database, sessionId: string): unknown[] => createHistoryRows(db).chunk(sessionId, 0)
    const before = openReadOnly(file)
    const events = ['session-a', 'session-b'].map((id) => read(before, id))
    before.close()
    const copy = join(home, 'copy.db')
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(sound.length - 1), fc.integer({ min: 1, max: 255 })), { minLength: 1, maxLength: 4 }),
        async (flips) => {
          copyFileSync(file, copy)
          const bytes = Buffer.from(sound)
          for (const [at, mask] of flips) bytes[at]! ^= mask
          writeFileSync(copy, bytes)
          let db: Database | undefined
          try {
            db = openReadOnly(copy)
            const rows = createHistoryRows(db)
            const found = await Promise.all(
              ['session-a', 'session-b'].map((id) => walkChain(rows, id, { nextTurn: async () => {} })),
            )
            if (found.some(({ problem }) => problem !== undefined)) return
            expect(['session-a', 'session-b'].map((id) => read(db!, id))).toEqual(events)
          } catch (error) {
            // SQLite itself has detected it.
            if (sqliteCode(error) === undefined) throw error
          } finally {
            db?.close()
          }
        },
      ),
      { numRuns: process.env['TRESTLE_TESTS'] === 'all' ? 3000 : 400 },
    )
  })
})
