import type { Preview } from './preview'

/** How much is asked. `auto` asks nothing that a policy does not insist on. */
export const PERMISSION_MODES = ['ask', 'accept-edits', 'auto'] as const
export type PermissionMode = (typeof PERMISSION_MODES)[number]

/** Approval option kinds, as the Agent Client Protocol names them. */
export type ApprovalKind = 'allow_once' | 'allow_always' | 'reject_once'

export interface ApprovalOption {
  optionId: string
  kind: ApprovalKind
  /** What the button says; for `allow_always` exactly what it will cover. */
  name: string
}

/** A question to the human: may this call run? It is stored, so it survives a restart. */
export interface Approval {
  approvalId: string
  turnId: string
  callId: string
  tool: string
  /** One line: what would be done. */
  summary: string
  /** Why it is asked: the policy's own words. */
  reason: string
  preview?: Preview
  options: ApprovalOption[]
  /** ms since the epoch. */
  requestedAt: number
}

/** How an approval ended. `cancelled`: the turn was stopped first, or nobody could be asked. */
export type ApprovalOutcome = 'allow_once' | 'allow_always' | 'reject_once' | 'cancelled'
