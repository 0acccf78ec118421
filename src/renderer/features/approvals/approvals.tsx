import type { Approval } from '../../../shared/model/approval'
import { ApprovalCard, type ApprovalCardProps } from './approval-card'
import './approvals.css'

interface ApprovalsProps extends Pick<ApprovalCardProps, 'sessionId' | 'onReply' | 'onAnswered' | 'blocked'> {
  /** Those that wait, first come first. */
  approvals: readonly Approval[]
}

/** The approval that waits longest, and how many wait behind it. Always mounted: it also tells screen readers. */
export function Approvals({ approvals, ...card }: ApprovalsProps) {
  const [first] = approvals
  return (
    <>
      <div className="sr-only" aria-live="assertive">
        {first && `Approval needed: ${first.tool} ${first.summary}`}
      </div>
      {first && <ApprovalCard key={first.approvalId} approval={first} behind={approvals.length - 1} {...card} />}
    </>
  )
}
