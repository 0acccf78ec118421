import { z } from 'zod'
import { placeFolder, splitPlaceFolder } from '../../../../shared/model/place/place-folder'
import type { SearchHit } from '../../../../shared/model/session/session'
import {
  addUsage,
  NO_USAGE,
  type UsageGroup,
  type UsageReport,
  type UsageRow,
} from '../../../../shared/model/turn/usage'
import { plainLine } from './plain-text'

const line = (max: number) => z.string().transform((text) => plainLine(text, max))
const count = z.number().min(0).max(1e15)
const sum = {
  requests: count,
  input: count,
  output: count,
  cached: count,
  written: count,
  thinking: count,
  cost: count,
  unpriced: count,
}
const row = z.object({ ...sum, key: line(4096), label: line(4096) })
const report = z.object({ rows: z.array(row).max(20_000), days: z.array(row).max(4000), total: z.object(sum) })

export type RemoteReport = z.output<typeof report>

/** The usage that a place reports; undefined if it cannot be parsed. */
export function usageReportOf(value: unknown): RemoteReport | undefined {
  return report.safeParse(value).data
}

/**
 * Merges the report of this machine with those of places: the same days and models are added up, other rows stay
 * separate.
 */
export function mergeReports(
  here: UsageReport,
  there: readonly { placeId: string; report: RemoteReport }[],
): UsageReport {
  if (there.length === 0) return here
  const days = new Map(here.days.map((day) => [day.key, day]))
  const rows = new Map(here.rows.map((one) => [one.key, one]))
  let { total } = here
  for (const { placeId, report: remote } of there) {
    // Only days of this range, regardless of the clock elsewhere.
    for (const day of remote.days) add(days, day, { isKnownOnly: true })
    for (const one of remote.rows) add(rows, ofPlace(here.by, placeId, one), { isKnownOnly: here.by === 'day' })
    total = addUsage(total, remote.total)
  }
  const all = [...rows.values()]
  return {
    ...here,
    rows: here.by === 'day' ? all : all.toSorted((a, b) => b.cost - a.cost || b.output - a.output),
    days: [...days.values()],
    total,
  }
}

function add(rows: Map<string, UsageRow>, added: UsageRow, { isKnownOnly }: { isKnownOnly: boolean }): void {
  const known = rows.get(added.key)
  if (known || !isKnownOnly)
    rows.set(added.key, { ...addUsage(known ?? NO_USAGE, added), key: added.key, label: known?.label ?? added.label })
}

/** Adds the place to the folder of a row, or to the label of a session. */
function ofPlace(by: UsageGroup, placeId: string, one: UsageRow): UsageRow {
  if (by === 'project') {
    const key = placeFolder({ placeId, path: one.key })
    return { ...one, key, label: one.label === one.key ? key : `${one.label} (${placeId})` }
  }
  return by === 'session' ? { ...one, label: `${one.label} (${placeId})` } : one
}

const hit = z.object({
  sessionId: z.string().regex(/^[\w.:-]{1,100}$/),
  title: line(300),
  folder: line(4096),
  seq: z.int().min(0),
  at: z.number().min(0).max(8.64e15),
  snippet: z.string().max(4000),
})

/** Messages that a place found, in its own sessions only. */
export function hitsOf(placeId: string, owns: (sessionId: string) => boolean, value: unknown): SearchHit[] {
  if (!Array.isArray(value)) return []
  return value.slice(0, 500).flatMap((item): SearchHit[] => {
    const { data } = hit.safeParse(item)
    if (!data || !owns(data.sessionId) || splitPlaceFolder(data.folder)) return []
    return [{ ...data, folder: placeFolder({ placeId, path: data.folder }), place: placeId }]
  })
}
