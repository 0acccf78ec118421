import { ignoreOthers } from '../../../shared/events/event-uses'
import { isAgentId } from '../../../shared/model/session/agent'
import { isMidCall, type Approval } from '../../../shared/model/approval/approval'
import { type Failure, CodedError } from '../../../shared/errors'
import type { EventBody, RecordedEvent } from '../../../shared/events/event'
import type { StopReason, SessionHeader } from '../../../shared/model/session/session'
import { GUARDED_STEPS, type GuardedStep } from '../loop/guards'
import type { OpenTurn } from '../loop/turn-context'
import { failed } from '../tool/tool'
import type { Store } from '../store/store'

const INTERRUPTED = 'Interrupted: Trestle was closed while this ran. Check what it had done before doing it again.'
const CLOSED = 'Trestle was closed before it was answered.'
const CLOSED_WITHOUT_USER = 'Trestle was closed before it was answered, and no UI is attached to ask again.'

/** A turn whose end is not in the log. */
export interface UnfinishedTurn extends OpenTurn {
  /** The step that was being answered, if one was. */
  answering?: { stepId: string; checkpoint?: number }
  /** Whether its last step answered without a call: only its end is missing. */
  isAnswered: boolean
  /** Calls without a result, and whether they had started to run. */
  unfinished: UnfinishedCall[]
  /** When the latest of its events was recorded. */
  lastAt: number
}

interface UnfinishedCall {
  callId: string
  name: string
  hasStarted: boolean
}

/** The open turn as recorded in the log; undefined when no turn is open. */
export function unfinishedTurn(store: Pick<Store, 'header' | 'window'>, sessionId: string): UnfinishedTurn | undefined {
  const header = store.header(sessionId)
  if (header?.turnId === undefined) return undefined
  const events = eventsOfTurn(store, sessionId, header.turnId)
  const startedAt = events[0]?.at ?? 0
  const turn: UnfinishedTurn & { past: OpenTurn['past'][number][] } = {
    turnId: header.turnId,
    startedAt,
    lastAt: events.at(-1)?.at ?? startedAt,
    steps: 0,
    stepId: '',
    calls: [],
    results: new Map(),
    approvals: header.approvals,
    past: [],
    known: new Set(),
    isAnswered: false,
    unfinished: [],
  }
  const results = new Map<string, Extract<RecordedEvent, { type: 'tool.finished' }>>()
  const started = new Map<string, UnfinishedCall>()
  const known = new Set<string>()
  for (const event of events) {
    turn.isAnswered = false
    switch (event.type) {
      case 'step.started':
        turn.steps += 1
        turn.answering = {
          stepId: event.stepId,
          ...(event.checkpoint !== undefined && { checkpoint: event.checkpoint }),
        }
        break
      case 'step.finished': {
        delete turn.answering
        if (event.partial) {
          // Its answer broke off, so the step before it is the last one.
          turn.steps -= 1
          turn.isCutOff = true
          break
        }
        turn.isAnswered = event.finish === 'stop'
        if (turn.calls.length > 0) turn.past.push(pastStep(turn.calls, results))
        turn.stepId = event.stepId
        turn.calls = event.parts.filter((part) => part.type === 'tool_call')
        if (turn.calls.length > 0) turn.isAnswered = false
        break
      }
      case 'tool.started':
        known.add(event.callId)
        started.set(event.callId, { callId: event.callId, name: event.name, hasStarted: false })
        break
      case 'tool.judged':
        if (event.decision === 'allow') markStarted(started, event.callId)
        break
      case 'approval.resolved':
        // A call that asked the user has not started when it is answered: it asks again.
        if (event.chosen === undefined && (event.outcome === 'allow_once' || event.outcome === 'allow_always'))
          markStarted(started, event.callId)
        break
      case 'tool.finished':
        started.delete(event.callId)
        results.set(event.callId, event)
        break
      default:
        ignoreOthers<'openTurn'>(event)
    }
  }
  turn.past = turn.past.slice(-GUARDED_STEPS)
  turn.known = known
  turn.unfinished = [...started.values()]
  turn.results = new Map(
    turn.calls.flatMap(({ callId }) => {
      const found = results.get(callId)
      return found
        ? [
            [
              callId,
              { content: found.content, isError: found.isError, ...(found.details && { details: found.details }) },
            ],
          ]
        : []
    }),
  )
  return turn
}

/**
 * What happens to a turn that a dead process left open. It stays open when it waits for the user and a UI can ask, or
 * when this process continues it (`keeps`); any other turn ends.
 */
export function recoverTurn(
  turn: UnfinishedTurn,
  sessionId: string,
  { interactive, keeps }: { interactive: boolean; keeps: boolean },
): { open?: OpenTurn; events: EventBody[] } {
  // Requests of a subagent end with the process that ran it, like the subagent.
  const isAgent = isAgentId(sessionId)
  const stays = interactive && !isAgent
  if (stays && !turn.approvals.every(isMidCall)) return reopenTurn(turn)
  if (stays && keeps && !turn.isAnswered) return continuedTurn(turn)
  const stop = stays && keeps ? 'end_turn' : 'interrupted'
  return { events: closingEvents(turn, { stop, why: isAgent || interactive ? CLOSED : CLOSED_WITHOUT_USER }) }
}

/**
 * Keeps a turn open that waits for the user: calls that were running when the process died are recorded as interrupted,
 * pending requests stay pending.
 */
function reopenTurn(turn: UnfinishedTurn): { open: OpenTurn; events: EventBody[] } {
  const midCall = turn.approvals.filter(isMidCall)
  const pending = turn.approvals.filter((approval) => !isMidCall(approval))
  const interrupted = turn.unfinished.filter(({ hasStarted }) => hasStarted)
  const results = new Map(turn.results)
  for (const { callId } of interrupted) results.set(callId, failed(INTERRUPTED))
  return {
    open: { ...turn, approvals: pending, results },
    events: [
      ...midCall.map((approval) => cancelled(approval, CLOSED)),
      ...interrupted.map((call) => finished(turn, call, INTERRUPTED)),
    ],
  }
}

/**
 * Continues a turn whose process died or left it: a step that was being answered is requested again, calls that were
 * running are recorded as interrupted, and those that had not started are run.
 */
function continuedTurn(turn: UnfinishedTurn): { open: OpenTurn; events: EventBody[] } {
  const { answering, turnId } = turn
  const { open, events } = reopenTurn(turn)
  const isAfterStep = answering !== undefined || turn.calls.every(({ callId }) => open.results.has(callId))
  const cut: EventBody[] =
    answering === undefined
      ? []
      : [{ type: 'step.finished', turnId, ...answering, parts: [], finish: 'other', partial: true, durationMs: 0 }]
  return {
    events: [...cut, ...events],
    open: {
      ...open,
      steps: answering === undefined ? open.steps : open.steps - 1,
      ...(isAfterStep && {
        calls: [],
        past: turn.calls.length === 0 ? open.past : [...open.past, stepOf(turn.calls, open.results)],
      }),
    },
  }
}

function stepOf(calls: OpenTurn['calls'], results: OpenTurn['results']): GuardedStep {
  return {
    calls,
    results: calls.flatMap(({ callId, name }) => {
      const result = results.get(callId)
      return result
        ? [{ role: 'tool' as const, callId, name, isError: result.isError ?? false, content: result.content }]
        : []
    }),
    longestMs: 0,
  }
}

/**
 * The events that end the turn. `why` is the reason, as a sentence, for the requests and calls that are cancelled with
 * it.
 */
export function closingEvents(
  turn: UnfinishedTurn,
  end: { stop: StopReason; why: string; failure?: Failure },
): EventBody[] {
  const { turnId, answering, steps, startedAt, lastAt } = turn
  const step: EventBody[] =
    answering === undefined
      ? []
      : [{ type: 'step.finished', turnId, ...answering, parts: [], finish: 'other', partial: true, durationMs: 0 }]
  return [
    ...step,
    ...turn.approvals.map((approval) => cancelled(approval, end.why)),
    ...turn.unfinished.map((call) => finished(turn, call, call.hasStarted ? INTERRUPTED : `Not run: ${end.why}`)),
    {
      type: 'turn.finished',
      turnId,
      stop: end.stop,
      steps,
      durationMs: Math.max(0, lastAt - startedAt),
      ...(end.failure && { failure: end.failure }),
    },
  ]
}

function cancelled({ approvalId, callId }: Approval, reason: string): EventBody {
  return { type: 'approval.resolved', approvalId, callId, outcome: 'cancelled', reason }
}

function finished({ turnId }: OpenTurn, { callId, name }: { callId: string; name: string }, text: string): EventBody {
  return { type: 'tool.finished', turnId, callId, name, ...failed(text), isError: true, durationMs: 0 }
}

function markStarted(started: Map<string, UnfinishedCall>, callId: string): void {
  const call = started.get(callId)
  if (call) call.hasStarted = true
}

function pastStep(
  calls: OpenTurn['calls'],
  finishedCalls: ReadonlyMap<string, Extract<RecordedEvent, { type: 'tool.finished' }>>,
): GuardedStep {
  const ends = calls.flatMap(({ callId }) => finishedCalls.get(callId) ?? [])
  return {
    calls,
    results: ends.map(({ callId, name, isError, content }) => ({ role: 'tool', callId, name, isError, content })),
    longestMs: Math.max(0, ...ends.map(({ durationMs }) => durationMs)),
  }
}

function eventsOfTurn(store: Pick<Store, 'window'>, sessionId: string, turnId: string): RecordedEvent[] {
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

/** Cancels a compaction that a dead process left open: the conversation stays as it was. */
export function endOpenCompaction(header: SessionHeader | undefined): EventBody[] {
  if (!header?.compacting) return []
  const turn = header.turnId === undefined ? {} : { turnId: header.turnId }
  return [{ type: 'compaction.failed', compactionId: header.compacting.compactionId, ...turn, why: 'interrupted' }]
}

/** The event that undoes the latest compaction; throws `compaction.gone` when `compactionId` is not the latest. */
export function undoCompactionEvent(
  store: Pick<Store, 'since'>,
  { sessionId, compacted }: SessionHeader,
  compactionId: string,
): EventBody {
  const event = compacted?.compactionId === compactionId ? store.since(sessionId, compacted.seq - 1, 1)[0] : undefined
  if (event?.type !== 'compaction.finished')
    throw new CodedError('compaction.gone', 'It was undone, or a later one builds on it.')
  return {
    type: 'compaction.undone',
    compactionId,
    tokens: event.before,
    ...(event.earlier && { earlier: event.earlier }),
  }
}
