import { ChevronDown } from 'lucide-react'
import { createContext, use, type ReactNode, type Ref } from 'react'
import { StatusDot } from '../../ui/badge'

/** How a docked card collapses to its header and buttons. */
export interface CardFold {
  compact: boolean
  setCompact: (compact: boolean) => void
}

/** Set where a card is docked; elsewhere cards are always expanded. */
export const CardFolding = createContext<CardFold | undefined>(undefined)

interface CardHeadProps {
  /** Number of further pending requests. */
  behind: number
  /** Number of dangers among its reasons. */
  dangers?: number
  children: ReactNode
}

/**
 * The header of a card: its subject, the number of further requests, and if docked, the button that expands or
 * collapses it.
 */
export function CardHead({ behind, dangers = 0, children }: CardHeadProps) {
  const fold = use(CardFolding)
  return (
    <div className="approval-head">
      <StatusDot status={dangers > 0 ? 'failed' : 'waiting'} silent />
      {children}
      {dangers > 0 && <span className="approval-risks">{dangers === 1 ? '1 risk' : `${dangers} risks`}</span>}
      {behind > 0 && <span className="approval-behind">{behind} more pending</span>}
      {fold && (
        <button
          type="button"
          className="approval-fold"
          aria-expanded={!fold.compact}
          aria-label={fold.compact ? 'Show the whole request' : 'Hide the details'}
          title={fold.compact ? undefined : 'Hide the details'}
          onClick={() => fold.setCompact(!fold.compact)}
        >
          {fold.compact ? 'Show' : <ChevronDown aria-hidden />}
        </button>
      )}
    </div>
  )
}

interface ServerCardProps {
  ref: Ref<HTMLDivElement>
  /** For screen readers. */
  label: string
  /** Content of the header, after the dot. */
  title: ReactNode
  behind: number
  children: ReactNode
}

/** The frame of a request that an MCP server makes during a call. */
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
