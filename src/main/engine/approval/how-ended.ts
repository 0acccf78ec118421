import { REJECT_STOP } from '../../../shared/model/approval'
import type { RecordedEvent } from '../../../shared/model/event'

const WORDS = {
  allow_once: 'It was allowed already.',
  allow_always: 'It was allowed already, for good.',
  reject_once: 'It was rejected already.',
  cancelled: 'It was closed.',
} as const

/** How a request has ended, as a sentence; undefined when these events do not tell. */
export function howEnded(events: readonly RecordedEvent[], approvalId: string): string | undefined {
  const end = events.findLast((event) => event.type === 'approval.resolved' && event.approvalId === approvalId)
  if (end?.type !== 'approval.resolved') return undefined
  if (end.chosen === REJECT_STOP) return 'It was rejected already, and its turn was stopped.'
  if (end.chosen !== undefined) return 'It was answered already.'
  return end.reason === undefined ? WORDS[end.outcome] : `${WORDS[end.outcome]} ${end.reason}`
}
