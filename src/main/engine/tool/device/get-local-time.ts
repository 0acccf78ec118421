import { z } from 'zod'
import { lazySchema } from '../../../../shared/lazy-schema'
import { ok, refuse, type Tool } from '../tool'
import description from './get-local-time.md?raw'
import { knownZone, machineZone, unknownZone } from './time-zone'

const input = lazySchema(() => z.strictObject({ zone: z.string().trim().min(1).max(100).optional() }))

/** Reports the time on this machine or in another time zone. */
export function getLocalTimeTool({ now = Date.now }: { now?: () => number } = {}): Tool<typeof input> {
  return {
    name: 'GetLocalTime',
    description,
    input,
    brief: true,
    listedOnly: true,
    maxResultChars: 8_000,
    annotations: { readOnly: true, destructive: false, idempotent: false, openWorld: false },
    async prepare({ zone = machineZone() }) {
      const known = knownZone(zone)
      if (known === undefined) return refuse(unknownZone(zone))
      return { summary: known, accesses: [], run: async () => ok(localTimeText(new Date(now()), known)) }
    },
  }
}

/** One line per fact, e.g. `time: 2026-11-23T14:05:09+01:00`. */
export function localTimeText(date: Date, zone: string): string {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    weekday: 'long',
    timeZoneName: 'longOffset',
  })
  const part = Object.fromEntries(format.formatToParts(date).map(({ type, value }) => [type, value])) as Record<
    string,
    string
  >
  const { year = '', month = '', day = '' } = part
  // `GMT+05:30`; for UTC just `GMT`.
  const offset = part['timeZoneName']?.replace(/^GMT$/, 'GMT+00:00').slice(3) ?? ''
  const { week, ofYear } = isoWeek(Number(year), Number(month), Number(day))
  return [
    `time: ${year}-${month}-${day}T${part['hour']}:${part['minute']}:${part['second']}${offset}`,
    `weekday: ${part['weekday']}`,
    `week: ${ofYear}-W${String(week).padStart(2, '0')}`,
    `zone: ${zone} (UTC${offset})`,
  ].join('\n')
}

/** The ISO 8601 week of a day. A week belongs to the year that its Thursday is in. */
function isoWeek(year: number, month: number, day: number): { week: number; ofYear: number } {
  const DAY_MS = 86_400_000
  const thursday = new Date(Date.UTC(year, month - 1, day))
  thursday.setUTCDate(thursday.getUTCDate() + 4 - (thursday.getUTCDay() || 7))
  const ofYear = thursday.getUTCFullYear()
  return { week: Math.floor((thursday.getTime() - Date.UTC(ofYear, 0, 1)) / (7 * DAY_MS)) + 1, ofYear }
}
