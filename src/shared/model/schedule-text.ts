import type { QuietHours, ScheduleInput, ScheduleMail, ScheduleRunStatus, ScheduleTime } from './schedule'

const DAY_NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const UNITS = [
  [604_800_000, 'week'],
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
] as const

/**
 * When it runs, for people: "Every day at 02:00", "Every 2 hours", or the cron pattern where there are no simple words
 * for it.
 */
export function timeText(time: ScheduleTime, zone: string): string {
  if (time.kind === 'once') return `Once, ${momentText(time.at, zone)}`
  if (time.kind === 'mail') return mailText(time)
  return time.kind === 'every' ? everyText(time.everyMs) : cronText(time.cron)
}

/** When it runs next, of one that has no next time. */
export function noNextText(time: ScheduleTime): string {
  return time.kind === 'mail' ? 'when mail arrives' : 'no further run'
}

/** The time as it can be written again, for editing. */
export function timeSource(time: ScheduleTime, zone: string): string {
  if (time.kind === 'once') return momentText(time.at, zone).replace(' ', 'T')
  if (time.kind === 'mail') return NEW_MAIL
  return time.kind === 'every' ? everyText(time.everyMs).toLowerCase() : time.cron
}

/** How a schedule that mail starts is written as a time. */
export const NEW_MAIL = 'new mail'

/** Which mail starts it, as it can be given again; undefined for other times. */
export function mailSource(time: ScheduleTime): ScheduleMail | undefined {
  if (time.kind !== 'mail') return undefined
  return { ...time.filter, ...(time.account !== undefined && { account: time.account }) }
}

/**
 * A schedule as it was given, with a changed time or mail: one that mail starts needs no time, and another time leaves
 * the mail out.
 */
export function withTime(before: ScheduleInput, { time, mail, ...changes }: Partial<ScheduleInput>): ScheduleInput {
  const { mail: mailBefore, ...rest } = before
  const isMail =
    time === undefined ? mail !== undefined || mailBefore !== undefined : time.trim().toLowerCase() === NEW_MAIL
  const merged = isMail ? (mail ?? mailBefore) : mail
  return {
    ...rest,
    ...changes,
    time: time ?? (mail ? NEW_MAIL : before.time),
    ...(merged && { mail: merged }),
  }
}

function mailText({ account, filter }: Extract<ScheduleTime, { kind: 'mail' }>): string {
  const { folder, from, subject, text } = filter
  const parts = [
    from !== undefined && `from “${from}”`,
    subject !== undefined && `about “${subject}”`,
    text !== undefined && `with “${text}”`,
    folder !== undefined && `in the folder ${folder}`,
    account !== undefined && `for ${account}`,
  ]
  return ['When mail arrives', ...parts].filter((part) => part !== false).join(' ')
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
