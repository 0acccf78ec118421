import type { SessionSummary } from '../../../shared/model/session'

/** Sessions that were last at work in the same stretch of time, in the order of the list. */
export interface DateGroup {
  name: string
  sessions: SessionSummary[]
}

/** What each stretch is called, and how many days before today it begins; what is older comes last. */
const STRETCHES = [
  { name: 'Today', days: 0 },
  { name: 'Yesterday', days: 1 },
  { name: 'Previous 7 days', days: 7 },
  { name: 'Previous 30 days', days: 30 },
]
const OLDER = 'Older'

/**
 * Sessions, latest first, by the day on which each last changed. Days are those of the calendar here, not 24 hours. A session that changed after one that
 * stands above it (titles and the archive change, too) stays where it is: the order is the list's.
 */
export function dateGroups(sessions: readonly SessionSummary[], now: number): DateGroup[] {
  const today = new Date(now)
  const begins = STRETCHES.map(({ days }) => new Date(today.getFullYear(), today.getMonth(), today.getDate() - days).getTime())
  const groups: DateGroup[] = []
  let stretch = 0
  for (const summary of sessions) {
    while (stretch < begins.length && summary.updatedAt < (begins[stretch] ?? 0)) stretch += 1
    const name = STRETCHES[stretch]?.name ?? OLDER
    const last = groups.at(-1)
    if (last?.name === name) last.sessions.push(summary)
    else groups.push({ name, sessions: [summary] })
  }
  return groups
}
