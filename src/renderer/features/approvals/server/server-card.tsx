import type { ReactNode, Ref } from 'react'
import { Dot } from '../../../ui/dot'

interface ServerCardProps {
  ref: Ref<HTMLDivElement>
  /** For screen readers. */
  label: string
  /** What stands in the head, after the dot. */
  title: ReactNode
  behind: number
  children: ReactNode
}

/** The frame of what an MCP server asks in the midst of a call. */
export function ServerCard({ ref, label, title, behind, children }: ServerCardProps) {
  return (
    <div ref={ref} role="group" aria-label={label} className="approval">
      <div className="approval-head">
        <Dot status="waiting" silent />
        <span className="server-title">{title}</span>
        {behind > 0 && (
          <span className="approval-behind">
            {behind} more {behind === 1 ? 'waits' : 'wait'}
          </span>
        )}
      </div>
      {children}
    </div>
  )
}
