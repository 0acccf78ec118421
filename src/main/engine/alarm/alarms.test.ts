import { afterEach, expect, it, test } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder'
import type { Alarm } from '../../../shared/model/assistant/notification'
import { createAlarmRows } from '../store/rows/alarm-rows'
import { openStore } from '../store/open/open-store'
import { createAlarms, type Alarms, alarmTime } from './alarms'

const undo: (() => unknown)[] = []
afterEach(() => {
  for (const step of undo.splice(0).toReversed()) step()
})

const START = Date.parse('2026-11-25T12:00:00Z')
const MINUTE = 60_000

/** A clock that stands still until it is moved; timers run in order. */
function testClock() {
  let time = START
  const timers = new Map<() => void, number>()
  return {
    now: () => time,
    after(ms: number, run: () => void) {
      timers.set(run, time + ms)
      return () => void timers.delete(run)
    },
    /** Advances the time, and runs everything that becomes due. */
    pass(ms: number) {
      const end = time + ms
      for (;;) {
        const [next] = [...timers].filter(([, at]) => at <= end).toSorted(([, a], [, b]) => a - b)
        if (!next) break
        timers.delete(next[0])
        time = Math.max(time, next[1])
        next[0]()
      }
      time = end
    },
    /** Advances the time like a sleeping laptop: nothing runs until afterwards. */
    jump(ms: number) {
      time += ms
    },
  }
}

interface Trestle {
  alarms: Alarms
  rang: string[]
  missed: string[][]
  failures: string[]
}

/** Failures by the label of the alarm whose notification fails, or at each check. */
interface Faults {
  label?: string
  looks?: number
}

let count = 0
function start(home: string, clock: ReturnType<typeof testClock>, faults: Faults = {}): Trestle {
  const store = openStore({ home })
  undo.push(() => store.store.close())
  const rang: string[] = []
  const missed: string[][] = []
  const failures: string[] = []
  const rows = createAlarmRows(store.database)
  const alarms = createAlarms({
    rows: {
      ...rows,
      takeDue(times) {
        if ((faults.looks ?? 0) > 0) {
          faults.looks! -= 1
          throw new Error('the disk is full')
        }
        return rows.takeDue(times)
      },
    },
    clock,
    newId: () => `alarm-${++count}`,
    ring({ label }: Alarm) {
      if (label === faults.label) throw new Error(`${label} cannot be told`)
      rang.push(label)
    },
    missed: (all) => missed.push(all.map(({ label }) => label)),
    changed: () => {},
    failed: (error) => failures.push((error as Error).message),
  })
  return { alarms, rang, missed, failures }
}

it('an alarm rings once, at its time, in one of two processes of a home', async () => {
  const [home, clock] = [await tempFolder(), testClock()]
  const one = start(home, clock)
  const two = start(home, clock)
  undo.push(one.alarms.watch(), two.alarms.watch())
  one.alarms.set('25m', 'Tea')
  clock.pass(25 * MINUTE - 1)
  expect([...one.rang, ...two.rang]).toEqual([])
  clock.pass(1)
  clock.pass(5 * MINUTE)
  expect([...one.rang, ...two.rang]).toEqual(['Tea'])
  expect(one.alarms.list(true)).toMatchObject([{ label: 'Tea', status: 'ringing' }])
})

it('an alarm that another process sets rings here', async () => {
  const [home, clock] = [await tempFolder(), testClock()]
  const here = start(home, clock)
  undo.push(here.alarms.watch())
  start(home, clock).alarms.set('90s', 'Other')
  clock.pass(2 * MINUTE)
  expect(here.rang).toEqual(['Other'])
})

it('alarms due while no process ran, or the machine slept, are reported together at the next check, and do not ring', async () => {
  const [home, clock] = [await tempFolder(), testClock()]
  const before = start(home, clock)
  for (const label of ['One', 'Two']) before.alarms.set('5m', label)
  before.alarms.set('3h', 'Later')
  clock.jump(2 * 3_600_000)
  const after = start(home, clock)
  undo.push(after.alarms.watch())
  expect(after.missed).toEqual([['One', 'Two']])
  clock.jump(3 * 3_600_000)
  clock.pass(1)
  expect(after.missed[1]).toEqual(['Later'])
  expect(after.rang).toEqual([])
})

it('an alarm of a process that was killed while it rang is reported as missed, once', async () => {
  const [home, clock] = [await tempFolder(), testClock()]
  const killed = start(home, clock)
  killed.alarms.watch()
  killed.alarms.set('1m', 'Oven')
  clock.pass(MINUTE)
  expect(killed.rang).toEqual(['Oven'])
  clock.jump(20 * MINUTE)
  const next = start(home, clock)
  undo.push(next.alarms.watch())
  clock.pass(MINUTE)
  expect([...next.missed, ...killed.missed]).toEqual([['Oven']])
})

it('a snoozed alarm rings again, and a stopped one does not', async () => {
  const [home, clock] = [await tempFolder(), testClock()]
  const { alarms, rang } = start(home, clock)
  undo.push(alarms.watch())
  const { id } = alarms.set('1m', 'Call')
  clock.pass(MINUTE)
  alarms.snooze(id, 10)
  clock.pass(10 * MINUTE)
  expect(rang).toEqual(['Call', 'Call'])
  expect(alarms.stop(id)).toMatchObject({ status: 'done' })
  clock.pass(60 * MINUTE)
  expect(rang).toHaveLength(2)
})

it('a canceled alarm is silent; restored in time it rings, later it is refused', async () => {
  const [home, clock] = [await tempFolder(), testClock()]
  const { alarms, rang } = start(home, clock)
  undo.push(alarms.watch())
  const [first, second] = [alarms.set('5m', 'First'), alarms.set('5m', 'Second')]
  alarms.cancel(first.id)
  alarms.cancel(second.id)
  alarms.restore(first.id)
  clock.pass(6 * MINUTE)
  expect(rang).toEqual(['First'])
  expect(() => alarms.restore(second.id)).toThrow('The time of the alarm "Second" is past.')
  expect(() => alarms.cancel(first.id)).toThrow('is ringing')
  expect(() => alarms.stop('alarm-none')).toThrow('There is no alarm alarm-none.')
})

it('refuses text without a time, times past or over a year ahead, and more than 100 alarms', async () => {
  const { alarms } = start(await tempFolder(), testClock())
  for (const when of ['soon', '25:00', '2026-02-30 10:00', '0m', '2020-01-01 10:00', '400d', ''])
    expect(() => alarms.set(when, 'x')).toThrow(/is not a time|in the past|a year ahead/)
  for (let number = 0; number < 100; number++) alarms.set('1h', `alarm ${number}`)
  expect(() => alarms.set('1h', 'one more')).toThrow('There are 100 alarms already.')
})

test.each([
  ['25m', 25 * MINUTE],
  ['1h30m', 90 * MINUTE],
  ['in 2 hours', 120 * MINUTE],
  ['90 seconds', 90_000],
  ['1d 2h', 26 * 60 * MINUTE],
  ['2026-11-25T14:30:00+02:00', 30 * MINUTE],
  ['2026-11-25 12:01Z', MINUTE],
])('%s is a time', (text, later) => {
  expect(alarmTime(text, START)).toBe(START + later)
})

it('a time of day is the next one on the clock of this machine', () => {
  const now = new Date(2026, 10, 25, 18, 0).getTime()
  expect(alarmTime('18:30', now)).toBe(new Date(2026, 10, 25, 18, 30).getTime())
  expect(alarmTime('17:30', now)).toBe(new Date(2026, 10, 26, 17, 30).getTime())
  expect(alarmTime('2026-12-01 09:00', now)).toBe(new Date(2026, 11, 1, 9, 0).getTime())
})

it('an alarm whose notification fails does not keep others from ringing, then or later', async () => {
  const [home, clock] = [await tempFolder(), testClock()]
  const { alarms, rang, failures } = start(home, clock, { label: 'Difficult' })
  undo.push(alarms.watch())
  alarms.set('1m', 'Difficult')
  alarms.set('1m', 'Tea')
  alarms.set('5m', 'Bread')
  clock.pass(6 * MINUTE)
  expect(rang).toEqual(['Tea', 'Bread'])
  expect(failures).toEqual(['Difficult cannot be told'])
})

it('alarms ring once they can be checked again after failed checks', async () => {
  const [home, clock] = [await tempFolder(), testClock()]
  const { alarms, rang, failures } = start(home, clock, { looks: 3 })
  undo.push(alarms.watch())
  alarms.set('1m', 'Tea')
  clock.pass(2 * MINUTE)
  expect(rang).toEqual(['Tea'])
  expect(failures).toEqual(Array.from({ length: 3 }, () => 'the disk is full'))
})

test.each(['2 months', '1 month', '3 mondays', '1 decade', '2 hops', '5 sevenths'])(
  '%j is not a duration: it is not mistaken for minutes, days, hours or seconds',
  (text) => {
    expect(alarmTime(text, START)).toBeUndefined()
  },
)

test.each([
  ['1 day', 86_400_000],
  ['2 Days 3 hours', 2 * 86_400_000 + 3 * 3_600_000],
  ['1hr30mins', 90 * MINUTE],
  ['in 25 minutes', 25 * MINUTE],
  ['90 secs', 90_000],
  ['1h 5 min 10 seconds', 65 * MINUTE + 10_000],
])('%j is a duration from now', (text, ms) => {
  expect(alarmTime(text, START)).toBe(START + ms)
})
