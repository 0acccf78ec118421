import type { RecordedEvent } from '../../../shared/model/event'
import type { Message, ToolCallPart } from '../../../shared/model/message'

/** What a call without a result is answered with: wires refuse a call that has none. */
const NOT_RUN = 'This call was not run: the turn was stopped or interrupted before.'

/**
 * The conversation as the model is to see it, folded from recorded events in order. Every tool call gets exactly one
 * result, in call order; half-said answers come back as far as they are safe.
 */
export function historyOf(events: Iterable<RecordedEvent>): Message[] {
  const messages: Message[] = []
  let open: { calls: ToolCallPart[]; results: Map<string, Message> } = { calls: [], results: new Map() }
  const settle = (): void => {
    for (const call of open.calls) messages.push(open.results.get(call.callId) ?? notRun(call))
    open = { calls: [], results: new Map() }
  }
  for (const event of events) {
    switch (event.type) {
      case 'turn.started':
      case 'turn.steered':
        settle()
        messages.push({ role: 'user', parts: event.parts })
        break
      case 'step.finished': {
        settle()
        if (event.parts.length === 0) break
        messages.push({ role: 'assistant', parts: event.parts })
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

function notRun(call: ToolCallPart): Message {
  return { role: 'tool', callId: call.callId, name: call.name, isError: true, content: [{ type: 'text', text: NOT_RUN }] }
}

/** The latest part of a session's conversation, about `maxChars` long, beginning with a prompt. `backwards` is newest first and only read as far as needed. */
export function recentHistory(backwards: Iterable<RecordedEvent>, maxChars: number): Message[] {
  const events: RecordedEvent[] = []
  let chars = 0
  for (const event of backwards) {
    events.push(event)
    chars += JSON.stringify(event).length
    if (chars > maxChars && event.type === 'turn.started') break
  }
  return historyOf(events.toReversed())
}
