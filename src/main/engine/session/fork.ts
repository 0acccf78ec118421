import { eventTypesOf } from '../../../shared/events/event-uses'
import { isMidCall } from '../../../shared/model/approval/approval'
import type { EventBody, RecordedEvent } from '../../../shared/events/event'
import type { AssistantPart } from '../../../shared/model/turn/message'
import type { Store } from '../store/store'

const WINDOW = 2000
/**
 * The events that make up a conversation. Queued prompts, permissions (except refusals), tasks and checkpoints stay
 * with the original session.
 */
const COPIED = eventTypesOf('fork')

/** The events that give a new session the same conversation, as it was right after the event `to`. */
export function forkedEvents(store: Pick<Store, 'window'>, sessionId: string, to: number): EventBody[] {
  const windows: RecordedEvent[][] = []
  let before = to + 1
  for (;;) {
    const { events, hasMore } = store.window(sessionId, { before, limit: WINDOW })
    windows.push(events)
    if (!hasMore || !events[0]) break
    before = events[0].seq
  }
  const events = windows.toReversed().flat()
  const questions = new Set(
    events.flatMap((event) =>
      event.type === 'approval.requested' && isMidCall(event.approval) ? [event.approval.approvalId] : [],
    ),
  )
  const copied = withoutCompacted(events)
    .filter((event) => COPIED.has(event.type) || (isRefusal(event) && !questions.has(event.approvalId)))
    // Compactions are not copied: the fork has the whole conversation, after its first request prefix.
    .filter(
      (event, index, all) =>
        event.type !== 'prefix.frozen' || all.findIndex(({ type }) => type === 'prefix.frozen') === index,
    )
    .map(({ sessionId: _session, seq: _seq, at: _at, ...body }): EventBody => withoutPromptId(body))
  const open = openTurn(copied)
  return open === undefined
    ? copied
    : [...copied, { type: 'turn.finished', turnId: open, stop: 'end_turn', steps: 0, durationMs: 0 }]
}

/**
 * Removes token counts and bound thinking from answers given while a compaction was active: they belong to that start
 * of the conversation, not to the whole one that the fork has.
 */
function withoutCompacted(events: readonly RecordedEvent[]): RecordedEvent[] {
  const active = new Set<string>()
  return events.map((event) => {
    if (event.type === 'compaction.finished') active.add(event.compactionId)
    else if (event.type === 'compaction.undone') active.delete(event.compactionId)
    if (event.type !== 'step.finished' || active.size === 0) return event
    const { usage: _other, ...rest } = event
    return { ...rest, parts: rest.parts.map(withoutSignature) }
  })
}

function withoutSignature(part: AssistantPart): AssistantPart {
  if (part.type !== 'thinking' || part.metadata?.['anthropic'] === undefined) return part
  const { metadata: _bound, ...rest } = part
  return rest
}

/**
 * Why a call was not run is part of the conversation; without it, the call looks like a failure. Grants are not copied.
 */
function isRefusal(event: RecordedEvent): event is RecordedEvent & { type: 'approval.resolved' } {
  return event.type === 'approval.resolved' && (event.outcome === 'reject_once' || event.outcome === 'cancelled')
}

/** A prompt id refers to the queue of the original session. */
function withoutPromptId(body: EventBody): EventBody {
  if ((body.type !== 'turn.started' && body.type !== 'turn.steered') || body.promptId === undefined) return body
  const { promptId: _there, ...rest } = body
  return rest
}

/** The turn whose end is not among the events, because the fork was made at a message sent while it ran. */
function openTurn(events: readonly EventBody[]): string | undefined {
  const last = events.findLast((event) => event.type === 'turn.started' || event.type === 'turn.finished')
  return last?.type === 'turn.started' ? last.turnId : undefined
}
