import type { EventBody, RecordedEvent } from '../../../shared/model/event'
import type { Store } from './store'

const INTERRUPTED = 'Interrupted: Trestle was closed while this ran. Check what it had done before doing it again.'

/** What has to be recorded to close a turn that a dead process left open, so that the session can go on. Empty when nothing is open. */
export function closingEvents(store: Store, sessionId: string): EventBody[] {
  const turnId = store.header(sessionId)?.turnId
  if (turnId === undefined) return []
  const events = eventsOfTurn(store, sessionId, turnId)
  const steps = new Map<string, EventBody>()
  const calls = new Map<string, EventBody>()
  const approvals = new Map<string, EventBody>()
  let stepCount = 0
  for (const event of events) {
    switch (event.type) {
      case 'step.started':
        stepCount += 1
        steps.set(event.stepId, {
          type: 'step.finished',
          turnId,
          stepId: event.stepId,
          parts: [],
          finish: 'other',
          partial: true,
          durationMs: 0,
        })
        break
      case 'step.finished':
        steps.delete(event.stepId)
        break
      case 'tool.started':
        calls.set(event.callId, {
          type: 'tool.finished',
          turnId,
          callId: event.callId,
          name: event.name,
          content: [{ type: 'text', text: INTERRUPTED }],
          isError: true,
          durationMs: 0,
        })
        break
      case 'tool.finished':
        calls.delete(event.callId)
        break
      case 'approval.requested':
        approvals.set(event.approval.approvalId, {
          type: 'approval.resolved',
          approvalId: event.approval.approvalId,
          callId: event.approval.callId,
          outcome: 'cancelled',
          reason: 'Trestle was closed before it was answered.',
        })
        break
      case 'approval.resolved':
        approvals.delete(event.approvalId)
        break
      default:
    }
  }
  const startedAt = events[0]?.at ?? 0
  const lastAt = events.at(-1)?.at ?? startedAt
  return [
    ...steps.values(),
    ...approvals.values(),
    ...calls.values(),
    { type: 'turn.finished', turnId, stop: 'interrupted', steps: stepCount, durationMs: lastAt - startedAt },
  ]
}

function eventsOfTurn(store: Store, sessionId: string, turnId: string): RecordedEvent[] {
  let collected: RecordedEvent[] = []
  let before: number | undefined
  for (;;) {
    const { events, hasMore } = store.window(sessionId, { limit: 1000, ...(before !== undefined && { before }) })
    collected = [...events, ...collected]
    const start = collected.findIndex((event) => event.type === 'turn.started' && event.turnId === turnId)
    if (start >= 0) return collected.slice(start)
    const first = events[0]
    if (!hasMore || !first) return collected
    before = first.seq
  }
}
