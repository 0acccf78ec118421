import { create } from 'zustand'
import type { TrestleClient } from '../../../shared/contract'
import {
  type SessionSummary,
  parseMarks,
  withMarks,
  type SessionMarksChange,
} from '../../../shared/model/session/session'
import { type SessionsState, useSessions } from './sessions-state'
import { browserStorage } from '../page/browser-storage'
import { useLayout } from '../page/layout-state'
import { showFailureToast } from '../page/toasts-state'
import { shownSessions, usePanes } from '../panes/panes-state'

/** Which sessions the user has read and pinned, from the engine, indexed for lookup. */
export interface ShownMarks {
  /** False until the engine has sent them; until then, no session is unread. */
  isLoaded: boolean
  since: number
  seen: ReadonlyMap<string, number>
  pinned: ReadonlySet<string>
}

/** Where earlier versions kept the marks in the browser. */
const OLD_KEY = 'trestle.sessionMarks'

export const NO_MARKS: ShownMarks = {
  isLoaded: false,
  since: Number.POSITIVE_INFINITY,
  seen: new Map(),
  pinned: new Set(),
}

export const useSessionMarks = create<ShownMarks>()(() => NO_MARKS)

/** Whether the session ended since the user last saw it. */
export function isUnread(marks: ShownMarks, { sessionId, status, updatedAt }: SessionSummary): boolean {
  const hasEnded = status === 'done' || status === 'failed' || status === 'interrupted'
  return hasEnded && updatedAt > Math.max(marks.since, marks.seen.get(sessionId) ?? 0)
}

/**
 * The sessions that count as read after the sessions have changed, with their last change. `shownId`: the session in
 * front of the user. A change that is not work (a new title, archiving) does not make a read session unread. Pure.
 */
export function readAfter(
  marks: ShownMarks,
  before: SessionsState,
  now: SessionsState,
  shownId: string | undefined,
): [sessionId: string, at: number][] {
  const read: [string, number][] = []
  for (const [sessionId, summary] of now.sessions) {
    const old = before.sessions.get(sessionId)
    const isShown = sessionId === shownId
    if (!isShown && (old === summary || !old)) continue
    const staysRead = old !== undefined && old.status === summary.status && !isUnread(marks, old)
    if ((isShown || staysRead) && isUnread(marks, summary)) read.push([sessionId, summary.updatedAt])
  }
  return read
}

/** Pins or unpins the session. */
export function togglePin(client: TrestleClient, sessionId: string): void {
  const isPinned = useSessionMarks.getState().pinned.has(sessionId)
  change(client, isPinned ? { unpin: [sessionId] } : { pin: [sessionId] })
}

/** Reads the marks from the engine. Marks that an earlier version kept in this browser are sent to it, once. */
export async function loadMarks(client: TrestleClient): Promise<void> {
  try {
    const old = browserStorage.read(OLD_KEY)
    if (old !== undefined) {
      const { seen, pinned } = parseMarks(old, 0)
      await client.session.mark({ seen, pin: pinned })
      browserStorage.write(OLD_KEY, undefined)
    }
    const { since, seen, pinned } = await client.session.marks()
    useSessionMarks.setState({ isLoaded: true, since, seen: new Map(seen), pinned: new Set(pinned) })
  } catch {
    // The connection is lost; the marks are read again after a reconnect.
  }
}

/** Applies a change immediately and sends it to the engine. */
function change(client: TrestleClient, wanted: SessionMarksChange): void {
  const { since, seen, pinned } = useSessionMarks.getState()
  const next = withMarks({ since, seen: [...seen], pinned: [...pinned] }, wanted)
  useSessionMarks.setState({ since: next.since, seen: new Map(next.seen), pinned: new Set(next.pinned) })
  client.session
    .mark({
      ...(wanted.seen && { seen: wanted.seen.map(([sessionId, at]) => [sessionId, at]) }),
      ...(wanted.pin && { pin: [...wanted.pin] }),
      ...(wanted.unpin && { unpin: [...wanted.unpin] }),
    })
    .catch((error: unknown) => {
      if (wanted.seen === undefined) showFailureToast(error)
      void loadMarks(client)
    })
}

/**
 * Keeps the marks in sync with what the user sees: a session on the page in front is read, one that ends elsewhere
 * becomes unread. Returns the stop function.
 */
export function markShownAsRead(client: TrestleClient): () => void {
  const follow = (now: SessionsState, before: SessionsState): void => {
    const marks = useSessionMarks.getState()
    if (!marks.isLoaded) return
    const shown = document.visibilityState === 'visible' ? shownSessions() : []
    const read = new Map([undefined, ...shown].flatMap((shownId) => readAfter(marks, before, now, shownId)))
    if (read.size > 0) change(client, { seen: [...read] })
  }
  const lookNow = (): void => follow(useSessions.getState(), useSessions.getState())
  const stops = [
    useSessions.subscribe(follow),
    useLayout.subscribe(lookNow),
    usePanes.subscribe(lookNow),
    useSessionMarks.subscribe((now, before) => {
      if (!before.isLoaded && now.isLoaded) lookNow()
    }),
  ]
  document.addEventListener('visibilitychange', lookNow)
  return () => {
    document.removeEventListener('visibilitychange', lookNow)
    for (const stop of stops) stop()
  }
}
