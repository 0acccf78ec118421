import type { ReactNode } from 'react'
import type { Approval } from '../../../shared/model/approval'
import { announcement } from './announcement'
import './approvals.css'

interface ApprovalsProps {
  /** Those that wait, first come first. */
  approvals: readonly Approval[]
  /** `behind`: how many more wait behind this one. */
  renderCard: (approval: Approval, behind: number) => ReactNode
}

/** The approval that waits longest, and how many wait behind it. Always mounted: it also tells screen readers. */
export function Approvals({ approvals, renderCard }: ApprovalsProps) {
  const [first] = approvals
  return (
    <>
      <div className="sr-only" aria-live="assertive">
        {first && announcement(first)}
      </div>
      {first && renderCard(first, approvals.length - 1)}
    </>
  )
}
