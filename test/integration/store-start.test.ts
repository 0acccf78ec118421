import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/main/engine/store/database/database'
import { MIGRATIONS, type Migration } from '../../src/main/engine/store/migrations'
import { openStore } from '../../src/main/engine/store/open/open-store'
import type { EventBody } from '../../src/shared/events/event'

let home: string
let file: string

const input = { folder: '/project', title: 'T', mode: 'ask', addedFolders: [] as string[] } as const
const turn = (text: string): EventBody => ({
  type: 'turn.started',
  turnId: 't',
  parts: [{ type: 'text', text }],
  model: 'a/b',
})

/** A store with `count` sessions of some size, closed. */
function fill(count: number, now = Date.now): void {
  const { store } = openStore({ home, now })
  for (let n = 0; n < count; n += 1) {
    store.create({ ...input, addedFolders: [], sessionId: `s${n}` })
    for (let k = 0; k < 20; k += 1) store.append(`s${n}`, [turn(`message ${k} ${'text '.repeat(200)}`)])
  }
  store.close()
}

function overwrite(path: string, offset: number, bytes: Buffer): void {
  const fd = openSync(path, 'r+')
  writeSync(fd, bytes, 0, bytes.length, offset)
  closeSync(fd)
}

const sessions = (): string[] => {
  const { store } = openStore({ home })
  const ids = store.list().map((row) => row.sessionId)
  store.close()
  return ids.sort()
}
const backups = (): string[] => (existsSync(join(home, 'backups')) ? readdirSync(join(home, 'backups')).sort() : [])
const asides = (): string[] =>
  readdirSync(home).filter((name) => name.includes('.damaged-') && !/-(wal|shm)$/.test(name))

function noticesNow(): string[] {
  const { store, notices } = openStore({ home })
  store.close()
  return notices
}

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'trestle-start-'))
  file = join(home, 'trestle.db')
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const next = (up: Migration['up']): Migration[] => [...MIGRATIONS, { version: 99, up }]

describe('migration', () => {
  const onlyFirst = MIGRATIONS.slice(0, 1)

  test('a new home needs no backup and its files are private to the user', () => {
    rmSync(home, { recursive: true })
    fill(1)
    expect(backups()).toEqual([])
    expect(statSync(home).mode & 0o777).toBe(0o700)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('a non-empty file of version 0 is backed up before it is migrated', () => {
    const db = openDatabase(file)
    db.exec("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('keep me')")
    db.close()
    expect(sessions()).toEqual([])
    expect(backups().map((name) => name.replace(/-\d{8}T\d{9}Z\.db$/, ''))).toEqual([
      'trestle-0',
      'trestle-1',
      'trestle-2',
      'trestle-3',
      'trestle-4',
    ])
    const copy = openDatabase(join(home, 'backups', backups()[0]!))
    expect(copy.prepare('SELECT text FROM notes').pluck().get()).toBe('keep me')
    expect(copy.pragma('user_version', { simple: true })).toBe(0)
    copy.close()
  })

  test('messages written before the search existed are searchable after its migration', () => {
    const db = openDatabase(file)
    db.transaction(() => {
      onlyFirst[0]?.up(db)
      db.pragma('user_version = 1')
    })()
    db.exec(
      'INSERT INTO session (id, seq, created_at, updated_at, folder, title, status, ' +
        "waiting, archived) VALUES ('old', 1, 1, 1, '/p', 'Old', 'idle', 0, 0)",
    )
    db.exec("INSERT INTO session_header VALUES ('old', 0, '{}')")
    db.prepare('INSERT INTO event (session_id, seq, at, type, body) VALUES (?, 1, 1, ?, ?)').run(
      'old',
      'turn.started',
      JSON.stringify(turn('an ancient 错误')),
    )
    db.close()
    const { store } = openStore({ home })
    expect(store.search('错误').map((hit) => hit.sessionId)).toEqual(['old'])
    store.close()
    expect(backups()).toEqual([
      expect.stringMatching(/^trestle-1-/),
      expect.stringMatching(/^trestle-2-/),
      expect.stringMatching(/^trestle-3-/),
      expect.stringMatching(/^trestle-4-/),
    ])
  })

  test('a migration that fails changes nothing, and the backup exists', () => {
    fill(2)
    const failing = next((db) => {
      db.exec('DROP TABLE lease')
      throw new Error('broken step')
    })
    expect(() => openStore({ home, migrations: failing })).toThrow('broken step')
    expect(backups()).toHaveLength(1)
    expect(sessions()).toEqual(['s0', 's1'])
  })

  test('only the newest seven backups are kept', () => {
    fill(1)
    mkdirSync(join(home, 'backups'), { recursive: true })
    for (let n = 1; n < 10; n += 1) writeFileSync(join(home, 'backups', `trestle-1-2026010${n}T000000000Z.db`), 'x')
    writeFileSync(join(home, 'backups', 'mine.db'), 'x')
    openStore({ home, migrations: next((db) => db.exec('CREATE TABLE more (x)')) }).store.close()
    expect(backups()).toHaveLength(8)
    expect(backups()).toContain('mine.db')
    expect(backups()).toContain('trestle-1-20260109T000000000Z.db')
    expect(backups()).toContain('trestle-1-20260104T000000000Z.db')
    expect(backups()).not.toContain('trestle-1-20260103T000000000Z.db')
  })

  test('a store of a newer Trestle is rejected and left unchanged', () => {
    fill(1)
    const db = openDatabase(file)
    db.pragma('user_version = 1000')
    db.close()
    const before = readFileSync(file)
    expect(() => openStore({ home })).toThrow(expect.objectContaining({ code: 'store.too_new' }))
    expect(readFileSync(file).equals(before)).toBe(true)
    expect(asides()).toEqual([])
  })
})

/** Checks that exactly these sessions were recovered. */
const are = (expected: string[]) => (recovered: string[]) => expect(recovered).toEqual(expected)

/**
 * Starts with the damaged file: it must work, keep the old bytes, and lose nothing at the next start. `check`: verifies
 * the recovered sessions. Returns the notices.
 */
function startAfresh(check: (recovered: string[]) => void): string[] {
  const damaged = readFileSync(file)
  const { store, notices } = openStore({ home })
  const recovered = store
    .list()
    .map((row) => row.sessionId)
    .sort()
  check(recovered)
  store.create({ ...input, addedFolders: [], sessionId: 'after' })
  store.close()
  expect(asides()).toHaveLength(1)
  expect(notices[0]).toContain(asides()[0])
  expect(readFileSync(join(home, asides()[0]!)).equals(damaged)).toBe(true)
  expect(sessions()).toEqual([...recovered, 'after'].sort())
  expect(noticesNow()).toEqual([])
  return notices
}

describe('a damaged file', () => {
  test('with a garbage header', () => {
    fill(3)
    overwrite(file, 0, Buffer.alloc(200, 'garbage'))
    expect(startAfresh(are(['s0', 's1', 's2']))).toEqual([
      expect.stringMatching(/damaged .*3 sessions with 63 events were recovered.*No loss/),
    ])
  })

  test('with garbage in the middle', () => {
    fill(30)
    overwrite(file, Math.floor(statSync(file).size / 8192) * 4096, Buffer.alloc(40_960, 0xa5))
    const expected = Array.from({ length: 30 }, (_, n) => `s${n}`).sort()
    expect(startAfresh(are(expected))).toEqual([
      expect.stringMatching(/damaged.* 30 sessions with \d+ events were recovered.* Lost: \d+ events/),
    ])
  })

  test('truncated', () => {
    fill(30)
    truncateSync(file, Math.floor(statSync(file).size / 2))
    // Which ones are in the first half depends on how SQLite placed the tables; the first was written first.
    let left: string[] = []
    const notices = startAfresh((recovered) => {
      left = recovered
      expect(recovered).toContain('s0')
      expect(recovered.length).toBeGreaterThanOrEqual(8)
      expect(recovered.length).toBeLessThan(30)
    })
    expect(notices).toEqual([expect.stringMatching(new RegExp(`damaged.* ${left.length} sessions`))])
  })

  test('that is not a database', () => {
    writeFileSync(file, 'hello, I am a text file that is long enough to be looked at by SQLite'.repeat(100))
    expect(startAfresh(are([]))).toEqual([expect.stringMatching(/not a database/)])
  })

  test('with the right version but no tables', () => {
    const db = openDatabase(file)
    db.exec('CREATE TABLE other (x)')
    db.pragma(`user_version = ${MIGRATIONS.at(-1)?.version}`)
    db.close()
    expect(startAfresh(are([]))).toEqual([expect.stringMatching(/no table session/)])
  })

  test('is replaced by the newest valid backup', () => {
    fill(3)
    mkdirSync(join(home, 'backups'))
    const backup = (day: number): string => join(home, 'backups', `trestle-2-2026010${day}T120000000Z.db`)
    copyFileSync(file, backup(1))
    fill(0)
    writeFileSync(backup(3), 'not a database')
    copyFileSync(file, backup(2))
    overwrite(backup(2), 8192, Buffer.alloc(8192, 0x11))
    overwrite(file, 0, Buffer.alloc(4096, 0x77))
    expect(startAfresh(are(['s0', 's1', 's2']))).toEqual([
      expect.stringMatching(/3 sessions with 63 events were recovered \(with the backup of 1 Jan 2026, 12:00\)/),
    ])
    expect(existsSync(backup(3))).toBe(true)
  })

  test('emptied, with a log next to it: the log is kept, not deleted', () => {
    fill(1)
    const { store } = openStore({ home })
    store.append('s0', [turn('only in the log')])
    copyFileSync(`${file}-wal`, join(home, 'saved-wal'))
    store.close()
    copyFileSync(join(home, 'saved-wal'), `${file}-wal`)
    truncateSync(file, 0)
    expect(startAfresh(are(['s0']))).toEqual([expect.stringMatching(/the file is empty/)])
    expect(readFileSync(join(home, `${asides()[0]}-wal`)).equals(readFileSync(join(home, 'saved-wal')))).toBe(true)
  })

  test('is detected while running, and repaired at the next start', { timeout: 180_000 }, () => {
    fill(400)
    const { store } = openStore({ home })
    overwrite(file, 4096 * 40, Buffer.alloc(statSync(file).size - 4096 * 41, 0x5a))
    expect(() => {
      for (let n = 0; n < 400; n += 1) store.since(`s${n}`, 0)
    }).toThrow(expect.objectContaining({ code: 'store.unreadable' }))
    store.close()
    const again = openStore({ home })
    expect(again.notices).toHaveLength(1)
    again.store.close()
    expect(readdirSync(home)).not.toContain('trestle.db.suspect')
  })
})

test(
  'a large valid file is fully checked once a day and after a crash, not at every start',
  { timeout: 180_000 },
  () => {
    const day = 86_400_000
    let time = 1_800_000_000_000
    fill(400, () => time)
    expect(statSync(file).size).toBeGreaterThan(2 * 1024 * 1024)
    // Damage only a complete check can see: the last page of the file.
    overwrite(file, statSync(file).size - 4096 * 300, Buffer.alloc(4096 * 200, 0x5a))
    time += 1000
    const quick = openStore({ home, now: () => time })
    expect(quick.notices).toEqual([])
    quick.store.close()
    time += day
    const daily = openStore({ home, now: () => time })
    expect(daily.notices).toHaveLength(1)
    daily.store.close()
  },
)

test('an unusable home is a coded error, not a crash', () => {
  writeFileSync(join(home, 'plain'), '')
  expect(() => openStore({ home: join(home, 'plain') })).toThrow(expect.objectContaining({ code: 'store.unreadable' }))
  mkdirSync(join(home, 'folder', 'trestle.db'), { recursive: true })
  expect(() => openStore({ home: join(home, 'folder') })).toThrow(expect.objectContaining({ code: 'store.unreadable' }))
})

test('an incomplete backup of a dead process is removed by the next start, and that of a running one is kept', () => {
  const folder = join(home, 'backups')
  mkdirSync(folder, { recursive: true })
  const [dead, living] = [2 ** 22 + 1, process.ppid].map((pid) =>
    join(folder, `trestle-1-20261120T140215123Z.db.${pid}.partial`),
  )
  for (const file of [dead!, living!]) writeFileSync(file, 'half')
  openStore({ home }).store.close()
  expect([dead!, living!].map((file) => existsSync(file))).toEqual([false, true])
})
