import { isRecorded, type LiveEvent, type RecordedEvent, type SessionEvent } from './event'
import { applyHeader } from './fold-header'
import type { SessionHeader } from '../model/session/session'
import { TranscriptDraft } from './transcript-fold'
import type { TranscriptItem } from './transcript-item'

/** What the screen shows of one session: a fold of its events. Plain data; unchanged items keep their identity. */
export interface SessionView {
  header: SessionHeader
  /** Oldest first. */
  items: readonly TranscriptItem[]
  /** There are events older than those folded in. */
  hasMore: boolean
  /** `seq` of the oldest event folded in; events before it can be prepended. */
  firstSeq: number
  /** Live events that wait for the recorded ones before them (see restartedView). */
  awaited?: { seq: number; live: readonly LiveEvent[] }
}

/**
 * The view of a session from its header, its latest window of events (which ends at `header.seq`), and what is being
 * streamed.
 */
export function initialView(
  header: SessionHeader,
  events: readonly RecordedEvent[],
  hasMore: boolean,
  live: readonly LiveEvent[] = [],
): SessionView {
  const draft = new TranscriptDraft([])
  for (const event of events) draft.recorded(event)
  for (const event of live) draft.live(event)
  return { header, items: draft.items, hasMore, firstSeq: events[0]?.seq ?? header.seq + 1 }
}

/** Folds in one event. Pure. */
export function applyEvent(view: SessionView, event: SessionEvent): SessionView {
  return applyEvents(view, [event])
}

/**
 * Folds in a batch; the array of items is copied at most once. Ignores recorded events the view already has, and live
 * events that do not match what is recorded.
 */
export function applyEvents(view: SessionView, events: readonly SessionEvent[]): SessionView {
  const draft = new TranscriptDraft(view.items)
  let { header, awaited } = view
  for (const event of events) {
    if (isRecorded(event)) {
      if (event.seq <= header.seq) continue
      header = applyHeader(header, event)
      draft.recorded(event)
      if (awaited && header.seq >= awaited.seq) {
        for (const waiting of awaited.live) draft.live(waiting)
        awaited = undefined
      }
    } else if (awaited) {
      awaited = { seq: awaited.seq, live: [...awaited.live, event] }
    } else {
      draft.live(event)
    }
  }
  if (header === view.header && draft.items === view.items && awaited === view.awaited) return view
  return { header, items: draft.items, hasMore: view.hasMore, firstSeq: view.firstSeq, ...(awaited && { awaited }) }
}

/**
 * A new subscription has started at `seq`: what was streamed so far is sent again from its start. It belongs after the
 * recorded events up to `seq`, which may not have arrived yet.
 */
export function restartedView(view: SessionView, seq: number, live: readonly LiveEvent[]): SessionView {
  const draft = new TranscriptDraft(view.items)
  draft.forgetLive()
  const { awaited: _old, ...rest } = view
  if (view.header.seq < seq) return { ...rest, items: draft.items, awaited: { seq, live } }
  for (const event of live) draft.live(event)
  return { ...rest, items: draft.items }
}

/** Prepends an older window, which ends right before the view's first event. */
export function prependWindow(view: SessionView, events: readonly RecordedEvent[], hasMore: boolean): SessionView {
  const older = events.filter((event) => event.seq < view.firstSeq)
  const draft = new TranscriptDraft([])
  for (const event of older) draft.recorded(event)
  return { ...view, items: [...draft.items, ...view.items], hasMore, firstSeq: older[0]?.seq ?? view.firstSeq }
}

/** Whether an event leaves a gap after the view's last event: then the view must catch up from the log. */
export function leavesGap(view: SessionView, event: RecordedEvent): boolean {
  return event.seq > view.header.seq + 1
}
