import { copyFileSync, mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  type BackupOutcome,
  createStoreBackups,
  type StoreBackups,
} from '../../src/main/engine/store/backup/store-backups'
import { openDatabase } from '../../src/main/engine/store/database/database'
import { openStore } from '../../src/main/engine/store/open/open-store'
import type { Store } from '../../src/main/engine/store/store'
import type { EventBody } from '../../src/shared/events/event'
import { runTs, type RunningScript } from '../support/run-ts'
import { until } from '../support/until'

const DAY = 24 * 60 * 60 * 1000

let home: string
let file: string
let store: Store
let recover: ReturnType<typeof openStore>['recover']
let time: number
let problems: string[]
let running: RunningScript[]

const turn = (text: string): EventBody => ({
  type: 'turn.started',
  turnId: 't',
  parts: [{ type: 'text', text }],
  model: 'a/b',
})
const folder = (): string => join(home, 'backups')
const backups = (): string[] => {
  try {
    return readdirSync(folder()).toSorted()
  } catch {
    return []
  }
}
const newest = (): string => join(folder(), backups().at(-1)!)

function open(): string[] {
  const opened = openStore({ home, now: () => time })
  ;({ store, recover } = opened)
  return opened.notices
}
const create = (sessionId: string, ...texts: string[]): void => {
  store.create({ sessionId, folder: '/project', title: sessionId, mode: 'ask', addedFolders: [] })
  for (const text of texts) store.append(sessionId, [turn(text)])
}
const texts = (sessionId: string): string[] =>
  store
    .since(sessionId, 0)
    .flatMap((event) =>
      event.type === 'turn.started' ? event.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [],
    )
const ids = (): string[] =>
  store
    .list()
    .map(({ sessionId }) => sessionId)
    .toSorted()

const opened: StoreBackups[] = []
function start(copy?: () => Promise<BackupOutcome>): StoreBackups {
  const made = createStoreBackups({
    home,
    now: () => time,
    onProblem: (message) => void problems.push(message),
    ...(copy && { copy }),
  })
  opened.push(made)
  return made
}

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'trestle-backups-'))
  file = join(home, 'trestle.db')
  time = Date.now()
  problems = []
  running = []
  open()
})
afterEach(async () => {
  await Promise.all([...opened.splice(0).map((one) => one.close()), ...running.map((script) => script.kill())])
  store.close()
  rmSync(home, { recursive: true, force: true })
})

test('a backup made while the store is open is complete, and Settings shows count, size, time and location', async () => {
  create('one', 'first', 'second')
  const view = await start().take()
  expect(view).toEqual({ folder: folder(), count: 1, bytes: expect.any(Number), newestAt: time })
  expect(view.bytes).toBeGreaterThan(4096)
  expect(backups()).toEqual([expect.stringMatching(/^trestle-\d+-\d{8}T\d{9}Z\.db$/)])
  const copy = openDatabase(newest(), { alone: true })
  expect(copy.pragma('integrity_check', { simple: true })).toBe('ok')
  expect(copy.prepare('SELECT count(*) FROM event').pluck().get()).toBe(3)
  copy.close()
})

test(
  'a backup is made while another process writes continuously, and neither blocks the other',
  { timeout: 180_000 },
  async () => {
    const writer = runTs('./store-writer.ts', [home, 'busy'])
    running.push(writer)
    await writer.line('ack 20')
    const before = writer.lines.length
    const turnsOfTheLoop = { count: 0 }
    const timer = setInterval(() => (turnsOfTheLoop.count += 1), 0)
    await start().take()
    clearInterval(timer)
    expect(turnsOfTheLoop.count).toBeGreaterThan(3)
    await until(() => writer.lines.length > before, 'the writer to continue')
    const copy = openDatabase(newest(), { alone: true })
    expect(copy.pragma('integrity_check', { simple: true })).toBe('ok')
    copy.close()
  },
)

test('a backup is due when the newest is a day old, and a new store gets its first after an hour', async () => {
  const all = start()
  all.takeIfDue()
  expect(backups()).toEqual([])
  time += 2 * 60 * 60 * 1000
  all.takeIfDue()
  await all.take()
  expect(backups()).toHaveLength(1)
  time += DAY - 1000
  all.takeIfDue()
  await until(() => backups().length === 1, 'the folder to stay as it is')
  time += 2000
  all.takeIfDue()
  await until(() => backups().length === 2, 'the second backup')
  expect(problems).toEqual([])
})

test('seven backups are kept, and several of one day do not displace those of other days', async () => {
  const all = start()
  for (let day = 0; day < 6; day += 1) {
    await all.take()
    time += DAY
  }
  for (let n = 0; n < 4; n += 1) {
    await all.take()
    time += 1000
  }
  expect(backups()).toHaveLength(7)
  expect(new Set(backups().map((name) => name.slice(0, 18))).size).toBe(7)
})

test('one process makes the backup, and another reports it as in progress', async () => {
  const { promise, resolve } = Promise.withResolvers<BackupOutcome>()
  const first = start(() => promise).take()
  await expect(start().take()).rejects.toMatchObject({ code: 'store.busy' })
  resolve({ kind: 'failed', reason: 'never mind' })
  await expect(first).rejects.toMatchObject({ code: 'store.unreadable' })
  await expect(start().take()).resolves.toMatchObject({ count: 1 })
})

test('a store whose copy is damaged makes no backup, is reported, and is repaired by the next start', async () => {
  create('one', 'text')
  const bad = start(async () => ({ kind: 'damaged', reason: 'page 7' }))
  await expect(bad.take()).rejects.toThrow(/damaged \(page 7\).*next start/)
  expect(backups()).toEqual([])
  expect(readdirSync(home)).toContain('trestle.db.suspect')
  time += 2 * DAY
  bad.takeIfDue()
  await until(() => problems.length === 1, 'the report')
  expect(problems[0]).toMatch(/No backup of the sessions was made: .*page 7/)
})

test('a damaged store gets lost events from the newest backup, and keeps later ones', async () => {
  create('old', 'in the backup')
  create('gone', 'was removed later')
  await start().take()
  store.append('old', [turn('after the backup')])
  create('late', 'only in the store')
  store.remove('gone')
  store.close()
  const bytes = openDatabase(file)
  bytes.pragma('wal_checkpoint(TRUNCATE)')
  bytes.close()
  truncateSync(file, 0)
  expect(open()).toEqual([
    expect.stringMatching(/the file is empty.* 2 sessions with 4 events were recovered \(with the backup of /),
  ])
  // Nothing after the backup is left, so the removal is lost, too.
  expect(ids()).toEqual(['gone', 'old'])
  expect(texts('old')).toEqual(['in the backup'])
})

test('events newer than the backup are read from the damaged store, and removed sessions stay removed', async () => {
  create('old', 'in the backup')
  create('gone', 'was removed later')
  await start().take()
  store.append('old', [turn('after the backup')])
  create('late', 'only in the store')
  store.remove('gone')
  store.close()
  const cut = openDatabase(file)
  cut.exec('DROP TABLE lease')
  cut.close()
  expect(open()).toEqual([expect.stringMatching(/no table lease.* 2 sessions with 5 events were recovered.*No loss/)])
  expect(ids()).toEqual(['late', 'old'])
  expect(texts('old')).toEqual(['in the backup', 'after the backup'])
})

test('recover restores missing sessions from a backup, completes truncated ones, and changes no existing event', async () => {
  create('same', 'a')
  create('removed', 'b')
  create('apart', 'c', 'd')
  create('short', 'e')
  await start().take()
  const backup = newest()
  store.append('short', [turn('later')])
  const whole = join(home, 'whole.db')
  store.close()
  copyFileSync(file, whole)
  open()
  store.remove('removed')
  store.close()
  // The store of the previous day, in which one session was continued.
  copyFileSync(backup, file)
  open()
  store.append('apart', [turn('went another way')])
  store.remove('removed')
  expect(recover(whole)).toMatchObject({
    found: { sessions: 4, lostSessions: 0, lostEvents: 0 },
    merged: { added: ['removed'], completed: ['short'], unchanged: 2, kept: [] },
  })
  expect(texts('short')).toEqual(['e', 'later'])
  expect(texts('apart')).toEqual(['c', 'd', 'went another way'])
  expect(store.header('short')?.seq).toBe(3)
  expect(store.search('later').map((hit) => hit.sessionId)).toEqual(['short'])
  expect(store.append('removed', [turn('on')])[0]?.seq).toBe(3)
  // The second time, there is nothing to do.
  expect(recover(backup).merged).toMatchObject({ added: [], completed: [], events: 0 })
})

test('recover leaves a session that has diverged since alone, and says so', async () => {
  create('apart', 'a')
  store.append('apart', [turn('one way')])
  await start().take()
  const backup = newest()
  store.close()
  rmSync(file)
  open()
  time += 1000
  create('apart', 'a')
  store.append('apart', [turn('the other way')])
  expect(recover(backup).merged).toMatchObject({ added: [], kept: [{ sessionId: 'apart', why: 'changed' }] })
  expect(texts('apart')).toEqual(['a', 'the other way'])
})

test('recover without a file uses the kept damaged stores and the newest backup, without removed sessions', async () => {
  expect(() => recover()).toThrow(/no damaged store and no backup/)
  create('kept', 'a')
  create('gone', 'b')
  await start().take()
  store.remove('gone')
  expect(recover()).toMatchObject({ files: [newest()], merged: { added: [], unchanged: 1 } })
  expect(ids()).toEqual(['kept'])
  expect(recover(newest())).toMatchObject({ merged: { added: ['gone'] } })
  expect(ids()).toEqual(['gone', 'kept'])
})

test('recover rejects the store in use and a missing file', () => {
  expect(() => recover(file)).toThrow(/is the store that is in use/)
  expect(() => recover(join(home, 'nothing.db'))).toThrow(/There is no file/)
})
