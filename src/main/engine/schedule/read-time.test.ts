import { expect, it } from 'vitest'
import { readQuiet, readTime, readZone } from './read-time'

const NOW = Date.parse('2026-11-25T12:00:00Z')
const read = (text: string, zone = 'Europe/Berlin') => readTime(text, zone, NOW)

it.each([
  ['every 2 h', { kind: 'every', everyMs: 7_200_000, from: NOW }],
  ['Every  30 minutes', { kind: 'every', everyMs: 1_800_000, from: NOW }],
  ['every day', { kind: 'every', everyMs: 86_400_000, from: NOW }],
  ['every 2 weeks', { kind: 'every', everyMs: 1_209_600_000, from: NOW }],
  ['weekdays at 9:00', { kind: 'cron', cron: '0 9 * * 1-5' }],
  ['every day at 02:30', { kind: 'cron', cron: '30 2 * * *' }],
  ['Mondays 8', { kind: 'cron', cron: '0 8 * * 1' }],
  ['*/15 8-18 * * 1-5', { kind: 'cron', cron: '*/15 8-18 * * 1-5' }],
  ['2026-12-01T09:00', { kind: 'once', at: Date.parse('2026-12-01T08:00:00Z') }],
  ['2026-12-01 9:00', { kind: 'once', at: Date.parse('2026-12-01T08:00:00Z') }],
  ['2026-12-01T09:00:30-05:00', { kind: 'once', at: Date.parse('2026-12-01T14:00:30Z') }],
])('understands %j', (text, time) => {
  expect(read(text)).toEqual(time)
})

it.each([
  ['soon', /"soon" is not a time/],
  ['every 30 s', /is not a time/],
  ['every 0 min', /The shortest interval is one minute/],
  ['2026-11-25T12:59', /is in the past/],
  ['2026-13-01T09:00', /is not a date and time/],
  ['weekdays at 25:00', /25:00 is not a time of day/],
  ['61 * * * *', /is not a cron pattern/],
])('refuses %j with the reason', (text, reason) => {
  expect(() => read(text)).toThrow(reason)
})

it('suggests the time zone that may be meant', () => {
  expect(readZone('europe/berlin')).toBe('Europe/Berlin')
  expect(() => readZone('Europe/Berlinn')).toThrow(/did you mean Europe\/Berlin\?$/)
})

it('reads quiet hours', () => {
  expect(readQuiet('22:00-7:00')).toEqual({ from: '22:00', to: '07:00' })
  for (const text of ['22-7', '24:00-07:00', '07:00-07:00']) expect(() => readQuiet(text)).toThrow(/22:00-07:00/)
})
