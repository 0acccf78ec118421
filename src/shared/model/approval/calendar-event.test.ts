import { expect, it } from 'vitest'
import { eventFields, eventText, type CalendarEvent } from './calendar-event'

const event: CalendarEvent = {
  title: 'Review',
  start: '2026-12-01T09:00',
  end: '2026-12-01T10:00',
  zone: 'Europe/Berlin',
  attendees: [],
}
const field = (more: Partial<CalendarEvent>, label: string) =>
  eventFields({ ...event, ...more }).find((one) => one.label === label)?.text

it('shows a day once when it ends on the same day, and all-day events without a time', () => {
  expect(field({}, 'When')).toBe('2026-12-01 09:00 to 10:00 (Europe/Berlin)')
  expect(field({ end: '2026-12-02T01:00' }, 'When')).toBe('2026-12-01 09:00 to 2026-12-02 01:00 (Europe/Berlin)')
  expect(field({ start: '2026-12-01', end: '2026-12-01' }, 'When')).toBe('2026-12-01, all day')
  expect(field({ start: '2026-12-01', end: '2026-12-03' }, 'When')).toBe('2026-12-01 to 2026-12-03, all day')
})

it('shows how often it repeats, and until when', () => {
  expect(field({ repeat: { how: 'weekly', every: 1 } }, 'Repeats')).toBe('Every week')
  expect(field({ repeat: { how: 'daily', every: 2, count: 1 } }, 'Repeats')).toBe('Every 2 days, once')
  expect(field({ repeat: { how: 'monthly', every: 1, until: '2027-01-01' } }, 'Repeats')).toBe(
    'Every month, until 2027-01-01',
  )
})

it('shows when it reminds, in the largest unit', () => {
  expect([0, 1, 45, 60, 90, 120, 1440, 2880].map((reminderMinutes) => field({ reminderMinutes }, 'Reminder'))).toEqual([
    'At the start',
    '1 minute before',
    '45 minutes before',
    '1 hour before',
    '90 minutes before',
    '2 hours before',
    '1 day before',
    '2 days before',
  ])
})

it('omits missing fields', () => {
  expect(eventText(event)).toBe('Title: Review\nWhen: 2026-12-01 09:00 to 10:00 (Europe/Berlin)')
  expect(field({ attendees: ['Ada', 'Grace'] }, 'Attendees')).toBe('Ada, Grace (listed, not invited)')
})
