import type { SearchHit } from '../../../../shared/model/session/session'
import { NO_USAGE, type UsageReport } from '../../../../shared/model/turn/usage'
import type { ConnectedPlace } from './connected-place'
import { hitsOf, mergeReports, usageReportOf, type RemoteReport } from '../remote/remote-answers'

/** How long a list on this machine waits for the places, in ms. */
const WAIT_MS = 3000

/** Calls a connected place; undefined if it does not answer in time. */
async function ask(place: ConnectedPlace, method: string, input: unknown): Promise<unknown> {
  return place.remote.link?.call(method, input, AbortSignal.timeout(WAIT_MS)).catch(() => undefined)
}

/** Adds the usage of places. `only`: only that place, or (null) only this machine. */
export async function addUsageOf(
  places: readonly ConnectedPlace[],
  report: UsageReport,
  days: number,
  only: string | null | undefined,
): Promise<UsageReport> {
  if (only === null) return report
  const asked = places.filter(({ place }) => only === undefined || place.placeId === only)
  const answers = await Promise.all(
    asked.map(async (one) => ({
      placeId: one.place.placeId,
      report: usageReportOf(await ask(one, 'usage.report', { by: report.by, days, place: null })),
    })),
  )
  const received = answers.filter((one): one is { placeId: string; report: RemoteReport } => one.report !== undefined)
  const missing = answers.filter((one) => one.report === undefined).map(({ placeId }) => placeId)
  const merged = mergeReports(only === undefined ? report : emptied(report), received)
  return { ...merged, ...(missing.length > 0 && { missing }) }
}

/** The days of a report, without their usage. */
function emptied(report: UsageReport): UsageReport {
  const days = report.days.map(({ key, label }) => ({ ...NO_USAGE, key, label }))
  return { ...report, days, rows: report.by === 'day' ? days : [], total: NO_USAGE }
}

/** Adds messages found by places, interleaved with those of this machine, because each list has its own order. */
export async function addHitsOf(
  places: readonly ConnectedPlace[],
  here: SearchHit[],
  query: string,
  limit: number,
): Promise<SearchHit[]> {
  const lists = await Promise.all(
    places.map(async (one) =>
      hitsOf(one.place.placeId, (id) => one.hasSession(id), await ask(one, 'session.search', { query, limit })),
    ),
  )
  const all = [here, ...lists]
  const found: SearchHit[] = []
  const seen = new Set<string>()
  for (let n = 0; found.length < limit && all.some((list) => n < list.length); n += 1)
    for (const list of all) {
      const hit = list[n]
      if (!hit || found.length >= limit || seen.has(`${hit.sessionId} ${hit.seq}`)) continue
      seen.add(`${hit.sessionId} ${hit.seq}`)
      found.push(hit)
    }
  return found
}
