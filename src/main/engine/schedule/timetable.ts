import { Cron } from 'croner'
import { CodedError } from '../../../shared/errors'
import type { QuietHours, ScheduleSpec } from '../../../shared/model/assistant/schedule'

type Times = Pick<ScheduleSpec, 'time' | 'zone' | 'heartbeat'>

/** How many due times are checked to count missed ones and to skip quiet ones. */
const MAX_COUNTED = 1000
const DAY_MS = 24 * 60 * 60 * 1000

/**
 * The first due time after `after`; undefined when it never runs again. When daylight saving time starts, a time of day
 * that does not exist is due at the change; when it ends, a time that exists twice is due once.
 */
export function nextRun(times: Times, after: number): number | undefined {
  let next = nextTime(times, after)
  const quiet = times.heartbeat?.quiet
  if (!quiet) return next
  for (let n = 0; next !== undefined && isQuiet(quiet, next, times.zone) && n < MAX_COUNTED; n += 1)
    next = nextTime(times, next)
  return next
}

function nextTime({ time, zone }: Times, after: number): number | undefined {
  if (time.kind === 'mail') return undefined
  if (time.kind === 'once') return time.at > after ? time.at : undefined
  if (time.kind === 'cron') return parseCron(time.cron, zone).nextRun(new Date(after))?.getTime()
  return time.from + Math.max(1, Math.floor((after - time.from) / time.everyMs) + 1) * time.everyMs
}

/** A due run: the latest due time until now, the number of missed ones before it, and the next due time. */
export interface DueRun {
  dueAt: number
  missed: number
  next: number | undefined
}

/** Joins all due times until `now` into one run. `first`: the earliest. */
export function dueRun(times: Times, first: number, now: number): DueRun {
  let dueAt = first
  let missed = 0
  let next = nextRun(times, first)
  while (next !== undefined && next <= now && missed < MAX_COUNTED) {
    dueAt = next
    missed += 1
    next = nextRun(times, next)
  }
  return { dueAt, missed, next: next !== undefined && next <= now ? nextRun(times, now) : next }
}

/** The due time after the clock was set back: computed again from now if it would be a day late or more. */
export function nextAfterJump(times: Times, nextAt: number, now: number): number | undefined {
  // Mail is due immediately, or after quiet hours.
  const isMail = times.time.kind === 'mail'
  const latest = isMail ? now + DAY_MS : nextRun(times, now + DAY_MS)
  if (latest === undefined || nextAt <= latest) return nextAt
  return isMail ? now : nextRun(times, now)
}

/** The due times of the next days, for a calendar. */
export function plannedRuns(times: Times, from: number, until: number, limit: number): number[] {
  const planned: number[] = []
  for (let at = nextRun(times, from); at !== undefined && at < until && planned.length < limit; at = nextRun(times, at))
    planned.push(at)
  return planned
}

const patterns = new Map<string, Cron>()

/** The parsed pattern; cached, because parsing takes longer than evaluating. Throws `schedule.time`. */
export function parseCron(pattern: string, zone: string): Cron {
  const key = `${zone}\n${pattern}`
  const known = patterns.get(key)
  if (known) return known
  try {
    const cron = new Cron(pattern, { timezone: zone, paused: true, mode: '5-part' })
    if (cron.nextRun() === null) throw new Error('it never comes')
    if (patterns.size > 1000) patterns.clear()
    patterns.set(key, cron)
    return cron
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error)
    throw new CodedError('schedule.time', `${JSON.stringify(pattern)} is not a cron pattern with five fields: ${why}.`)
  }
}

/** Whether a time is within quiet hours in the zone. */
export function isQuiet({ from, to }: QuietHours, at: number, zone: string): boolean {
  const clock = clockOf(zone).format(at)
  return from <= to ? clock >= from && clock < to : clock >= from || clock < to
}

/** When the quiet hours that contain a time end. */
export function quietEnd({ to }: QuietHours, at: number, zone: string): number | undefined {
  const [hour, minute] = to.split(':').map(Number)
  return parseCron(`${minute} ${hour} * * *`, zone).nextRun(new Date(at))?.getTime()
}

const clocks = new Map<string, Intl.DateTimeFormat>()

function clockOf(zone: string): Intl.DateTimeFormat {
  let clock = clocks.get(zone)
  if (clock) return clock
  try {
    clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  } catch {
    throw new CodedError('schedule.time', `${JSON.stringify(zone)} is not a time zone.`)
  }
  clocks.set(zone, clock)
  return clock
}
