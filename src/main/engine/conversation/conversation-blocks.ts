import { ignoreOthers } from '../../../shared/events/event-uses'
import type { RecordedEvent } from '../../../shared/events/event'
import { isUserProvided, textOf, type MediaPart, type UserPart } from '../../../shared/model/turn/message'
import type { Store } from '../store/store'

/** A part of a conversation, as shown in exports. */
export type ConversationBlock =
  | { kind: 'you'; at: number; text: string; media: readonly MediaPart[] }
  /** A message from Trestle to the agent. */
  | { kind: 'trestle'; at: number; text: string }
  | { kind: 'agent'; at: number; model?: string; text: string; thinking: string; isPartial: boolean }
  | { kind: 'call'; at: number; name: string; summary: string; input: string; result: string; isError: boolean }

const WINDOW = 2000

/** The events of the current conversation, without those removed by a restore. */
export function conversationEvents(store: Pick<Store, 'window'>, sessionId: string): RecordedEvent[] {
  const windows: RecordedEvent[][] = []
  let before = Number.MAX_SAFE_INTEGER
  for (;;) {
    const { events, hasMore } = store.window(sessionId, { before, limit: WINDOW })
    windows.push(events)
    if (!hasMore || !events[0]) return windows.toReversed().flat()
    before = events[0].seq
  }
}

export function conversationBlocks(events: readonly RecordedEvent[]): ConversationBlock[] {
  const blocks: ConversationBlock[] = []
  const calls = new Map<string, Extract<ConversationBlock, { kind: 'call' }>>()
  for (const event of events) {
    switch (event.type) {
      case 'turn.started':
      case 'turn.steered': {
        const { at, parts } = event
        const isOther = event.news !== undefined || (event.type === 'turn.steered' && event.by !== 'user')
        blocks.push(
          isOther
            ? { kind: 'trestle', at, text: textOf(parts) }
            : { kind: 'you', at, text: textOf(parts.filter(isUserProvided)), media: mediaOf(parts) },
        )
        break
      }
      case 'step.finished': {
        const text = event.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
        const thinking = event.parts.flatMap((part) => (part.type === 'thinking' ? [part.text] : [])).join('\n\n')
        if (text.trim() === '' && thinking.trim() === '') break
        const { at, model, partial = false } = event
        blocks.push({ kind: 'agent', at, text, thinking, isPartial: partial, ...(model !== undefined && { model }) })
        break
      }
      case 'tool.started': {
        const { at, name, summary, input, callId } = event
        const call = { kind: 'call' as const, at, name, summary, input, result: '', isError: false }
        calls.set(callId, call)
        blocks.push(call)
        break
      }
      case 'tool.finished': {
        const call = calls.get(event.callId)
        if (call) Object.assign(call, { result: textOf(event.content), isError: event.isError })
        break
      }
      default:
        ignoreOthers<'export'>(event)
    }
  }
  return blocks
}

function mediaOf(parts: readonly UserPart[]): MediaPart[] {
  return parts.flatMap((part) => (part.type === 'media' && isUserProvided(part) ? [part] : []))
}
