import type { QuietHours, ScheduleRunStatus, ScheduleTime } from './schedule'

const DAY_NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const UNITS = [
  [604_800_000, 'week'],
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
] as const

/** When it runs, for people: "Every day at 02:00", "Every 2 hours", or the cron pattern where there are no simple words for it. */
export function timeText(time: ScheduleTime, zone: string): string {
  if (time.kind === 'once') return `Once, ${momentText(time.at, zone)}`
  return time.kind === 'every' ? everyText(time.everyMs) : cronText(time.cron)
}

/** The time as it can be written again, for editing. */
export function timeSource(time: ScheduleTime, zone: string): string {
  if (time.kind === 'once') return momentText(time.at, zone).replace(' ', 'T')
  return time.kind === 'every' ? everyText(time.everyMs).toLowerCase() : time.cron
}

function everyText(everyMs: number): string {
  const [ms, unit] = UNITS.find(([size]) => everyMs % size === 0) ?? UNITS[3]
  const count = Math.round(everyMs / ms)
  return count === 1 ? `Every ${unit}` : `Every ${count} ${unit}s`
}

function cronText(cron: string): string {
  const match = /^(\d{1,2}) (\d{1,2}) \* \* (\*|1-5|0,6|[0-6])$/.exec(cron)
  if (!match) return `Cron ${cron}`
  const [, minute = '', hour = '', days = ''] = match
  const named: Record<string, string> = { '*': 'day', '1-5': 'weekday', '0,6': 'Saturday and Sunday' }
  return `Every ${named[days] ?? DAY_NAMES[Number(days)]} at ${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** `2026-12-01 09:00` by the clock of the zone. */
export function momentText(at: number, zone: string): string {
  let format = formats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('sv-SE', {
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    })
    formats.set(zone, format)
  }
  return format.format(at)
}

export function quietText({ from, to }: QuietHours): string {
  return `${from}-${to}`
}

export const RUN_STATUS_TEXT: Readonly<Record<ScheduleRunStatus, string>> = {
  running: 'Running',
  done: 'Done',
  silent: 'Nothing to report',
  failed: 'Failed',
  stopped: 'Stopped',
  interrupted: 'Interrupted',
}
