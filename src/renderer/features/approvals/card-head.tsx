import { ChevronDown } from 'lucide-react'
import { createContext, use, type ReactNode } from 'react'
import { Dot } from '../../ui/dot'

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
      <Dot status={dangers > 0 ? 'failed' : 'waiting'} silent />
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
