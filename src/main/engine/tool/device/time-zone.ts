import { nearest } from '../../../../shared/nearest'

/** The zone of this machine. */
export function machineZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** The zone under the system's name; undefined if the system does not know it. */
export function knownZone(zone: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** The message for an unknown zone, with the zone that may be meant. */
export function unknownZone(zone: string): string {
  const zones = Intl.supportedValuesOf('timeZone')
  // People use names of cities, with spaces.
  const asCity = zone.replaceAll(' ', '_').toLowerCase()
  const city = zones.find((known) => known.toLowerCase().endsWith(`/${asCity}`))
  const [near] = city === undefined ? nearest(zone, zones, 1) : [city]
  return (
    `${JSON.stringify(zone)} is not a time zone.${near === undefined ? '' : ` Did you mean ${near}?`} ` +
    'Give an IANA name such as Europe/Berlin, or leave zone out for the zone of this machine.'
  )
}

const HOUR_MS = 3_600_000
const DAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']

/** The UTC offset of a zone at a moment, in minutes. */
function zoneOffset(zone: string, at: number): number {
  const name = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value
  const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(name ?? '') ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

/**
 * The VTIMEZONE of a zone for a calendar file (RFC 5545), with the clock changes of one year as rules that repeat every
 * year. Without it, programs guess what the name of a zone means. Lines end with CRLF.
 */
export function zoneRules(zone: string, year: number): string {
  const changes = clockChanges(zone, year)
  const start = zoneOffset(zone, Date.UTC(year, 0, 1))
  const parts =
    changes.length === 2
      ? changes.map(({ at, from, to }) => observance(to > from ? 'DAYLIGHT' : 'STANDARD', { at, from, to }))
      : [observance('STANDARD', { at: undefined, from: start, to: start })]
  return ['BEGIN:VTIMEZONE', `TZID:${zone}`, ...parts.flat(), 'END:VTIMEZONE', ''].join('\r\n')
}

interface ClockChange {
  at: number
  from: number
  to: number
}

function clockChanges(zone: string, year: number): ClockChange[] {
  const found: ClockChange[] = []
  const end = Date.UTC(year + 1, 0, 1)
  for (let day = Date.UTC(year, 0, 1); day < end; day += 24 * HOUR_MS) {
    const [from, to] = [zoneOffset(zone, day), zoneOffset(zone, day + 24 * HOUR_MS)]
    if (from === to) continue
    let [before, after] = [day, day + 24 * HOUR_MS]
    while (after - before > 60_000) {
      const middle = before + Math.floor((after - before) / 120_000) * 60_000
      if (zoneOffset(zone, middle) === from) before = middle
      else after = middle
      if (middle === before && after - before <= 60_000) break
    }
    found.push({ at: after, from, to })
  }
  return found
}

function observance(
  kind: 'DAYLIGHT' | 'STANDARD',
  { at, from, to }: { at: number | undefined; from: number; to: number },
): string[] {
  // In local time before the change.
  const local = at === undefined ? undefined : new Date(at + from * 60_000)
  return [
    `BEGIN:${kind}`,
    `DTSTART:${local ? compact(local) : '19700101T000000'}`,
    ...(local ? [`RRULE:FREQ=YEARLY;BYMONTH=${local.getUTCMonth() + 1};BYDAY=${weekday(local)}`] : []),
    `TZOFFSETFROM:${offsetText(from)}`,
    `TZOFFSETTO:${offsetText(to)}`,
    `END:${kind}`,
  ]
}

/** `2SU` or `-1SU`: which occurrence of its weekday in the month a day is. */
function weekday(date: Date): string {
  const day = date.getUTCDate()
  const days = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  return `${day + 7 > days ? -1 : Math.ceil(day / 7)}${DAYS[date.getUTCDay()]}`
}

function compact(date: Date): string {
  return date.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')
}

const digits = (number: number): string => String(number).padStart(2, '0')

function offsetText(minutes: number): string {
  const size = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${digits(Math.floor(size / 60))}${digits(size % 60)}`
}
