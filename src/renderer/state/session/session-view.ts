import { useEffect } from 'react'
import { useStore } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import type { TrestleClient } from '../../../shared/contract'
import { fileDiffs } from '../../../shared/model/approval/preview'
import type { SessionHeader } from '../../../shared/model/session/session'
import type { TranscriptItem } from '../../../shared/events/transcript-item'
import { subscribeSession } from '../../client/subscriptions'
import { SessionStore, type SessionState } from './session-store'
import { onDrawingTurn, onFrame } from '../page/drawing-turns'
import { useClient } from '../page/queries'
import type { RecordedEvent } from '../../../shared/events/event'
import { useLayout } from '../page/layout-state'

/** Maximum number of sessions kept in memory after leaving them, so that going back to one is instant. */
const KEPT = 6

const stores = new WeakMap<TrestleClient, Map<string, SessionStore>>()

/** The store of a session in this window, created on first use. */
export function sessionStore(client: TrestleClient, sessionId: string): SessionStore {
  let known = stores.get(client)
  if (!known) stores.set(client, (known = new Map()))
  const kept = known.get(sessionId)
  if (kept) {
    known.delete(sessionId)
    known.set(sessionId, kept)
    return kept
  }
  const fresh = new SessionStore(sessionId, {
    client,
    subscribe: (id, since, onPush, onFailure) => subscribeSession(client, id, since, onPush, { onFailure }),
    onFrame: onDrawingTurn,
    now: () => Date.now(),
  })
  known.set(sessionId, fresh)
  for (const [id, store] of known) {
    if (known.size <= KEPT) break
    if (!store.followed && id !== sessionId) known.delete(id)
  }
  return fresh
}

/** Follows a session while the component is mounted; returns its store. */
export function useSessionStore(sessionId: string): SessionStore {
  const client = useClient()
  const store = sessionStore(client, sessionId)
  useEffect(() => store.follow(), [store])
  return store
}

/** A part of a session's state; re-renders only when that part changes. */
export function useSessionState<Part>(sessionId: string, select: (state: SessionState) => Part): Part {
  return useStore(useSessionStore(sessionId).store, useShallow(select))
}

/** The session's header, or undefined until it has been read. */
export function useSessionHeader(sessionId: string): SessionHeader | undefined {
  return useStore(useSessionStore(sessionId).store, (state) => state.view?.header)
}

/** A file change that a tool of this session made. */
export interface SessionChange {
  path: string
  added: number
  removed: number
  callId: string
  diff: string
}

const changesOf = new WeakMap<readonly TranscriptItem[], SessionChange[]>()
const changesOfItem = new WeakMap<TranscriptItem, SessionChange[]>()

/** The file changes among the items that are loaded, oldest first. */
export function useSessionChanges(sessionId: string): SessionChange[] {
  return useStore(
    useSessionStore(sessionId).store,
    useShallow((state) => (state.view ? sessionChanges(state.view.items) : [])),
  )
}

function sessionChanges(items: readonly TranscriptItem[]): SessionChange[] {
  const known = changesOf.get(items)
  if (known) return known
  const changes: SessionChange[] = []
  for (const item of items) {
    if (item.kind !== 'tool' || item.state !== 'done') continue
    let made = changesOfItem.get(item)
    if (!made) {
      made = fileDiffs(item.details).map(({ path, added, removed, diff }) => ({
        path,
        added,
        removed,
        callId: item.callId,
        diff,
      }))
      changesOfItem.set(item, made)
    }
    changes.push(...made)
  }
  changesOf.set(items, changes)
  return changes
}

/** Scrolls the transcript of a session on screen. Each method returns whether the row is loaded. */
export interface TranscriptMover {
  /** Scrolls to a call and opens it. */
  toCall(callId: string): boolean
  /** Scrolls to a row and highlights it for a moment. */
  toItem(itemId: string): boolean
  /** Jumps to the end and follows it. */
  toEnd(): void
}

const transcripts = new Map<string, TranscriptMover>()

/** Registers the scroller of a session's transcript; returns the unregister function. */
export function registerTranscript(sessionId: string, mover: TranscriptMover): () => void {
  transcripts.set(sessionId, mover)
  return () => {
    if (transcripts.get(sessionId) === mover) transcripts.delete(sessionId)
  }
}

/** The scroller of a session's transcript, if it is on screen. */
export function transcriptOf(sessionId: string): TranscriptMover | undefined {
  return transcripts.get(sessionId)
}

/**
 * Scrolls to a call in the transcript on screen and opens it. False when that session is not on screen or the call is
 * not loaded.
 */
export function jumpToCall(sessionId: string, callId: string): boolean {
  return transcripts.get(sessionId)?.toCall(callId) ?? false
}

/** Maximum number of frames to wait for the transcript to render the loaded items. */
const MAX_FRAMES = 120

/**
 * Scrolls to the message of an event in the session that is being opened: loads older messages until it is found. Gives
 * up when the user navigates elsewhere.
 */
export async function goToMessage(client: TrestleClient, sessionId: string, seq: number): Promise<void> {
  const { events } = await client.session.window({ sessionId, before: seq + 1, limit: 1 })
  // A window starts at a step or turn, which is before the event.
  const event = events.findLast((one) => one.seq === seq)
  const itemId = event && itemOf(event)
  if (itemId !== undefined) await goToRow(client, sessionId, { seq, itemId })
}

/** Like `goToMessage`, for a row and the `seq` of one of its events. */
export async function goToRow(
  client: TrestleClient,
  sessionId: string,
  { seq, itemId }: { seq: number; itemId: string },
): Promise<void> {
  const { store } = sessionStore(client, sessionId)
  const isHere = (): boolean => {
    const { view } = useLayout.getState()
    return view.kind === 'session' && view.sessionId === sessionId
  }
  for (let frames = 0; frames < MAX_FRAMES && isHere();) {
    const { status, view } = store.getState()
    if (status === 'failed') return
    if (view && view.firstSeq > seq && view.hasMore) {
      if (!(await loadOlder(client, sessionId))) return
    } else if (view && transcriptOf(sessionId)?.toItem(itemId)) return
    else frames += 1
    await nextFrame()
  }
}

/** Loads the next older window; false when that failed. */
async function loadOlder(client: TrestleClient, sessionId: string): Promise<boolean> {
  const known = sessionStore(client, sessionId)
  const { firstSeq } = known.store.getState().view ?? {}
  await known.loadOlder()
  // Folded in at the next frame.
  for (let frames = 0; frames < MAX_FRAMES; frames += 1) {
    const { view, loadingOlder } = known.store.getState()
    if (view?.firstSeq !== firstSeq) return true
    if (!loadingOlder) return false
    await nextFrame()
  }
  return false
}

/** The row of an event in the search index. */
function itemOf(event: RecordedEvent): string | undefined {
  switch (event.type) {
    case 'turn.started':
    case 'turn.steered':
      return `u${event.seq}`
    case 'step.finished':
      return `s:${event.stepId}`
    default:
      return undefined
  }
}

function nextFrame(): Promise<void> {
  return new Promise((resolve) => {
    onFrame(resolve)
  })
}
