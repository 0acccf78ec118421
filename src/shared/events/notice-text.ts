import { contextChangeText } from '../model/context'
import { recallSummary } from '../model/memory'
import { textOf } from '../model/message'
import type { EventBody } from './event'

/** What the user reads about a message that Trestle itself has added for the agent. */
export function noticeText({ parts, facts, memory }: Extract<EventBody, { type: 'turn.steered' }>): string {
  if (facts) return contextChangeText(facts)
  return memory ? recallSummary(textOf(parts)) : textOf(parts)
}
