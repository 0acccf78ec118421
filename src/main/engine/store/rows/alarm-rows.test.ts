import { describe, expect, test } from 'vitest'
import { failureOf } from '../../../../shared/errors'
import { storeDatabase } from '../../../../../test/support/store-database'
import { createAlarmRows, type AlarmRows } from './alarm-rows'

async function rows(...alarms: [id: string, at: number][]): Promise<AlarmRows> {
  const made = createAlarmRows(await storeDatabase())
  for (const [id, at] of alarms) made.add({ id, label: `Alarm ${id}`, at, createdAt: 1 })
  return made
}
const ids = (alarms: readonly { id: string }[]): string[] => alarms.map(({ id }) => id).toSorted()

describe('alarms', () => {
  test('are returned as set, with the session that set them', async () => {
    const alarms = await rows()
    alarms.add({ id: 'a', label: 'Größe 👋', at: 5, createdAt: 1, sessionId: 's' })
    expect(alarms.get('a')).toEqual({
      id: 'a',
      label: 'Größe 👋',
      at: 5,
      status: 'pending',
      createdAt: 1,
      sessionId: 's',
    })
    expect(alarms.get('b')).toBeUndefined()
  })

  test('on a full disk fail with that reason, and are kept', async () => {
    const db = await storeDatabase()
    const alarms = createAlarmRows(db)
    alarms.add({ id: 'a', label: 'Tea', at: 5, createdAt: 1 })
    db.pragma(`max_page_count = ${Number(db.pragma('page_count', { simple: true }))}`)
    const add = (): void => alarms.add({ id: 'b', label: 'x'.repeat(100_000), at: 5, createdAt: 1 })
    expect(add).toThrow(expect.toSatisfy((error) => failureOf(error).code === 'store.full'))
    expect(alarms.list(true, 10).map(({ id }) => id)).toEqual(['a'])
  })

  test('are listed next first if active, or all of them latest first', async () => {
    const alarms = await rows(['late', 30], ['early', 10], ['middle', 20])
    alarms.change('middle', ['pending'], { status: 'done' })
    expect(alarms.list(true, 10).map(({ id }) => id)).toEqual(['early', 'late'])
    expect(alarms.list(false, 2).map(({ id }) => id)).toEqual(['late', 'middle'])
    expect(alarms.countActive()).toBe(2)
    expect(alarms.nextAt()).toBe(10)
  })

  test('change only from the expected status, so that one of two processes wins', async () => {
    const alarms = await rows(['a', 10])
    expect(alarms.change('a', ['ringing'], { status: 'done' })).toBe(false)
    expect(alarms.change('a', ['pending', 'ringing'], { status: 'done' })).toBe(true)
    expect(alarms.change('a', ['pending', 'ringing'], { status: 'done' })).toBe(false)
    expect(alarms.change('missing', ['pending'], { status: 'done' })).toBe(false)
  })

  test('that are snoozed ring at the new time', async () => {
    const alarms = await rows(['a', 10])
    alarms.takeDue({ now: 10, late: 0, unnoticed: 0 })
    expect(alarms.change('a', ['ringing'], { status: 'pending', at: 70 })).toBe(true)
    expect(alarms.get('a')).toMatchObject({ status: 'pending', at: 70 })
    expect(alarms.takeDue({ now: 69, late: 0, unnoticed: 0 })).toEqual({ ringing: [], missed: [] })
    expect(ids(alarms.takeDue({ now: 70, late: 0, unnoticed: 0 }).ringing)).toEqual(['a'])
  })
})

describe('alarms that are due', () => {
  test('are taken once, exactly at their time', async () => {
    const alarms = await rows(['past', 9], ['now', 10], ['next', 11])
    const taken = alarms.takeDue({ now: 10, late: 5, unnoticed: 0 })
    expect(ids(taken.ringing)).toEqual(['now', 'past'])
    expect(taken.ringing.every(({ status }) => status === 'ringing')).toBe(true)
    expect(alarms.takeDue({ now: 10, late: 5, unnoticed: 0 })).toEqual({ ringing: [], missed: [] })
    expect(alarms.nextAt()).toBe(11)
  })

  test('are missed when they are too late, or when they rang unnoticed', async () => {
    const alarms = await rows(['late', 4], ['edge', 5], ['rings', 20])
    const first = alarms.takeDue({ now: 10, late: 5, unnoticed: 0 })
    expect([ids(first.ringing), ids(first.missed)]).toEqual([['edge'], ['late']])
    const second = alarms.takeDue({ now: 20, late: 15, unnoticed: 6 })
    expect([ids(second.ringing), ids(second.missed)]).toEqual([['rings'], ['edge']])
  })
})

test('only old alarms that have ended are permanently deleted', async () => {
  const alarms = await rows(['ended', 1], ['waiting', 2], ['fresh', 9])
  alarms.change('ended', ['pending'], { status: 'done' })
  alarms.change('fresh', ['pending'], { status: 'done' })
  alarms.purge(5)
  expect(ids(alarms.list(false, 9))).toEqual(['fresh', 'waiting'])
})
