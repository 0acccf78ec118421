import { describe, expect, it } from 'vitest'
import {
  mailSource,
  momentText,
  NEW_MAIL,
  timeSource,
  timeText,
  whenText,
  withTime,
  type ScheduleTime,
} from './schedule'

const MINUTE = 60_000
const every = (everyMs: number): ScheduleTime => ({ kind: 'every', everyMs, from: 0 })
const cron = (pattern: string): ScheduleTime => ({ kind: 'cron', cron: pattern })

describe('the text of a time', () => {
  it('uses simple words for daily and weekly times, and the pattern for others', () => {
    expect(timeText(cron('5 9 * * *'), 'UTC')).toBe('Every day at 09:05')
    expect(timeText(cron('0 9 * * 1-5'), 'UTC')).toBe('Every weekday at 09:00')
    expect(timeText(cron('0 9 * * 0,6'), 'UTC')).toBe('Every Saturday and Sunday at 09:00')
    expect(timeText(cron('0 23 * * 0'), 'UTC')).toBe('Every Sunday at 23:00')
    for (const pattern of ['*/5 * * * *', '0 9 1 * *', '0 9 * 6 *', '0 9 * * 7', '0 9,17 * * *'])
      expect(timeText(cron(pattern), 'UTC')).toBe(`Cron ${pattern}`)
  })

  it('uses the largest unit that fits, in the singular for one', () => {
    expect([1, 2, 60, 90, 1440, 2880, 10_080].map((minutes) => timeText(every(minutes * MINUTE), 'UTC'))).toEqual([
      'Every minute',
      'Every 2 minutes',
      'Every hour',
      'Every 90 minutes',
      'Every day',
      'Every 2 days',
      'Every week',
    ])
  })

  it('names the mail that starts it', () => {
    const filter = { from: 'ci@example.com', subject: 'failed' }
    expect(timeText({ kind: 'mail', account: 'work', filter }, 'UTC')).toBe(
      'When mail arrives from “ci@example.com” about “failed” for work',
    )
    expect(timeText({ kind: 'mail', filter: {} }, 'UTC')).toBe('When mail arrives')
  })

  it("shows times in the schedule's zone, before and after a change to summer time", () => {
    const before = Date.UTC(2026, 2, 29, 0, 59)
    expect(momentText(before, 'Europe/Berlin')).toBe('2026-03-29 01:59')
    expect(momentText(before + MINUTE, 'Europe/Berlin')).toBe('2026-03-29 03:00')
    expect(momentText(before, 'Asia/Kolkata')).toBe('2026-03-29 06:29')
    expect(momentText(Date.UTC(2026, 0, 1), 'UTC')).toBe('2026-01-01 00:00')
  })
})

describe('editing a time', () => {
  it('starts with text that can be parsed again', () => {
    expect(timeSource({ kind: 'once', at: Date.UTC(2026, 11, 1, 9) }, 'UTC')).toBe('2026-12-01T09:00')
    expect(timeSource(every(120 * MINUTE), 'UTC')).toBe('every 2 hours')
    expect(timeSource(cron('0 9 * * *'), 'UTC')).toBe('0 9 * * *')
    expect(timeSource({ kind: 'mail', filter: {} }, 'UTC')).toBe(NEW_MAIL)
    expect(mailSource(every(MINUTE))).toBeUndefined()
  })

  const input = { name: 'n', prompt: 'p', time: '0 9 * * *' }
  const onMail = { ...input, time: NEW_MAIL, mail: { from: 'a@b.c' } }

  it('drops the mail filter once another time is set, and keeps it otherwise', () => {
    expect(withTime(onMail, { time: 'every 2 h' })).toEqual({ ...input, time: 'every 2 h' })
    expect(withTime(onMail, { name: 'new' })).toEqual({ ...onMail, name: 'new' })
    expect(withTime(onMail, { time: 'New Mail ' })).toMatchObject({ mail: { from: 'a@b.c' } })
  })

  it('needs no time if mail starts it', () => {
    expect(withTime(input, { mail: { subject: 'x' } })).toEqual({ ...input, time: NEW_MAIL, mail: { subject: 'x' } })
  })
})

it('a time in a zone that this machine does not know is shown in UTC', () => {
  const at = Date.UTC(2026, 11, 1, 9)
  expect(momentText(at, 'Mars/Base')).toBe('2026-12-01 09:00 UTC')
  expect(whenText({ time: { kind: 'once', at }, zone: 'Mars/Base' })).toBe('Once, 2026-12-01 09:00 UTC')
  expect(whenText({ time: { kind: 'once', at }, zone: 'UTC', isDamaged: true })).toMatch(/^Damaged/)
})
