import { ChevronDown } from 'lucide-react'
import { createContext, use, type ReactNode, type Ref } from 'react'
import { StatusDot } from '../../ui/badge'

/** How a card is folded to its head and its buttons, where its place lets it. */
export interface CardFold {
  compact: boolean
  setCompact: (compact: boolean) => void
}

/** Set where a card is docked; elsewhere cards are always whole. */
export const CardFolding = createContext<CardFold | undefined>(undefined)

interface CardHeadProps {
  /** How many more wait behind this one. */
  behind: number
  /** How many of its reasons are dangers. */
  dangers?: number
  children: ReactNode
}

/** The first line of a card: what it is about, how many wait behind it, and where it is docked, what shows or hides the rest of it. */
export function CardHead({ behind, dangers = 0, children }: CardHeadProps) {
  const fold = use(CardFolding)
  return (
    <div className="approval-head">
      <StatusDot status={dangers > 0 ? 'failed' : 'waiting'} silent />
      {children}
      {dangers > 0 && <span className="approval-risks">{dangers === 1 ? '1 risk' : `${dangers} risks`}</span>}
      {behind > 0 && (
        <span className="approval-behind">
          {behind} more {behind === 1 ? 'waits' : 'wait'}
        </span>
      )}
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
