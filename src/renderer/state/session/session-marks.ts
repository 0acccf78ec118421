import { create } from 'zustand'
import type { SessionSummary } from '../../../shared/model/session'
import { type SessionsState, useSessions } from './sessions-state'
import { browserStorage } from '../page/browser-storage'
import { useLayout } from '../page/layout-state'
import { shownSessions, usePanes } from '../panes/panes-state'

/**
 * Which sessions the user of this browser has read and pinned. These are choices about the view, so they are stored in
 * the browser.
 */
export interface SessionMarks {
  /** Sessions that ended before this time (ms) count as read: a new browser starts without a hundred unread marks. */
  since: number
  /** For each read session, its last change at the time it was read (ms). */
  seen: ReadonlyMap<string, number>
  pinned: ReadonlySet<string>
}

const KEY = 'trestle.sessionMarks'
/** Maximum number kept; the oldest are dropped, and count as read like all old ones. */
const MAX_SEEN = 500

/** The marks of this browser. */
export const useSessionMarks = create<SessionMarks>()(() => parseMarks(browserStorage.read(KEY), Date.now()))

/** Whether the session ended since the user last saw it. */
export function isUnread(marks: SessionMarks, { sessionId, status, updatedAt }: SessionSummary): boolean {
  const hasEnded = status === 'done' || status === 'failed' || status === 'interrupted'
  return hasEnded && updatedAt > Math.max(marks.since, marks.seen.get(sessionId) ?? 0)
}

/**
 * The marks after the sessions have changed. `shownId`: the session in front of the user. A change that is not work (a
 * new title, archiving) does not make a read session unread. Pure; the same object if nothing changes.
 */
export function marksAfter(
  marks: SessionMarks,
  before: SessionsState,
  now: SessionsState,
  shownId: string | undefined,
): SessionMarks {
  const seen = new Map(marks.seen)
  for (const [sessionId, summary] of now.sessions) {
    const old = before.sessions.get(sessionId)
    const isShown = sessionId === shownId
    if (!isShown && (old === summary || !old)) continue
    const staysRead = old !== undefined && old.status === summary.status && !isUnread(marks, old)
    if ((isShown || staysRead) && isUnread(marks, summary)) seen.set(sessionId, summary.updatedAt)
  }
  return seen.size === marks.seen.size && [...seen].every(([id, at]) => marks.seen.get(id) === at)
    ? marks
    : bounded({ ...marks, seen })
}

/** Pins the session, or takes the pin off. */
export function togglePin(sessionId: string): void {
  const { pinned } = useSessionMarks.getState()
  const next = new Set(pinned)
  if (!next.delete(sessionId)) next.add(sessionId)
  saveMarks({ ...useSessionMarks.getState(), pinned: next })
}

/** Applies the new marks and stores them for the next start. */
function saveMarks(marks: SessionMarks): void {
  useSessionMarks.setState(marks)
  browserStorage.write(KEY, JSON.stringify({ since: marks.since, seen: [...marks.seen], pinned: [...marks.pinned] }))
}

/** Follows changes made in other tabs of this browser; returns the stop function. */
function followMarks(): () => void {
  window.addEventListener('storage', onStorageEvent)
  return () => window.removeEventListener('storage', onStorageEvent)
}

function onStorageEvent({ key, newValue }: StorageEvent): void {
  if (key === KEY && newValue !== null) useSessionMarks.setState(parseMarks(newValue, Date.now()))
}

/** Parses stored marks; anything malformed is ignored. */
export function parseMarks(text: string | undefined, now: number): SessionMarks {
  const fresh: SessionMarks = { since: now, seen: new Map(), pinned: new Set() }
  if (text === undefined) return fresh
  try {
    const value = JSON.parse(text) as { since?: unknown; seen?: unknown; pinned?: unknown }
    if (typeof value.since !== 'number' || !Array.isArray(value.seen) || !Array.isArray(value.pinned)) return fresh
    const seen = value.seen.filter(
      (one): one is [string, number] => Array.isArray(one) && typeof one[0] === 'string' && typeof one[1] === 'number',
    )
    return {
      since: value.since,
      seen: new Map(seen),
      pinned: new Set(value.pinned.filter((one) => typeof one === 'string')),
    }
  } catch {
    return fresh
  }
}

function bounded(marks: SessionMarks): SessionMarks {
  if (marks.seen.size <= MAX_SEEN) return marks
  const byAge = [...marks.seen].sort((a, b) => b[1] - a[1])
  const since = Math.max(marks.since, byAge[MAX_SEEN]?.[1] ?? 0)
  return { ...marks, since, seen: new Map(byAge.slice(0, MAX_SEEN)) }
}

/**
 * Keeps the marks in sync with what the user sees: a session on a page in front is read, one that ends elsewhere
 * becomes unread. Returns the stop function.
 */
export function markShownAsRead(): () => void {
  const lookNow = (): void => markShownNow(useSessions.getState(), useSessions.getState())
  // From the first visit on, a session that ends while no page is open is unread at the next visit.
  saveMarks(useSessionMarks.getState())
  const stops = [
    useSessions.subscribe(markShownNow),
    useLayout.subscribe(lookNow),
    usePanes.subscribe(lookNow),
    followMarks(),
  ]
  document.addEventListener('visibilitychange', lookNow)
  return () => {
    document.removeEventListener('visibilitychange', lookNow)
    for (const stop of stops) stop()
  }
}

function markShownNow(now: SessionsState, before: SessionsState): void {
  const shown = document.visibilityState === 'visible' ? shownSessions() : []
  const marks = useSessionMarks.getState()
  let next = marksAfter(marks, before, now, shown[0])
  for (const beside of shown.slice(1)) next = marksAfter(next, before, now, beside)
  if (next !== marks) saveMarks(next)
}
