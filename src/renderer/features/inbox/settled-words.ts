import { REJECT_STOP } from '../../../shared/model/approval'
import type { RecordedEvent } from '../../../shared/model/event'

type Resolved = Pick<Extract<RecordedEvent, { type: 'approval.resolved' }>, 'outcome' | 'feedback' | 'reason' | 'rule' | 'chosen'>

/** How a request ended, in a sentence or two. */
export function settledWords({ outcome, feedback, reason, rule, chosen }: Resolved): string {
  if (chosen === REJECT_STOP) return 'Rejected elsewhere, and the turn was stopped.'
  if (chosen !== undefined) return 'Answered elsewhere.'
  switch (outcome) {
    case 'allow_once':
      return 'Allowed once, elsewhere.'
    case 'allow_always':
      if (reason !== undefined) return `Allowed by a rule. ${reason}`
      return rule?.scope === 'user' ? 'Allowed always, elsewhere.' : 'Allowed for its session, elsewhere.'
    case 'reject_once':
      if (reason !== undefined) return `Denied. ${reason}`
      return feedback === undefined ? 'Rejected, elsewhere.' : `Rejected, elsewhere: “${feedback}”`
    default:
      return reason === undefined ? 'Closed without an answer.' : `Closed. ${reason}`
  }
}
