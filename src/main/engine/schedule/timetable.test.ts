import { describe, expect, it } from 'vitest'
import type { ScheduleSpec } from '../../../shared/model/assistant/schedule'
import { dueRun, isQuiet, nextRun, parseCron, plannedRuns, quietEnd } from './timetable'
import { cpuMs } from '../../../../test/support/cpu-time'

const at = (text: string): number => Date.parse(text)
const iso = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString().slice(0, 16)
const cron = (pattern: string, zone = 'Europe/Berlin'): Pick<ScheduleSpec, 'time' | 'zone'> => ({
  time: { kind: 'cron', cron: pattern },
  zone,
})
/** All due times of 2026, in order. */
function yearOf(times: Pick<ScheduleSpec, 'time' | 'zone'>): number[] {
  return plannedRuns(times, at('2026-01-01T00:00:00Z') - 1, at('2027-01-01T00:00:00Z'), 100_000)
}

describe('a year of due times with daylight saving', () => {
  it.each([
    ['Europe/Berlin', '30 2 * * *'],
    ['Europe/Berlin', '0 3 * * *'],
    ['America/New_York', '30 2 * * *'],
    ['America/New_York', '30 1 * * *'],
    ['Australia/Sydney', '30 2 * * *'],
    ['America/Santiago', '30 0 * * *'],
    ['Australia/Lord_Howe', '45 1 * * *'],
    ['Asia/Kolkata', '30 2 * * *'],
    ['UTC', '30 2 * * *'],
  ])('every day in %s at %s is due once on each day', (zone, pattern) => {
    const due = yearOf(cron(pattern, zone))
    const day = new Intl.DateTimeFormat('en-CA', { timeZone: zone })
    const days = due.map((ms) => day.format(ms))
    expect(new Set(days).size).toBe(days.length)
    expect(days.length).toBeGreaterThanOrEqual(364)
    expect(days.length).toBeLessThanOrEqual(366)
    for (let n = 1; n < due.length; n += 1) expect(due[n]! - due[n - 1]!).toBeLessThanOrEqual(26 * 3_600_000)
  })

  it('every quarter of an hour is due every 15 minutes, even in the hours of clock changes', () => {
    const due = yearOf(cron('*/15 * * * *'))
    expect(due).toHaveLength(365 * 96)
    for (let n = 1; n < due.length; n += 1) expect(due[n]! - due[n - 1]!).toBe(900_000)
  })

  it('every two hours counts elapsed hours, not clock time', () => {
    const times = {
      time: { kind: 'every', everyMs: 7_200_000, from: at('2026-03-28T21:00:00Z') },
      zone: 'Europe/Berlin',
    } as const
    expect(plannedRuns(times, at('2026-03-29T00:00:00Z'), at('2026-03-29T06:00:00Z'), 10).map(iso)).toEqual([
      '2026-03-29T01:00',
      '2026-03-29T03:00',
      '2026-03-29T05:00',
    ])
  })
})

it('a single time is due once, and never again', () => {
  const times = { time: { kind: 'once', at: at('2026-05-01T08:00:00Z') }, zone: 'UTC' } as const
  expect(iso(nextRun(times, at('2026-04-01T00:00:00Z')))).toBe('2026-05-01T08:00')
  expect(nextRun(times, at('2026-05-01T08:00:00Z'))).toBeUndefined()
})

it('three days of sleep become one run, with the number of missed runs', () => {
  const times = cron('0 9 * * *', 'UTC')
  const due = dueRun(times, at('2026-06-01T09:00:00Z'), at('2026-06-04T08:00:00Z'))
  expect({ ...due, dueAt: iso(due.dueAt), next: iso(due.next) }).toEqual({
    dueAt: '2026-06-03T09:00',
    missed: 2,
    next: '2026-06-04T09:00',
  })
})

it('years of missed minutes are joined quickly', () => {
  const started = cpuMs()
  const { missed, next } = dueRun(cron('* * * * *', 'UTC'), at('2020-01-01T00:00:00Z'), at('2026-01-01T00:00:30Z'))
  expect(missed).toBe(1000)
  expect(iso(next)).toBe('2026-01-01T00:01')
  expect(cpuMs() - started).toBeLessThan(2000)
})

it('a heartbeat skips its quiet hours, even across midnight', () => {
  const times = {
    time: { kind: 'every', everyMs: 3_600_000, from: at('2026-06-01T00:00:00Z') },
    zone: 'UTC',
    heartbeat: { quiet: { from: '22:00', to: '07:00' } },
  } as const
  expect(iso(nextRun(times, at('2026-06-01T21:00:00Z')))).toBe('2026-06-02T07:00')
  expect(isQuiet({ from: '12:00', to: '13:00' }, at('2026-06-01T12:59:00Z'), 'UTC')).toBe(true)
  expect(isQuiet({ from: '12:00', to: '13:00' }, at('2026-06-01T13:00:00Z'), 'UTC')).toBe(false)
})

it.each(['', 'x', '61 * * * *', '* * * *', '* * * * * *', '0 0 31 2 *'])(
  'the pattern %j is refused with the reason',
  (text) => {
    expect(() => parseCron(text, 'UTC')).toThrow(/is not a cron pattern with five fields: .+\./)
  },
)

it('quiet hours end at the next such time in the zone; schedules started by mail have no due times', () => {
  const quiet = { from: '22:00', to: '07:30' }
  expect(iso(quietEnd(quiet, at('2026-06-01T21:00:00Z'), 'Europe/Berlin'))).toBe('2026-06-02T05:30')
  const times = { time: { kind: 'mail', filter: {} }, zone: 'UTC' } as const
  expect(nextRun(times, 0)).toBeUndefined()
  expect(plannedRuns(times, 0, Number.POSITIVE_INFINITY, 5)).toEqual([])
})
