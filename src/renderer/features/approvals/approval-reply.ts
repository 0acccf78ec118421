/** An answer: `rule` goes with "always", `feedback` with a rejection. */
export interface ApprovalReply {
  optionId: string
  feedback?: string
  rule?: { pattern: string; scope: 'session' | 'user' }
}
