import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../../src/main/engine/store/database/database'
import { openStore } from '../../src/main/engine/store/open/open-store'
import type { EventBody } from '../../src/shared/events/event'
import { applyHeader, emptyHeader } from '../../src/shared/events/fold-header'
import { runTs, type RunningScript } from '../support/run-ts'
import { RUNS_ALL } from '../support/sampled'

/** `STORE_KILLS=200` for the long run. */
const KILLS = Number(process.env['STORE_KILLS'] ?? (RUNS_ALL ? 25 : 8))

let home: string
let running: RunningScript[]
const steer: EventBody = { type: 'turn.steered', turnId: 't', parts: [{ type: 'text', text: 'more' }], by: 'user' }

const writer = (...args: string[]): RunningScript => {
  const script = runTs('./store-writer.ts', [home, ...args])
  running.push(script)
  return script
}
const integrity = (): unknown => {
  const db = openDatabase(join(home, 'trestle.db'))
  const found = db.pragma('integrity_check', { simple: true })
  db.close()
  return found
}

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'trestle-processes-'))
  running = []
})
afterEach(async () => {
  await Promise.all(running.map((script) => script.kill()))
  rmSync(home, { recursive: true, force: true })
})

test(
  `nothing acknowledged is lost and the file stays whole when a writer is killed ${KILLS} times at random`,
  { timeout: 60_000 + KILLS * 10_000 },
  async () => {
    for (let round = 0; round < KILLS; round += 1) {
      const sessionId = `s${round % 5}`
      const script = writer(sessionId)
      await script.line('ack')
      // A random delay, not a wait for a condition.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 60))
      await script.kill()
      const acknowledged = Number(script.lines.findLast((line) => line.startsWith('ack '))?.slice(4))
      expect(acknowledged).toBeGreaterThan(0)

      expect(integrity()).toBe('ok')
      const { store, notices } = openStore({ home })
      expect(notices).toEqual([])
      expect(store.interrupted()).toContain(sessionId)
      expect(store.acquire(sessionId)).toEqual({ ok: true })
      const events = store.since(sessionId, 0)
      expect(events.length).toBeGreaterThanOrEqual(acknowledged)
      expect(events.every((event, index) => event.seq === index + 1)).toBe(true)
      expect(store.header(sessionId)).toEqual(events.reduce(applyHeader, emptyHeader(sessionId)))
      const turnId = store.header(sessionId)?.turnId ?? ''
      store.append(sessionId, [{ type: 'turn.finished', turnId, stop: 'interrupted', steps: 0, durationMs: 0 }])
      expect(store.interrupted()).not.toContain(sessionId)
      store.close()
    }
  },
)

test(
  'processes that write different sessions at once neither corrupt the store nor starve each other',
  { timeout: 180_000 },
  async () => {
    const scripts = ['a', 'b', 'c'].map((id) => writer(id, '1500'))
    const ends = await Promise.all(scripts.map((script) => script.done))
    expect(ends).toEqual([0, 0, 0].map((code) => ({ code, signal: null, stderr: '' })))
    for (const script of scripts) expect(Number(script.lines.at(-1)?.replace('slowest ', ''))).toBeLessThan(20_000)
    expect(integrity()).toBe('ok')
    const { store } = openStore({ home })
    expect(Object.fromEntries(store.list().map((row) => [row.sessionId, row.status]))).toEqual({
      a: 'done',
      b: 'done',
      c: 'done',
    })
    expect(store.search('answer 1499', 10)).toHaveLength(3)
    store.close()
  },
)

test('a session that runs in another process is rejected with its location, and taken over once that process is killed', async () => {
  const script = writer('a', '0', 'hold')
  await script.line('ready')
  const { store } = openStore({ home })
  const refused = store.acquire('a')
  expect(refused).toEqual({
    ok: false,
    where: expect.stringMatching(
      new RegExp(`^another Trestle \\(process ${script.child.pid}, since \\d\\d:\\d\\d\\)$`),
    ),
  })
  expect(store.list()).toMatchObject([
    { sessionId: 'a', status: 'running', elsewhere: expect.stringContaining('another Trestle') },
  ])
  expect(store.interrupted()).toEqual([])
  for (const act of [() => store.append('a', [steer]), () => store.remove('a')]) {
    expect(act).toThrow(expect.objectContaining({ code: 'session.elsewhere' }))
  }
  expect(store.header('a')?.turns).toBe(1)

  await script.kill()
  expect(store.interrupted()).toEqual(['a'])
  expect(store.list()).toMatchObject([{ status: 'interrupted' }])
  expect(store.list()[0]).not.toHaveProperty('elsewhere')
  expect(store.acquire('a')).toEqual({ ok: true })
  expect(store.append('a', [steer])).toHaveLength(1)
  store.close()
})

test('a lease is released on release and on close', () => {
  const one = openStore({ home }).store
  const two = openStore({ home }).store
  one.create({ sessionId: 'a', folder: '/p', title: '', mode: 'ask', addedFolders: [] })
  expect(two.acquire('a').ok).toBe(false)
  one.release('a')
  expect(two.acquire('a').ok).toBe(true)
  expect(one.acquire('a').ok).toBe(false)
  two.append('a', [steer])
  two.close()
  expect(one.acquire('a').ok).toBe(true)
  expect(one.append('a', [steer])[0]?.seq).toBe(3)
  expect(() => one.acquire('missing')).toThrow(expect.objectContaining({ code: 'session.not_found' }))
  one.close()
  one.close()
})

test('a reused process id does not keep a lease alive', async () => {
  const script = writer('a', '0', 'hold')
  await script.line('ready')
  await script.kill()
  // The pid is in use again (by us), but with another start time.
  const db = openDatabase(join(home, 'trestle.db'))
  db.prepare('UPDATE process SET pid = ?').run(process.pid)
  db.close()
  const { store } = openStore({ home })
  expect(store.acquire('a')).toEqual({ ok: true })
  store.close()
})

test('on another machine the heartbeat decides whether a lease is alive', () => {
  let time = Date.now()
  const far = openStore({ home, now: () => time }).store
  far.create({ sessionId: 'a', folder: '/p', title: '', mode: 'ask', addedFolders: [] })
  const near = openStore({ home, now: () => time }).store
  const db = openDatabase(join(home, 'trestle.db'))
  db.exec("UPDATE process SET host = 'far-away', machine = 'boot|space' WHERE owner IN (SELECT owner FROM lease)")
  expect(near.acquire('a')).toMatchObject({
    ok: false,
    where: expect.stringMatching(/^another Trestle on far-away \(process/),
  })
  time += 60_000
  expect(near.acquire('a')).toEqual({ ok: true })
  // The slow process wakes up: it has lost the session and must not write to it.
  expect(() => far.append('a', [steer])).toThrow(expect.objectContaining({ code: 'session.elsewhere' }))
  db.close()
  near.close()
  far.close()
})

test('many processes that open a new home at the same time create one valid store', { timeout: 180_000 }, async () => {
  const scripts = Array.from({ length: 6 }, (_, n) => writer(`n${n}`, '20'))
  const ends = await Promise.all(scripts.map((script) => script.done))
  expect(ends.map((end) => end.stderr).join('')).toBe('')
  const { store } = openStore({ home })
  expect(store.list()).toHaveLength(6)
  store.close()
  expect(integrity()).toBe('ok')
})

test('an interrupted removal is completed at the next start', () => {
  const first = openStore({ home }).store
  first.create({ sessionId: 'a', folder: '/p', title: '', mode: 'ask', addedFolders: [] })
  first.append('a', [steer])
  first.close()
  const db = openDatabase(join(home, 'trestle.db'))
  db.exec('UPDATE session SET removed = 1')
  openStore({ home }).store.close()
  expect(db.prepare('SELECT count(*) FROM event').pluck().get()).toBe(0)
  expect(db.prepare('SELECT count(*) FROM session').pluck().get()).toBe(0)
  db.close()
})

/** Creates a store with enough pages, and overwrites one in the middle (or the first). */
function damage(page?: number): void {
  const { store } = openStore({ home })
  store.create({ sessionId: 'old', folder: '/project', title: 'old', mode: 'ask', addedFolders: [] })
  for (let n = 0; n < 40; n += 1)
    store.append('old', [
      { type: 'turn.steered', turnId: 't', parts: [{ type: 'text', text: 'x'.repeat(3000) }], by: 'user' },
    ])
  store.close()
  if (page !== undefined) overwrite(page)
}

function overwrite(page: number): void {
  const fd = openSync(join(home, 'trestle.db'), 'r+')
  writeSync(fd, Buffer.alloc(4096, 0xa5), 0, 4096, page * 4096)
  closeSync(fd)
}
const keptAside = (): string[] =>
  readdirSync(home).filter((name) => /^trestle\.db\.damaged-[^.]*$/.test(name) && !/-(?:wal|shm)$/.test(name))

test.each([20, ...(RUNS_ALL ? [0] : [])])(
  'a store whose page %i is damaged is not replaced while another process has it open, and repaired afterwards',
  { timeout: 60_000 },
  async (page) => {
    damage()
    const user = writer('new', '0', 'hold')
    await user.line('ready')
    overwrite(page)
    const { ino } = statSync(join(home, 'trestle.db'))
    const before = Date.now()
    expect(() => openStore({ home })).toThrow(
      expect.objectContaining({
        code: 'store.busy',
        message: expect.stringMatching(
          new RegExp(
            'is damaged \\(.+\\), ' +
              `and another Trestle${page === 0 ? '' : ` \\(process ${user.child.pid}\\)`} has it open\\.`,
          ),
        ),
      }),
    )
    // It is named without waiting if its registration can still be read.
    expect(Date.now() - before).toBeLessThan(page === 0 ? 60_000 : 4000)
    expect(keptAside()).toEqual([])
    expect(statSync(join(home, 'trestle.db')).ino).toBe(ino)
    await user.kill()
    const { store, notices } = openStore({ home })
    expect(notices).toEqual([expect.stringContaining('was damaged')])
    expect(store.header('new')).toMatchObject({ sessionId: 'new' })
    store.close()
    expect(keptAside()).toHaveLength(1)
    expect(readdirSync(home).filter((name) => name.includes('.lock-'))).toEqual([])
  },
)

test(
  'many processes that find a store damaged at once repair it once, and all use the new one',
  { timeout: 60_000 },
  async () => {
    damage(20)
    const names = ['a', 'b', 'c', 'd']
    const scripts = names.map((name) => writer(name, '5'))
    for (const script of scripts) expect(await script.done).toMatchObject({ code: 0 })
    expect(keptAside()).toHaveLength(1)
    const { store, notices } = openStore({ home })
    expect(notices).toEqual([])
    expect(names.map((name) => store.since(name, 0).at(-1)?.type)).toEqual(names.map(() => 'turn.finished'))
    store.close()
  },
)
