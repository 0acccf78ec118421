import type { ReactNode, Ref } from 'react'
import { CardHead } from '../card-head'

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
      <CardHead behind={behind}>
        <span className="server-title">{title}</span>
      </CardHead>
      {children}
    </div>
  )
}
