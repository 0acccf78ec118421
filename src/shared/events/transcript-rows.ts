import { isMidCall } from '../model/approval/approval'
import type { RecordedEvent } from './event'
import type { CallQuestionItem, ToolItem, CompactionItem, RestoredItem } from './transcript-item'

/** The recorded events that the row of a call is folded from. */
export type CallEvent = Extract<
  RecordedEvent,
  { type: 'tool.started' | 'tool.judged' | 'tool.finished' | 'approval.requested' | 'approval.resolved' }
>

/** A call of which only the name is known. */
export function newCallRow(of: { turnId: string; stepId: string }, callId: string, name: string): ToolItem {
  return {
    kind: 'tool',
    id: `t:${callId}`,
    turnId: of.turnId,
    stepId: of.stepId,
    callId,
    at: 0,
    name,
    state: 'ready',
    summary: '',
    input: '',
    chars: 0,
    progress: '',
  }
}

/**
 * A call after one more of its events. All calls of a step start together, and then each waits: for another call, for
 * hooks, for the user. Only an event that allows it to run makes it `running`.
 */
export function applyCallEvent(item: ToolItem, event: CallEvent): ToolItem {
  switch (event.type) {
    case 'tool.started':
      return {
        ...item,
        at: event.at,
        state: 'ready',
        summary: event.summary,
        input: event.input,
        chars: event.input.length,
        ...(event.preview && { preview: event.preview }),
      }
    case 'tool.judged': {
      const { decision, reason, rule, sandbox } = event
      const judged = { decision, reason, ...(sandbox && { sandbox }), ...(rule && { rule }) }
      return {
        ...item,
        judged,
        ...(decision === 'allow' && item.state === 'ready' && { state: 'running', at: event.at }),
      }
    }
    case 'approval.requested':
      return asked(item, event)
    case 'approval.resolved':
      return answered(item, event)
    default:
      return finished(item, event)
  }
}

function asked(item: ToolItem, { approval, at }: CallEvent & { type: 'approval.requested' }): ToolItem {
  const { approvalId, preview, summary } = approval
  if (isMidCall(approval)) {
    const question: CallQuestionItem = { approvalId, ...(preview && { preview }) }
    return { ...item, questions: [...(item.questions ?? []), question] }
  }
  if (item.content) return item
  return {
    ...item,
    state: 'waiting',
    at,
    approval: { approvalId },
    summary: item.summary || summary,
    ...(preview && { preview }),
  }
}

function answered(item: ToolItem, event: CallEvent & { type: 'approval.resolved' }): ToolItem {
  const { approvalId, outcome, chosen, values, reason, feedback } = event
  const why = reason !== undefined && { reason }
  if (item.questions?.some((one) => one.approvalId === approvalId)) {
    const end = { outcome, ...(chosen !== undefined && { chosen }), ...(values && { values }), ...why }
    return {
      ...item,
      questions: item.questions.map((one) => (one.approvalId === approvalId ? { ...one, ...end } : one)),
    }
  }
  const approval = { approvalId, outcome, ...(feedback !== undefined && { feedback }), ...why }
  const allowed = outcome === 'allow_once' || outcome === 'allow_always'
  return {
    ...item,
    approval,
    ...(item.state === 'waiting' && { state: allowed ? 'running' : 'rejected', at: event.at }),
  }
}

function finished(item: ToolItem, event: CallEvent & { type: 'tool.finished' }): ToolItem {
  const rejected = event.isError && (item.approval?.outcome === 'reject_once' || item.approval?.outcome === 'cancelled')
  return {
    ...item,
    state: rejected ? 'rejected' : event.isError ? 'failed' : 'done',
    at: event.at,
    progress: '',
    content: event.content,
    durationMs: event.durationMs,
    ...(event.details && { details: event.details }),
  }
}

type CompactionEvent<Type extends string> = Extract<RecordedEvent, { type: `compaction.${Type}` }>

/** The first row of a compaction; undoing one has a separate row. */
export function compactionRow(event: CompactionEvent<'started' | 'undone'>): CompactionItem {
  const { compactionId, at } = event
  if (event.type === 'compaction.undone')
    return { kind: 'compaction', id: `k${event.seq}`, turnId: '', at, compactionId, state: 'undone' }
  const { reason, instruction, learnedWindow, turnId = '' } = event
  return {
    kind: 'compaction',
    id: `k:${compactionId}`,
    turnId,
    at,
    compactionId,
    state: 'running',
    reason,
    ...(instruction !== undefined && { instruction }),
    ...(learnedWindow !== undefined && { learnedWindow }),
  }
}

/** The row of a running compaction after one of its events. */
export function applyCompactionEvent(
  item: CompactionItem,
  event: CompactionEvent<'retried' | 'finished' | 'failed'>,
): CompactionItem {
  if (event.type === 'compaction.retried') {
    const { attempt, of, failure, delayMs } = event
    return { ...item, retry: { attempt: attempt + 1, of, failure, until: event.at + delayMs } }
  }
  const { retry: _over, ...rest } = item
  if (event.type === 'compaction.failed')
    return { ...rest, state: event.why, ...(event.failure && { failure: event.failure }) }
  const { kept, note, summary, files, dropped, before, after, durationMs } = event
  return { ...rest, state: 'done', result: { kept, note, summary, files, dropped, before, after, durationMs } }
}

/** The row that shows where a session was restored to. */
export function restoredRow(event: Extract<RecordedEvent, { type: 'checkpoint.restored' }>): RestoredItem {
  const { seq, at, count, kept, conversation, part, dMail, changes } = event
  return {
    kind: 'restored',
    id: `r${seq}`,
    turnId: '',
    at,
    seq,
    files: count,
    kept: kept.length,
    conversation: conversation !== undefined,
    ...(part && { part }),
    ...(part === 'edit' && { paths: changes.map((change) => change.path) }),
    ...(dMail && { dMail }),
  }
}

/** The message shown when another model has taken over. */
export function modelFallbackText({ from, to, failure }: Extract<RecordedEvent, { type: 'model.fell_back' }>): string {
  return (
    `${from} isn't responding (${failure.title.toLowerCase()}). ${to} continues this turn. ` +
    `The next turn asks ${from} again.`
  )
}
