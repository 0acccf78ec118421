import { noticeText } from '../../../shared/events/notice-text'
import type { RecordedEvent } from '../../../shared/events/event'
import { isUserProvided, textOf } from '../../../shared/model/message'
import type { FoundPart } from '../../../shared/model/conversation'

/** A searchable text of a conversation, and the row that shows it. */
export interface ConversationText {
  seq: number
  /** As in `TranscriptItem`. */
  itemId: string
  part: FoundPart
  text: string
}

/** A longer result is searched only up to here: it is cut on screen, too. */
const MAX_TEXT_CHARS = 256 * 1024

/** The texts of an event that a reader of the conversation can see, or open. */
export function conversationTexts(event: RecordedEvent): ConversationText[] {
  const { seq } = event
  const one = (itemId: string, part: FoundPart, text: string): ConversationText[] =>
    text === '' ? [] : [{ seq, itemId, part, text: text.slice(0, MAX_TEXT_CHARS) }]
  switch (event.type) {
    case 'turn.started':
      return event.news
        ? one(`w${seq}`, 'message', textOf(event.parts))
        : one(`u${seq}`, 'message', textOf(event.parts.filter(isUserProvided)))
    case 'turn.steered':
      if (event.by === 'd-mail') return []
      if (event.news) return one(`w${seq}`, 'message', textOf(event.parts))
      if (event.by === 'guard') return one(`n${seq}`, 'message', noticeText(event))
      return one(`u${seq}`, 'message', textOf(event.parts.filter(isUserProvided)))
    case 'step.finished':
      return event.parts.flatMap((part) =>
        part.type === 'tool_call'
          ? []
          : one(`s:${event.stepId}`, part.type === 'thinking' ? 'thinking' : 'answer', withoutMarks(part.text)),
      )
    case 'tool.started':
      return one(`t:${event.callId}`, 'call', [event.summary, ...argumentTexts(event.input, event.summary)].join('\n'))
    case 'tool.finished':
      return one(`t:${event.callId}`, 'result', textOf(event.content))
    default:
      return []
  }
}

/** Markdown without the marks of emphasis and code: readers do not see them, so a search does not count them either. */
export function withoutMarks(text: string): string {
  return text.replaceAll(/\*\*|~~|`/g, '')
}

/** The texts among the arguments of a call, except the one that its summary repeats. */
function argumentTexts(input: string, summary: string): string[] {
  try {
    const parsed: unknown = JSON.parse(input)
    if (typeof parsed !== 'object' || parsed === null) return []
    return Object.values(parsed).filter((value): value is string => typeof value === 'string' && value !== summary)
  } catch {
    return [input]
  }
}
