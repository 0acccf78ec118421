import { TriangleAlert } from 'lucide-react'
import type { ApprovalReason } from '../../../shared/model/approval'
import { VisibleTokens } from '../../ui/content/visible-tokens'

/** Every reason why a call is asked about, dangers first and in red. */
export function ReasonList({ reasons }: { reasons: readonly ApprovalReason[] }) {
  return (
    <ul className="approval-reasons" aria-label="Reasons">
      {reasons.map(({ text, part, danger }) => (
        <li key={`${part ?? ''} ${text}`} data-danger={danger}>
          {danger && <TriangleAlert aria-label="Danger:" />}
          <span>
            {part !== undefined && (
              <>
                <code>
                  <VisibleTokens text={part} />
                </code>{' '}
              </>
            )}
            {text}
          </span>
        </li>
      ))}
    </ul>
  )
}
