import type { CompactionResult } from '../../../shared/model/compaction'
import type { RecordedEvent } from '../../../shared/model/event'
import type { Message, ToolCallPart, ToolMessage } from '../../../shared/model/message'
import { markCheckpoint } from '../loop/checkpoint-mark'
import { dropThinking } from '../loop/dropped-thinking'

/** What a call without a result is answered with: wires refuse a call that has none. */
const NOT_RUN = 'This call was not run: the turn was stopped or interrupted before.'
/** What a prompt is preceded by when the turn before it had not come to an end of its own. */
const CUT_SHORT = {
  answer: 'Your last answer was interrupted before it was complete, by the user or by an error.',
  turn: 'The last turn was interrupted before it was finished, by the user or by an error.',
}

/**
 * The conversation as the model is to see it, folded from recorded events in order. Every tool call gets exactly one
 * result, in call order; half-said answers come back as far as they are safe. `marks`: the numbers of the checkpoints are told.
 */
export function historyOf(
  events: Iterable<RecordedEvent>,
  { marks = false }: { marks?: boolean } = {},
  before: readonly Message[] = [],
): Message[] {
  const messages: Message[] = [...before]
  let open: { calls: ToolCallPart[]; results: Map<string, ToolMessage> } = { calls: [], results: new Map() }
  /** Set while a turn has no answer that ends it. */
  let cutShort: keyof typeof CUT_SHORT | undefined
  const settle = (): void => {
    for (const call of open.calls) {
      const result = open.results.get(call.callId) ?? notRun(call)
      messages.push(call.sentAs ? { ...result, sentAs: call.sentAs.name } : result)
    }
    open = { calls: [], results: new Map() }
  }
  /** The model of the turn: in old logs an answer does not name its own. */
  let turnModel: string | undefined
  for (const event of events) {
    switch (event.type) {
      case 'turn.started':
      case 'turn.steered':
        settle()
        if (event.type === 'turn.started') {
          if (cutShort) messages.push({ role: 'user', parts: [{ type: 'text', text: CUT_SHORT[cutShort] }], by: 'guard' })
          cutShort = 'turn'
          turnModel = event.model
        }
        // Where a D-Mail arrives all is as it was, the mark included.
        if (marks && event.type === 'turn.steered' && event.checkpoint !== undefined) markCheckpoint(messages, event.checkpoint)
        messages.push({ role: 'user', parts: event.parts, ...byOf(event) })
        break
      case 'step.finished': {
        settle()
        if (marks && event.checkpoint !== undefined) markCheckpoint(messages, event.checkpoint)
        cutShort = event.partial ? 'answer' : event.parts.some((part) => part.type === 'tool_call') ? 'turn' : undefined
        if (event.thinkingDropped) dropThinking(messages)
        if (event.parts.length === 0) break
        const model = event.model ?? turnModel
        messages.push({ role: 'assistant', parts: event.parts, ...(model !== undefined && { model }) })
        open.calls = event.parts.filter((part) => part.type === 'tool_call')
        break
      }
      case 'tool.finished':
        open.results.set(event.callId, {
          role: 'tool',
          callId: event.callId,
          name: event.name,
          isError: event.isError,
          content: event.content,
        })
        break
      default:
    }
  }
  settle()
  return messages
}

function notRun(call: ToolCallPart): ToolMessage {
  return { role: 'tool', callId: call.callId, name: call.name, isError: true, content: [{ type: 'text', text: NOT_RUN }] }
}

/** Whose words a user message is, when they are not the user's. */
function byOf(event: Extract<RecordedEvent, { type: 'turn.started' | 'turn.steered' }>): { by?: 'guard' | 'task' | 'd-mail' } {
  if (event.news) return { by: 'task' }
  return event.type === 'turn.steered' && (event.by === 'guard' || event.by === 'd-mail') ? { by: event.by } : {}
}

/** What stands for everything before a compaction. */
export function compactedHistory({ kept, note }: Pick<CompactionResult, 'kept' | 'note'>): Message[] {
  return [
    ...kept.map((parts): Message => ({ role: 'user', parts })),
    { role: 'user', parts: [{ type: 'text', text: note }], by: 'compaction' },
  ]
}

/**
 * The latest part of a session's conversation, about `maxChars` long, beginning with a prompt; or, where it was compacted, from there on.
 * `backwards` is newest first and only read as far as needed.
 */
export function recentHistory(
  backwards: Iterable<RecordedEvent>,
  maxChars: number,
  compacted?: Extract<RecordedEvent, { type: 'compaction.finished' }>,
  options: { marks?: boolean } = {},
): Message[] {
  const events: RecordedEvent[] = []
  let chars = 0
  for (const event of backwards) {
    if (compacted && event.seq < compacted.seq) break
    events.push(event)
    if (compacted) continue
    chars += JSON.stringify(event).length
    if (chars > maxChars && event.type === 'turn.started') break
  }
  return historyOf(events.toReversed(), options, compacted ? compactedHistory(compacted) : [])
}
