import { conversationBlocks, conversationEvents } from '../../conversation/conversation-blocks'
import { markdownOf } from '../../conversation/export-markdown'
import type { Store } from '../../store/store'

/** Most characters of an earlier conversation that a subagent gets; the newest count. */
const MAX_CHARS = 60_000

/**
 * What a subagent has said and heard before a turn, for the engine of a new job: the folder of its earlier job is gone.
 * Empty for its first turn.
 */
export function earlierText(store: Pick<Store, 'window'>, sessionId: string, turnId: string): string {
  const events = conversationEvents(store, sessionId)
  const at = events.findLastIndex((event) => event.type === 'turn.started' && event.turnId === turnId)
  const blocks = conversationBlocks(events.slice(0, Math.max(0, at)))
  if (blocks.length === 0) return ''
  const text = markdownOf('Your conversation until now', blocks)
  return text.length > MAX_CHARS ? `…${text.slice(-MAX_CHARS).toWellFormed()}` : text
}
