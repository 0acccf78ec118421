import { z } from 'zod'
import { lazySchema, type SchemaOutput } from '../../../../shared/lazy-schema'
import { type CalendarEvent, eventText, REPEATS } from '../../../../shared/model/approval/calendar-event'
import { ok, refuse, type Tool } from '../tool'
import description from './create-calendar-event.md?raw'
import { DEVICE_TOOL, type DeviceServices } from './device-services'
import { knownZone, machineZone, unknownZone } from './time-zone'

const DAY = /^\d{4}-\d{2}-\d{2}$/
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/
const isDay = (text: string): boolean =>
  DAY.test(text) && !Number.isNaN(Date.parse(text)) && new Date(text).toISOString().startsWith(text)
const isTime = (text: string): boolean => TIME.test(text) && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text))
const day = lazySchema(() => z.string().refine(isDay, 'must be a day like 2026-12-01'))
const moment = lazySchema(() =>
  z
    .string()
    .refine((text) => isDay(text) || isTime(text), 'must be a time like 2026-12-01T09:00, or a day like 2026-12-01'),
)

const input = lazySchema(() =>
  z.strictObject({
    title: z.string().trim().min(1).max(200),
    start: moment(),
    end: moment().optional(),
    zone: z.string().trim().min(1).max(100).optional(),
    location: z.string().trim().min(1).max(500).optional(),
    description: z.string().trim().min(1).max(4000).optional(),
    attendees: z.array(z.string().trim().min(1).max(200)).max(50).optional(),
    reminder_minutes: z.int().min(0).max(40_320).optional(),
    repeat: z.enum(REPEATS).optional(),
    repeat_every: z.int().min(1).max(100).optional(),
    repeat_count: z.int().min(1).max(1000).optional(),
    repeat_until: day().optional(),
  }),
)
type Input = SchemaOutput<typeof input>

/** Creates an .ics file for an event, after showing all of it to the user (approval/policies/boundaries.ts). */
export function createCalendarEventTool(
  services: Pick<DeviceServices, 'opener' | 'now' | 'newId' | 'keepCalendarFile'>,
): Tool<typeof input> {
  return {
    ...DEVICE_TOOL,
    name: 'CreateCalendarEvent',
    description,
    input,
    listedOnly: true,
    subject: ['title'],
    annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
    async prepare(given) {
      const event = eventOf(given)
      if (typeof event === 'string') return refuse(event)
      return {
        summary: `${event.title}, ${event.start.replace('T', ' ')}`,
        accesses: [],
        preview: async () => ({ kind: 'event', event }),
        async run() {
          const { calendarFile } = await import('./calendar-file')
          const uid = services.newId('event')
          const ics = calendarFile(event, { uid, now: services.now() })
          const path = await services.keepCalendarFile(`${event.start.slice(0, 10)}-${uid}.ics`, ics)
          const isOpened = await services.opener?.file(path).then(
            () => true,
            () => false,
          )
          const how = isOpened
            ? "It was opened in the user's calendar program, where they save it."
            : 'The user can download or open it from here.'
          return ok(`Created ${path}. ${how}\n${eventText(event)}`, {
            kind: 'event',
            event,
            file: { path, text: ics, opened: isOpened === true },
          })
        },
      }
    },
  }
}

/** The event, or what is wrong with it. */
function eventOf(given: Input): CalendarEvent | string {
  const { title, start, zone: wanted = machineZone(), location, description: text, attendees = [] } = given
  const zone = knownZone(wanted)
  if (zone === undefined) return unknownZone(wanted)
  const isAllDay = isDay(start)
  if (given.end !== undefined && isDay(given.end) !== isAllDay) return 'start and end must both be times, or both days.'
  const end = given.end ?? (isAllDay ? start : anHourLater(start))
  if (isAllDay ? end < start : end <= start) return 'end must be after start.'
  const { repeat: how, repeat_every: every = 1, repeat_count: count, repeat_until: until } = given
  if (how === undefined && (given.repeat_every ?? count ?? until) !== undefined)
    return `Give repeat as well: ${REPEATS.join(', ')}.`
  if (count !== undefined && until !== undefined) return 'Give repeat_count or repeat_until, not both.'
  if (until !== undefined && until < start.slice(0, 10)) return 'repeat_until must not be before start.'
  return {
    title,
    start,
    end,
    zone,
    attendees,
    ...(location !== undefined && { location }),
    ...(text !== undefined && { description: text }),
    ...(given.reminder_minutes !== undefined && { reminderMinutes: given.reminder_minutes }),
    ...(how && {
      repeat: { how, every, ...(count !== undefined && { count }), ...(until !== undefined && { until }) },
    }),
  }
}

/** One hour later in wall-clock time, even on a day when clocks change. */
function anHourLater(time: string): string {
  return new Date(Date.parse(`${time}Z`) + 3_600_000).toISOString().slice(0, 16)
}
