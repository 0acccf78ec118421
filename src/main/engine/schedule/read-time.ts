import { CodedError } from '../../../shared/errors'
import { nearest } from '../../../shared/nearest'
import { SCHEDULE_LIMITS, type QuietHours, type ScheduleTime } from '../../../shared/model/assistant/schedule'
import { Cron } from 'croner'
import { parseCron } from './timetable'

const UNIT_MS = { min: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 }
const UNITS: Readonly<Record<string, keyof typeof UNIT_MS>> = {
  m: 'min',
  min: 'min',
  mins: 'min',
  minute: 'min',
  minutes: 'min',
  h: 'hour',
  hour: 'hour',
  hours: 'hour',
  d: 'day',
  day: 'day',
  days: 'day',
  w: 'week',
  week: 'week',
  weeks: 'week',
}
const DAYS: Readonly<Record<string, string>> = {
  day: '*',
  daily: '*',
  weekday: '1-5',
  weekdays: '1-5',
  weekend: '0,6',
  weekends: '0,6',
  sunday: '0',
  monday: '1',
  tuesday: '2',
  wednesday: '3',
  thursday: '4',
  friday: '5',
  saturday: '6',
}

/**
 * Parses a time as a person writes it: a cron pattern, a date and time, "every 2 h", or "weekdays at 9:00". Throws
 * `schedule.time` with the reason.
 */
export function readTime(text: string, zone: string, now: number): ScheduleTime {
  const words = text.trim().replaceAll(/\s+/g, ' ')
  const lower = words.toLowerCase()
  const every = /^every (\d{1,6})? ?([a-z]+)$/.exec(lower)
  const unit = every ? UNITS[every[2]!] : undefined
  if (every && unit) {
    const everyMs = Number(every[1] ?? 1) * UNIT_MS[unit]
    if (everyMs < SCHEDULE_LIMITS.minEveryMs) throw timeError('The shortest interval is one minute.')
    return { kind: 'every', everyMs, from: now }
  }
  const daily = /^(?:every )?([a-z]+?)(s?) (?:at )?(\d{1,2})(?::(\d{2}))?$/.exec(lower)
  const days = daily ? (DAYS[daily[1]! + daily[2]!] ?? DAYS[daily[1]!]) : undefined
  if (daily && days !== undefined) {
    const [hour, minute] = [Number(daily[3]), Number(daily[4] ?? 0)]
    if (hour > 23 || minute > 59) throw timeError(`${daily[3]}:${daily[4] ?? '00'} is not a time of day.`)
    return { kind: 'cron', cron: `${minute} ${hour} * * ${days}` }
  }
  if (/^\d{4}-/.test(words)) return { kind: 'once', at: readMoment(words, zone, now) }
  if (words.split(' ').length === 5) {
    parseCron(words, zone)
    return { kind: 'cron', cron: words }
  }
  throw timeError(`${JSON.stringify(text)} is not a time.`)
}

/** A date and time, in the zone unless it names an offset itself. */
function readMoment(text: string, zone: string, now: number): number {
  const match = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2}))?)?(Z|[+-]\d{2}:\d{2})?$/i.exec(text)
  const [, date, hour = '0', minute = '00', second = '00', offset] = match ?? []
  const iso = `${date}T${hour.padStart(2, '0')}:${minute}:${second}`
  const at = date === undefined ? undefined : offset === undefined ? localMoment(iso, zone) : Date.parse(iso + offset)
  if (at === undefined || Number.isNaN(at))
    throw timeError(`${JSON.stringify(text)} is not a date and time such as 2026-12-01T09:00.`)
  if (at <= now) throw timeError(`${text} is in the past.`)
  return at
}

function localMoment(iso: string, zone: string): number | undefined {
  try {
    return new Cron(iso, { timezone: zone, paused: true }).nextRun(new Date(0))?.getTime()
  } catch {
    return undefined
  }
}

/** The IANA name of a zone; throws `schedule.time` for an unknown one. Default: the zone of this machine. */
export function readZone(zone: string | undefined): string {
  const wanted = zone?.trim() || Intl.DateTimeFormat().resolvedOptions().timeZone
  try {
    return new Intl.DateTimeFormat('en', { timeZone: wanted }).resolvedOptions().timeZone
  } catch {
    const [near] = nearest(wanted, Intl.supportedValuesOf('timeZone'), 1)
    throw timeError(
      `${JSON.stringify(wanted)} is not a time zone${near === undefined ? '' : `; did you mean ${near}?`}.`.replace(
        '?.',
        '?',
      ),
    )
  }
}

/** Quiet hours such as `22:00-07:00`. */
export function readQuiet(text: string): QuietHours {
  const match = /^(\d{1,2}):(\d{2})\s*[-–]\s*(\d{1,2}):(\d{2})$/.exec(text.trim())
  const [from, to] = match ? [clock(match[1]!, match[2]!), clock(match[3]!, match[4]!)] : []
  if (from === undefined || to === undefined || from === to)
    throw timeError(`${JSON.stringify(text)} are no quiet hours; write them as 22:00-07:00.`)
  return { from, to }
}

function clock(hour: string, minute: string): string | undefined {
  return Number(hour) < 24 && Number(minute) < 60 ? `${hour.padStart(2, '0')}:${minute}` : undefined
}

function timeError(message: string): CodedError {
  return new CodedError('schedule.time', message)
}
