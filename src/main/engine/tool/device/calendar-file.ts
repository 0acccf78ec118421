import ical, { ICalAlarmType } from 'ical-generator'
import type { CalendarEvent } from '../../../../shared/model/approval/calendar-event'
import { zoneRules } from './time-zone'

/**
 * An event as the text of an .ics file. Attendees are named only in the description: for attendees in their own fields,
 * a calendar program would send invitations.
 */
export function calendarFile(event: CalendarEvent, { uid, now }: { uid: string; now: number }): string {
  const { title, start, zone, location, description, attendees, reminderMinutes } = event
  const isAllDay = !start.includes('T')
  const listed = attendees.length === 0 ? undefined : `Attendees: ${attendees.join(', ')}`
  const calendar = ical({ prodId: { company: 'Trestle', product: 'Trestle' } })
  calendar.createEvent({
    id: uid,
    stamp: new Date(now),
    summary: title,
    ...(isAllDay
      ? { start: new Date(start), end: dayAfter(event.end), allDay: true, timezone: 'UTC' }
      : { start: `${start}:00`, end: `${event.end}:00`, timezone: zone }),
    ...(location !== undefined && { location }),
    ...((description ?? listed) !== undefined && {
      description: [description, listed].filter((text) => text !== undefined).join('\n\n'),
    }),
    ...(event.repeat && { repeating: repeatRule(event.repeat, { isAllDay, zone }) }),
    ...(reminderMinutes !== undefined && {
      alarms: [{ type: ICalAlarmType.display, triggerBefore: reminderMinutes * 60 }],
    }),
  })
  const text = calendar.toString()
  return isAllDay || zone === 'UTC'
    ? text
    : text.replace('BEGIN:VEVENT', () => `${zoneRules(zone, Number(start.slice(0, 4)))}BEGIN:VEVENT`)
}

/** The end of a whole-day event is the day after its last day. */
function dayAfter(day: string): Date {
  return new Date(Date.parse(day) + 86_400_000)
}

function repeatRule(
  { how, every, count, until }: NonNullable<CalendarEvent['repeat']>,
  { isAllDay, zone }: { isAllDay: boolean; zone: string },
): string {
  const parts = [`FREQ=${how.toUpperCase()}`, `INTERVAL=${every}`]
  if (count !== undefined) parts.push(`COUNT=${count}`)
  // UNTIL has to be in UTC: the end of the last day in the event's zone, so that the entire day counts.
  else if (until !== undefined) parts.push(`UNTIL=${isAllDay ? until.replaceAll('-', '') : endOfDay(until, zone)}`)
  return `RRULE:${parts.join(';')}`
}

function endOfDay(day: string, zone: string): string {
  const guess = Date.parse(`${day}T23:59:59Z`)
  const shown = new Date(guess).toLocaleString('sv', { timeZone: zone }).replace(' ', 'T')
  const end = new Date(guess - (Date.parse(`${shown}Z`) - guess))
  return end.toISOString().slice(0, 19).replaceAll(/[-:]/g, '') + 'Z'
}
