const UNIT_MS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 }

/** What a time may look like, for errors and help. */
export const WHEN_FORMS = '"18:30", "2026-12-01 09:00", "25m", "1h30m" or "90s"'

/**
 * When an alarm rings, in ms since the epoch: a time of day (the next one), a date and time (on this machine's clock
 * unless it has an offset), or a while from now. Undefined for any other text.
 */
export function alarmTime(text: string, now: number): number | undefined {
  const when = text.trim().replace(/^in /i, '')
  return whileFromNow(when, now) ?? timeOfDay(when, now) ?? dateAndTime(when)
}

function whileFromNow(text: string, now: number): number | undefined {
  const compact = text
    .toLowerCase()
    .replaceAll(/\s+/g, '')
    .replaceAll(/(\d)(d|h|m|s)[a-z]*/g, '$1$2')
  if (!/^(?:\d{1,9}d)?(?:\d{1,9}h)?(?:\d{1,9}m)?(?:\d{1,9}s)?$/.test(compact) || compact === '') return undefined
  const ms = [...compact.matchAll(/(\d+)([dhms])/g)].reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (UNIT_MS[unit] ?? 0),
    0,
  )
  return ms > 0 ? now + ms : undefined
}

function timeOfDay(text: string, now: number): number | undefined {
  const [, hours, minutes, seconds = '0'] = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(text) ?? []
  if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined
  const at = new Date(now)
  at.setHours(Number(hours), Number(minutes), Number(seconds), 0)
  // The same time tomorrow, also on a day of 23 or 25 hours.
  if (at.getTime() <= now) at.setDate(at.getDate() + 1)
  return at.getTime()
}

function dateAndTime(text: string): number | undefined {
  const [, date, time, offset = ''] =
    /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?(Z|[+-]\d{2}:\d{2})?$/i.exec(text) ?? []
  if (date === undefined) return undefined
  // A day that does not exist, such as February 30, would become one of the next month.
  const day = new Date(`${date}T00:00:00Z`)
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== date) return undefined
  const at = Date.parse(`${date}T${time}${offset.toUpperCase()}`)
  return Number.isNaN(at) ? undefined : at
}
