/** Which sessions the user has read and pinned. The same in every host and browser of a home. */
export interface SessionMarks {
  /** Sessions that ended before this time (ms) count as read: a new home starts without a hundred unread marks. */
  since: number
  /** For each read session, its last change at the time it was read (ms). */
  seen: [sessionId: string, at: number][]
  pinned: string[]
}

/** What the user has read, pinned and taken the pin off. */
export interface SessionMarksChange {
  seen?: readonly (readonly [sessionId: string, at: number])[] | undefined
  pin?: readonly string[] | undefined
  unpin?: readonly string[] | undefined
}

/** Maximum numbers kept. The oldest read ones are dropped, and count as read like all old ones. */
export const MARK_LIMITS = { seen: 500, pinned: 500 } as const

/** The marks after a change. A session is never less read than before. Pure. */
export function withMarks(marks: SessionMarks, { seen = [], pin = [], unpin = [] }: SessionMarksChange): SessionMarks {
  const all = new Map(marks.seen)
  for (const [sessionId, at] of seen) all.set(sessionId, Math.max(at, all.get(sessionId) ?? 0))
  const byAge = [...all].sort((a, b) => b[1] - a[1])
  const since = Math.max(marks.since, byAge[MARK_LIMITS.seen]?.[1] ?? 0)
  const pinned = new Set(marks.pinned)
  for (const sessionId of pin) pinned.add(sessionId)
  for (const sessionId of unpin) pinned.delete(sessionId)
  return {
    since,
    seen: byAge.slice(0, MARK_LIMITS.seen).filter(([, at]) => at > since),
    pinned: [...pinned].slice(-MARK_LIMITS.pinned),
  }
}

/** Marks from their stored text; anything malformed is left out. `now`: from when on sessions can be unread. */
export function parseMarks(text: string | undefined, now: number): SessionMarks {
  const fresh: SessionMarks = { since: now, seen: [], pinned: [] }
  if (text === undefined) return fresh
  try {
    const value = JSON.parse(text) as { since?: unknown; seen?: unknown; pinned?: unknown }
    if (typeof value.since !== 'number' || !Array.isArray(value.seen) || !Array.isArray(value.pinned)) return fresh
    return {
      since: value.since,
      seen: value.seen.filter(
        (one): one is [string, number] =>
          Array.isArray(one) && typeof one[0] === 'string' && typeof one[1] === 'number',
      ),
      pinned: value.pinned.filter((one) => typeof one === 'string'),
    }
  } catch {
    return fresh
  }
}
