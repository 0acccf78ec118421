import type { PersonAnswer } from '../../../shared/model/approval'

/** An answer: `rule` goes with "always", `feedback` with a rejection. */
export interface ApprovalReply extends PersonAnswer {
  rule?: { pattern: string; scope: 'session' | 'user' }
}
