import { expect, it, test } from 'vitest'
import { callContext } from '../../../../../test/support/call-context'
import type { CalendarEvent } from '../../../../shared/model/approval/calendar-event'
import { calendarFile } from './calendar-file'
import { createCalendarEventTool } from './create-calendar-event'
import { zoneRules } from './time-zone'

const EVENT: CalendarEvent = {
  title: 'Review; part 1, draft',
  start: '2026-12-01T09:00',
  end: '2026-12-01T10:00',
  zone: 'Europe/Berlin',
  attendees: [],
}
const lines = (event: CalendarEvent): string[] =>
  calendarFile(event, { uid: 'event-1', now: Date.parse('2026-11-25T12:00:00Z') })
    .replaceAll('\r\n ', '')
    .split('\r\n')

it('writes an event with its times in its zone, the rules of the zone, and a time stamp in UTC', () => {
  const found = lines(EVENT)
  expect(found).toEqual(
    expect.arrayContaining([
      'UID:event-1',
      'DTSTAMP:20261125T120000Z',
      'DTSTART;TZID=Europe/Berlin:20261201T090000',
      'DTEND;TZID=Europe/Berlin:20261201T100000',
      String.raw`SUMMARY:Review\; part 1\, draft`,
      'TZID:Europe/Berlin',
    ]),
  )
  expect(found.indexOf('BEGIN:VTIMEZONE')).toBeLessThan(found.indexOf('BEGIN:VEVENT'))
})

it('names attendees in the description, and invites them in no field', () => {
  const found = lines({ ...EVENT, description: 'Bring notes', attendees: ['ada@example.org', 'Bob'] })
  expect(found.join('\n')).not.toMatch(/^(?:ATTENDEE|ORGANIZER|METHOD)/m)
  expect(found).toContain(String.raw`DESCRIPTION:Bring notes\n\nAttendees: ada@example.org\, Bob`)
})

it('ends a whole-day event on the day after its last day, and repeats it until a day', () => {
  const found = lines({
    ...EVENT,
    start: '2026-12-24',
    end: '2026-12-26',
    repeat: { how: 'yearly', every: 1, until: '2030-12-24' },
  })
  expect(found).toEqual(
    expect.arrayContaining([
      'DTSTART;VALUE=DATE:20261224',
      'DTEND;VALUE=DATE:20261227',
      'RRULE:FREQ=YEARLY;INTERVAL=1;UNTIL=20301224',
    ]),
  )
  expect(found).not.toContain('BEGIN:VTIMEZONE')
})

it('keeps the last day of a repeated event, in the time of its zone, and its reminder', () => {
  const found = lines({ ...EVENT, reminderMinutes: 15, repeat: { how: 'weekly', every: 2, until: '2026-12-29' } })
  expect(found).toContain('RRULE:FREQ=WEEKLY;INTERVAL=2;UNTIL=20261229T225959Z')
  expect(found).toContain('TRIGGER:-PT15M')
})

test.each([
  ['Europe/Berlin', ['BYMONTH=3;BYDAY=-1SU', '+0100', '+0200', 'BYMONTH=10;BYDAY=-1SU']],
  ['America/New_York', ['BYMONTH=3;BYDAY=2SU', '-0500', '-0400', 'BYMONTH=11;BYDAY=1SU']],
  ['Asia/Kolkata', ['TZOFFSETTO:+0530']],
])('writes the clock changes of %s as rules', (zone, parts) => {
  const text = zoneRules(zone, 2026)
  for (const part of parts) expect(text).toContain(part)
  expect(text.match(/BEGIN:DAYLIGHT/g)?.length ?? 0).toBe(zone === 'Asia/Kolkata' ? 0 : 1)
})

const services = {
  opener: undefined,
  now: () => 0,
  newId: () => 'event-1',
  keepCalendarFile: async (name: string) => `/home/${name}`,
}

test.each([
  [{ title: 'x', start: '2026-12-01T09:00', end: '2026-12-01T08:00' }, 'end must be after start.'],
  [{ title: 'x', start: '2026-12-01', end: '2026-12-01T08:00' }, 'both be times, or both days'],
  [{ title: 'x', start: '2026-12-01', zone: 'Berlin' }, 'Did you mean Europe/Berlin?'],
  [{ title: 'x', start: '2026-12-01', repeat_count: 3 }, 'Give repeat as well'],
  [{ title: 'x', start: '2026-12-01', repeat: 'daily', repeat_count: 3, repeat_until: '2026-12-05' }, 'not both'],
])('refuses %o with what to change', async (given, why) => {
  const tool = createCalendarEventTool(services)
  expect(JSON.stringify(await tool.prepare(tool.input().parse(given)))).toContain(why)
})

it('makes an event without an end last an hour, saves its file, and returns its text', async () => {
  const tool = createCalendarEventTool(services)
  const call = await tool.prepare(tool.input().parse({ title: 'Call', start: '2026-12-01T23:30', zone: 'UTC' }))
  if ('refused' in call) throw new Error('refused')
  const { details, content } = await call.run(callContext())
  expect(details).toMatchObject({
    kind: 'event',
    event: { end: '2026-12-02T00:30' },
    file: { path: '/home/2026-12-01-event-1.ics', opened: false, text: expect.stringContaining('BEGIN:VEVENT') },
  })
  expect(JSON.stringify(content)).toContain('2026-12-01 23:30 to 2026-12-02 00:30 (UTC)')
})
