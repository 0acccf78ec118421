import { contextChangeText } from '../model/turn/context'
import { recallSummary } from '../model/assistant/memory'
import { textOf } from '../model/turn/message'
import type { EventBody } from './event'

/** The display text of a message that Trestle added for the agent. */
export function noticeText({ parts, facts, memory }: Extract<EventBody, { type: 'turn.steered' }>): string {
  if (facts) return contextChangeText(facts)
  return memory ? recallSummary(textOf(parts)) : textOf(parts)
}
