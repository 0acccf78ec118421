import { create } from 'zustand'
import type { SessionSummary } from '../../../shared/model/session'
import { type SessionsState, useSessions } from './sessions-state'
import { browserStorage } from '../page/browser-storage'
import { useLayout } from '../page/layout-state'

/** What the user of this browser has seen of the sessions, and which of them are kept at the top. Choices about the view, so they are kept with it. */
export interface SessionMarks {
  /** Whatever ended before (ms) counts as seen: a new browser begins without a hundred unread marks. */
  since: number
  /** When each session that was looked at last changed as it was seen (ms). */
  seen: ReadonlyMap<string, number>
  pinned: ReadonlySet<string>
}

const KEY = 'trestle.sessionMarks'
/** More are not kept; the oldest go first, and count as seen with everything as old. */
const MAX_SEEN = 500

/** The marks of this browser. */
export const useSessionMarks = create<SessionMarks>()(() => parseMarks(browserStorage.read(KEY), Date.now()))

/** Whether the session ended since the user last saw it. */
export function isUnread(marks: SessionMarks, { sessionId, status, updatedAt }: SessionSummary): boolean {
  const hasEnded = status === 'done' || status === 'failed' || status === 'interrupted'
  return hasEnded && updatedAt > Math.max(marks.since, marks.seen.get(sessionId) ?? 0)
}

/**
 * The marks after the sessions have changed. `shownId`: what is in front of the user. A change that is no work (a new title, the archive) leaves a session that
 * was read as it is. Pure; the same object if nothing changes.
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

/** Takes the new marks in and keeps them for the next start. */
function saveMarks(marks: SessionMarks): void {
  useSessionMarks.setState(marks)
  browserStorage.write(KEY, JSON.stringify({ since: marks.since, seen: [...marks.seen], pinned: [...marks.pinned] }))
}

/** Follows what other tabs of this browser mark; returns how to stop. */
function followMarks(): () => void {
  window.addEventListener('storage', onStorageEvent)
  return () => window.removeEventListener('storage', onStorageEvent)
}

function onStorageEvent({ key, newValue }: StorageEvent): void {
  if (key === KEY && newValue !== null) useSessionMarks.setState(parseMarks(newValue, Date.now()))
}

/** Marks as they were written; whatever is not what we wrote counts as not there. */
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

/** Keeps the marks true to what the user sees: a session on a page in front is read, one that ends elsewhere becomes unread. Returns how to stop. */
export function markShownAsRead(): () => void {
  const lookNow = (): void => markShownNow(useSessions.getState(), useSessions.getState())
  // From the first visit on: what ends while no page is open is unread at the next.
  saveMarks(useSessionMarks.getState())
  const stops = [useSessions.subscribe(markShownNow), useLayout.subscribe(lookNow), followMarks()]
  document.addEventListener('visibilitychange', lookNow)
  return () => {
    document.removeEventListener('visibilitychange', lookNow)
    for (const stop of stops) stop()
  }
}

function markShownNow(now: SessionsState, before: SessionsState): void {
  const { view } = useLayout.getState()
  const shown = view.kind === 'session' && document.visibilityState === 'visible' ? view.sessionId : undefined
  const marks = useSessionMarks.getState()
  const next = marksAfter(marks, before, now, shown)
  if (next !== marks) saveMarks(next)
}
