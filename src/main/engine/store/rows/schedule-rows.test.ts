import { describe, expect, test } from 'vitest'
import { storeDatabase } from '../../../../../test/support/store-database'
import { MAX_FAILURES, type ScheduleSpec } from '../../../../shared/model/assistant/schedule'
import { createScheduleRows, type RunEnd, type ScheduleRows } from './schedule-rows'

const SPEC: ScheduleSpec = {
  name: 'Daily',
  time: { kind: 'every', everyMs: 60_000, from: 0 },
  zone: 'Europe/Berlin',
  prompt: 'Look around',
  mode: 'auto',
  limits: {},
}
const MAIL: ScheduleSpec = { ...SPEC, name: 'Mail', time: { kind: 'mail', filter: {} } }

async function rows(): Promise<ScheduleRows> {
  return createScheduleRows(await storeDatabase())
}

function claim(all: ScheduleRows, id: string, scheduleId = 'a', at = 10): boolean {
  return all.claim({ id, scheduleId, dueAt: at, startedAt: at, missed: 0, owner: 'me' }, {}, at + 60)
}
const RUN = { dueAt: 5, startedAt: 10, missed: 0, owner: 'me' }
const end = (status: RunEnd['status'], hasBegun = true, at = 20): RunEnd => ({ at, status, hasBegun })

/** Damaged contents: invalid JSON, a missing part, and values of another kind. */
const DAMAGED = [
  '{"time":{"kind":"ev',
  '[]',
  'null',
  '{}',
  JSON.stringify({ ...SPEC, time: { kind: 'weekly' } }),
  JSON.stringify({ ...SPEC, time: { kind: 'once', at: 1e300 } }),
  JSON.stringify({ ...SPEC, prompt: 7 }),
  JSON.stringify({ ...SPEC, mode: 'constructor' }),
  JSON.stringify({ ...SPEC, mail: { positions: [], pending: null } }),
]

describe('a schedule that is damaged', () => {
  test.each(DAMAGED)('is listed as such, starts nothing, and stops no other one: %s', async (body) => {
    const db = await storeDatabase()
    const all = createScheduleRows(db)
    all.insert('broken', { ...SPEC, name: 'Broken' }, { at: 1, nextAt: 5 })
    all.insert('fine', SPEC, { at: 1, nextAt: 5 })
    all.insert('mail', MAIL, { at: 1, nextAt: undefined })
    db.prepare('UPDATE schedule SET body = ? WHERE id = ?').run(body, 'broken')
    expect(all.list(false).map(({ id, isDamaged }) => [id, isDamaged])).toEqual([
      ['broken', true],
      ['fine', undefined],
      ['mail', undefined],
    ])
    expect(all.due(10).map(({ id }) => id)).toEqual(['broken', 'fine'])
    expect(all.waitingForMail().map(({ id }) => id)).toEqual(['mail'])
    expect(all.get('broken')).toMatchObject({ name: 'Broken', isPaused: true, mode: 'ask', prompt: '' })
    expect([claim(all, 'run-1', 'broken'), claim(all, 'run-2', 'fine')]).toEqual([false, true])
    all.setPaused('broken', false, { at: 2, nextAt: undefined })
    all.remove('broken', 3)
    all.restore('broken', { at: 4, nextAt: undefined })
    expect(db.prepare('SELECT body FROM schedule WHERE id = ?').pluck().get('broken')).toBe(body)
    expect(all.update('broken', { ...SPEC, name: 'Repaired' }, { at: 5, nextAt: 9 })).not.toHaveProperty('isDamaged')
    expect(claim(all, 'run-3', 'broken')).toBe(true)
  })
})

describe('a schedule', () => {
  test('is returned as created, is listed by its name, and can be restored after it was deleted', async () => {
    const all = await rows()
    all.insert('b', { ...SPEC, name: 'zeta' }, { at: 1, nextAt: 5 })
    const made = all.insert('a', { ...SPEC, name: 'Alpha', folder: '/p' }, { at: 2, nextAt: 9, createdIn: 's' })
    expect(made).toMatchObject({ ...SPEC, name: 'Alpha', folder: '/p', createdIn: 's', nextAt: 9, isPaused: false })
    expect(all.list(false).map(({ name }) => name)).toEqual(['Alpha', 'zeta'])
    all.remove('a', 3)
    expect([all.count(), all.list(false).length, all.list(true).length]).toEqual([1, 1, 1])
    expect(all.restore('a', { at: 4, nextAt: 50 })).toMatchObject({ nextAt: 50 })
    expect(all.get('a')).not.toHaveProperty('deletedAt')
  })

  test('that is paused, deleted or running is not due', async () => {
    const all = await rows()
    for (const id of ['paused', 'deleted', 'working', 'due', 'later'])
      all.insert(id, SPEC, { at: 1, nextAt: id === 'later' ? 11 : 10 })
    all.setPaused('paused', true, { at: 2, nextAt: 10 })
    all.remove('deleted', 2)
    all.claim({ id: 'run', scheduleId: 'working', dueAt: 10, startedAt: 10, missed: 0, owner: 'me' }, {}, 10)
    expect(all.due(10).map(({ id }) => id)).toEqual(['due'])
    expect(all.nextWake()).toBe(10)
    all.setNext('due', undefined)
    expect(all.nextWake()).toBe(11)
  })

  test('is permanently deleted with its runs, but not too early', async () => {
    const all = await rows()
    all.insert('a', SPEC, { at: 1, nextAt: 10 })
    claim(all, 'run')
    all.endRun('run', end('done'))
    all.remove('a', 30)
    expect(all.purge(30)).toBe(0)
    expect(all.purge(31)).toBe(1)
    expect([all.get('a'), all.run('run')]).toEqual([undefined, undefined])
  })
})

describe('a run', () => {
  test('is started by one process only', async () => {
    const all = await rows()
    all.insert('a', SPEC, { at: 1, nextAt: 10 })
    const run = { scheduleId: 'a', dueAt: 10, startedAt: 10, missed: 0, owner: 'me' }
    expect(all.claim({ id: '1', ...run }, { nextAt: 9 }, 70)).toBe(false)
    expect(all.claim({ id: '1', ...run }, { nextAt: 10 }, 70)).toBe(true)
    expect(all.claim({ id: '2', ...run }, { nextAt: 10 }, 70)).toBe(false)
    expect(all.claim({ id: '2', ...run }, {}, 70)).toBe(false)
    expect(all.openRuns()).toMatchObject([{ id: '1', owner: 'me', status: 'running' }])
    expect(all.get('a')).toMatchObject({ nextAt: 70, lastRun: { id: '1' } })
  })

  test('ends once, with its note', async () => {
    const all = await rows()
    all.insert('a', SPEC, { at: 1, nextAt: 10 })
    claim(all, 'run')
    all.setSession('run', 's')
    expect(all.endRun('run', { ...end('done'), note: 'All is well' })).toBeDefined()
    expect(all.endRun('run', end('failed'))).toBeUndefined()
    expect(all.run('run')).toMatchObject({ status: 'done', endedAt: 20, note: 'All is well', sessionId: 's' })
  })

  test('that fails repeatedly in a row pauses its schedule; a successful one in between resets the count', async () => {
    const all = await rows()
    all.insert('a', SPEC, { at: 1, nextAt: 10 })
    const fail = (times: number, name: string): void => {
      for (let n = 0; n < times; n += 1) {
        claim(all, `${name}${n}`)
        all.endRun(`${name}${n}`, end('failed'))
      }
    }
    fail(MAX_FAILURES - 1, 'x')
    claim(all, 'stopped')
    all.endRun('stopped', end('stopped'))
    expect(all.get('a')).toMatchObject({ failures: MAX_FAILURES - 1, isPaused: false })
    claim(all, 'good')
    all.endRun('good', end('silent'))
    expect(all.get('a')!.failures).toBe(0)
    fail(MAX_FAILURES, 'y')
    expect(all.get('a')).toMatchObject({ failures: MAX_FAILURES, isPaused: true })
    expect(all.get('a')).not.toHaveProperty('nextAt')
    expect(all.setPaused('a', false, { at: 30, nextAt: 40 })).toMatchObject({ failures: 0, nextAt: 40 })
  })

  test('of a silent heartbeat gives up its session once, when there are newer ones', async () => {
    const all = await rows()
    all.insert('a', SPEC, { at: 1, nextAt: 10 })
    for (const id of ['1', '2', '3']) {
      claim(all, id)
      all.setSession(id, `s${id}`)
      all.endRun(id, end(id === '2' ? 'done' : 'silent'))
    }
    expect(all.takeSilentSessions('a', 1)).toEqual(['s1'])
    expect(all.takeSilentSessions('a', 1)).toEqual([])
    expect(all.run('1')).not.toHaveProperty('sessionId')
    expect(all.history('a', 1, 1)).toMatchObject({ runs: [{ id: '2', sessionId: 's2' }], total: 3 })
  })

  test('of a single time is due again if it was interrupted before it started, but not after that', async () => {
    const all = await rows()
    const once = (id: string): void => {
      all.insert(id, { ...SPEC, time: { kind: 'once', at: 5 } }, { at: 1, nextAt: 5 })
      expect(all.claim({ ...RUN, id: `run-of-${id}`, scheduleId: id }, { nextAt: 5 }, undefined)).toBe(true)
    }
    for (const id of ['lost', 'started', 'failed', 'changed', 'deleted']) once(id)
    all.update('changed', { ...SPEC, time: { kind: 'once', at: 90 } }, { at: 15, nextAt: 90 })
    all.remove('deleted', 15)
    all.endRun('run-of-lost', end('interrupted', false))
    all.endRun('run-of-started', end('interrupted'))
    all.endRun('run-of-failed', end('failed', false))
    all.endRun('run-of-changed', end('interrupted', false))
    all.endRun('run-of-deleted', end('interrupted', false))
    expect(all.due(1_000).map(({ id, nextAt }) => [id, nextAt])).toEqual([
      ['lost', 20],
      ['changed', 90],
    ])
  })
})

describe('a schedule that waits for mail', () => {
  const found = (id: string, uid: number, at = 10) => ({ account: 'me', position: { validity: 'v', uid }, id, at })

  test('is due when a message arrives, and passes it to its run', async () => {
    const all = await rows()
    const schedule = all.insert('a', MAIL, { at: 1, nextAt: undefined })
    expect(all.due(10)).toEqual([])
    expect(all.addMail(schedule, found('m1', 1))).toBe(true)
    expect(all.addMail(schedule, found('m1', 1))).toBe(false)
    expect(all.due(10).map(({ id }) => id)).toEqual(['a'])
    claim(all, 'run')
    expect(all.mailState('a')).toMatchObject({ pending: [], taken: ['m1'] })
    expect(all.get('a')).not.toHaveProperty('nextAt')
  })

  test('keeps a message whose run did not start for the next run', async () => {
    const all = await rows()
    const schedule = all.insert('a', MAIL, { at: 1, nextAt: undefined })
    all.addMail(schedule, found('m1', 1))
    claim(all, 'run')
    all.addMail(schedule, found('m2', 2))
    all.endRun('run', end('interrupted', false))
    expect(all.mailState('a').pending).toEqual(['m1', 'm2'])
    expect(all.due(20).map(({ id }) => id)).toEqual(['a'])
  })

  test('ignores mail that arrives while it is paused or waits for other mail, even afterwards', async () => {
    const all = await rows()
    const schedule = all.insert('a', MAIL, { at: 1, nextAt: undefined })
    const other = all.update(
      'a',
      { ...MAIL, time: { kind: 'mail', filter: { from: 'x' } } },
      { at: 2, nextAt: undefined },
    )
    expect(all.addMail(schedule, found('m1', 1))).toBe(false)
    all.setPaused('a', true, { at: 3, nextAt: undefined })
    expect(all.addMail(other, found('m1', 1))).toBe(false)
    expect(all.waitingForMail()).toEqual([])
    all.setPaused('a', false, { at: 4, nextAt: undefined })
    expect(all.mailState('a')).toMatchObject({ positions: {}, pending: [] })
    expect(all.waitingForMail().map(({ id }) => id)).toEqual(['a'])
  })
})

describe('the stamp', () => {
  test('differs after every change, even if the clock was set back', async () => {
    const all = await rows()
    const stamps = [all.stamp()]
    const after = (work: () => unknown): void => {
      work()
      stamps.push(all.stamp())
    }
    after(() => all.insert('a', SPEC, { at: 100, nextAt: 200 }))
    after(() => all.insert('b', SPEC, { at: 100, nextAt: 200 }))
    after(() => all.update('a', { ...SPEC, name: 'Renamed' }, { at: 50, nextAt: 200 }))
    after(() => all.setNext('a', 300))
    after(() => claim(all, 'first', 'a', 400))
    after(() => all.setSession('first', 's'))
    after(() => claim(all, 'second', 'b', 300))
    after(() => all.endRun('first', end('done', true, 500)))
    after(() => all.endRun('second', end('done', true, 450)))
    after(() => all.remove('b', 20))
    expect(new Set(stamps).size).toBe(stamps.length)
  })

  test('stays the same while nothing changes', async () => {
    const all = await rows()
    all.insert('a', SPEC, { at: 1, nextAt: 2 })
    const before = all.stamp()
    all.due(10)
    all.history('a', 0, 10)
    expect(all.stamp()).toBe(before)
  })
})
