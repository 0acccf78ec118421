/** How often an event repeats. */
export const REPEATS = ['daily', 'weekly', 'monthly', 'yearly'] as const
export type Repeat = (typeof REPEATS)[number]

/** A calendar event, shown to the user before the file is created. */
export interface CalendarEvent {
  title: string
  /** `2026-12-01T09:00` in local time of `zone`; `2026-12-01` for an all-day event. */
  start: string
  /** In the same form; for an all-day event the last day. */
  end: string
  /** IANA name, e.g. `Europe/Berlin`. */
  zone: string
  location?: string
  description?: string
  /** They are named in the description, and receive no invitation. */
  attendees: string[]
  /** Minutes before the start. */
  reminderMinutes?: number
  repeat?: { how: Repeat; every: number; count?: number; until?: string }
}

const UNITS: Readonly<Record<Repeat, string>> = { daily: 'day', weekly: 'week', monthly: 'month', yearly: 'year' }

/** The fields of an event with their labels, in the order of a card; empty ones are omitted. */
export function eventFields(event: CalendarEvent): { label: string; text: string }[] {
  const { title, location, description, attendees, reminderMinutes } = event
  const fields: [string, string | undefined][] = [
    ['Title', title],
    ['When', whenText(event)],
    ['Repeats', repeatText(event.repeat)],
    ['Where', location],
    ['Reminder', reminderMinutes === undefined ? undefined : reminderText(reminderMinutes)],
    ['Attendees', attendees.length === 0 ? undefined : `${attendees.join(', ')} (listed, not invited)`],
    ['Description', description],
  ]
  return fields.flatMap(([label, text]) => (text === undefined ? [] : [{ label, text }]))
}

/** An event as lines of text, for terminals and editors. */
export function eventText(event: CalendarEvent): string {
  return eventFields(event)
    .map(({ label, text }) => `${label}: ${text}`)
    .join('\n')
}

function whenText({ start, end, zone }: CalendarEvent): string {
  if (!start.includes('T')) return start === end ? `${start}, all day` : `${start} to ${end}, all day`
  const [day, time = ''] = start.split('T')
  const [endDay, endTime = ''] = end.split('T')
  return `${day} ${time} to ${endDay === day ? endTime : `${endDay} ${endTime}`} (${zone})`
}

function repeatText(repeat: CalendarEvent['repeat']): string | undefined {
  if (!repeat) return undefined
  const { how, every, count, until } = repeat
  const often = every === 1 ? `Every ${UNITS[how]}` : `Every ${every} ${UNITS[how]}s`
  if (count !== undefined) return `${often}, ${count === 1 ? 'once' : `${count} times`}`
  return until === undefined ? often : `${often}, until ${until}`
}

function reminderText(minutes: number): string {
  if (minutes === 0) return 'At the start'
  const [count, unit] =
    minutes % 1440 === 0 ? [minutes / 1440, 'day'] : minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute']
  return `${count} ${unit}${count === 1 ? '' : 's'} before`
}
