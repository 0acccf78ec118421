import { ignoreOthers } from '../../../../shared/events/event-uses'
import type { SessionUpdate } from '@agentclientprotocol/sdk'
import { visibleRanges } from '../../../../shared/model/session/checkpoint'
import type { RecordedEvent } from '../../../../shared/events/event'
import type { SessionHeader } from '../../../../shared/model/session/session'
import { isUserProvided, type UserPart } from '../../../../shared/model/turn/message'
import type { ClientPaths } from './client-paths'
import { taskNotificationText, planEntries, textBlock } from './update-queue'
import { callTitle, locationsOf, rawInput, resultContent, toolKind } from './tool-call'

type Started = RecordedEvent & { type: 'tool.started' }

/** Events read per request. */
const PAGE = 500

/** The events of the current conversation, oldest first, without those undone by a restore. */
export async function* conversation(
  header: Pick<SessionHeader, 'sessionId' | 'seq' | 'cuts'>,
  since: (sessionId: string, since: number, limit: number) => RecordedEvent[] | Promise<RecordedEvent[]>,
): AsyncGenerator<RecordedEvent> {
  for (const { from, to } of visibleRanges(header.cuts ?? [], header.seq).toReversed()) {
    let at = from - 1
    while (at < to) {
      const events = await since(header.sessionId, at, PAGE)
      if (events.length === 0) break
      for (const event of events) if (event.seq <= to) yield event
      at = events.at(-1)!.seq
    }
  }
}

/** A conversation as the updates a live client would have received, each stream as one piece. */
export async function* replay(events: AsyncIterable<RecordedEvent>, paths: ClientPaths): AsyncGenerator<SessionUpdate> {
  const open = new Map<string, Started>()
  for await (const event of events) {
    switch (event.type) {
      case 'turn.started':
        if (event.news) yield thoughtUpdate(`news-${event.seq}`, taskNotificationText(event.news))
        else yield* userMessageUpdates(event.parts, event.turnId)
        break
      case 'turn.steered':
        if (event.by === 'user') yield* userMessageUpdates(event.parts, `steered-${event.seq}`)
        else if (event.news) yield thoughtUpdate(`news-${event.seq}`, taskNotificationText(event.news))
        break
      case 'step.finished':
        for (const part of event.parts) {
          if (part.type === 'thinking' && part.text !== '') yield thoughtUpdate(`${event.stepId}-thought`, part.text)
          if (part.type === 'text' && part.text !== '')
            yield { sessionUpdate: 'agent_message_chunk', content: textBlock(part.text), messageId: event.stepId }
        }
        break
      case 'tool.started':
        open.set(event.callId, event)
        break
      case 'tool.finished': {
        const started = open.get(event.callId)
        open.delete(event.callId)
        if (started) yield finishedCall(started, event, paths)
        break
      }
      case 'todos.changed':
        yield { sessionUpdate: 'plan', entries: planEntries(event.todos) }
        break
      default:
        ignoreOthers<'acpReplay'>(event)
    }
  }
  for (const { callId, name, summary, input } of open.values())
    yield {
      sessionUpdate: 'tool_call',
      toolCallId: callId,
      title: callTitle(name, summary),
      name,
      kind: toolKind(name),
      status: 'pending',
      rawInput: rawInput(input),
    }
}

function finishedCall(
  started: Started,
  event: RecordedEvent & { type: 'tool.finished' },
  paths: ClientPaths,
): SessionUpdate {
  const { callId, name, summary, input } = started
  const parsed = rawInput(input)
  return {
    sessionUpdate: 'tool_call',
    toolCallId: callId,
    title: callTitle(name, summary),
    name,
    kind: toolKind(name),
    status: event.isError ? 'failed' : 'completed',
    content: resultContent(event.content, event.details, paths.shown),
    locations: locationsOf({ name, input: parsed }, event.details, paths.absolute, paths.shown),
    rawInput: parsed,
    rawOutput: { durationMs: event.durationMs },
  }
}

function thoughtUpdate(messageId: string, text: string): SessionUpdate {
  return { sessionUpdate: 'agent_thought_chunk', content: textBlock(text), messageId }
}

function* userMessageUpdates(parts: readonly UserPart[], messageId: string): Generator<SessionUpdate> {
  for (const part of parts.filter(isUserProvided)) {
    if (part.type === 'text') yield { sessionUpdate: 'user_message_chunk', content: textBlock(part.text), messageId }
    if (part.type === 'media' && part.mediaType.startsWith('image/'))
      yield {
        sessionUpdate: 'user_message_chunk',
        content: { type: 'image', data: part.data, mimeType: part.mediaType },
        messageId,
      }
  }
}
