import './approval-dock.css'
import './approvals.css'
import { useLayoutEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { CardFolding } from './card-head'
import { type Approval, requestName } from '../../../shared/model/approval/approval'
import { toolLabel } from '../../../shared/tool-label'

interface ApprovalDockProps {
  /** The request on screen; a different one expands the card again. Undefined: nothing is pending. */
  requestId: string | undefined
  children: ReactNode
}

/** In a column lower than this (px) a full card would hide the whole conversation. */
const SHORT = 460

/**
 * Shows pending requests: above the composer, always on screen, wherever the conversation is scrolled to. Long cards
 * scroll inside; in a low column only the header and the buttons are shown.
 */
export function ApprovalDock({ requestId, children }: ApprovalDockProps) {
  const root = useRef<HTMLDivElement>(null)
  const [isShort, setIsShort] = useState(false)
  const [chosen, setChosen] = useState<{ requestId: string | undefined; compact: boolean }>()
  const compact = chosen?.requestId === requestId ? (chosen?.compact ?? isShort) : isShort
  const folding = useMemo(
    () => ({ compact, setCompact: (next: boolean) => setChosen({ requestId, compact: next }) }),
    [compact, requestId],
  )
  useLayoutEffect(() => {
    const column = root.current?.parentElement
    if (!column) return undefined
    const watch = new ResizeObserver(([entry]) => entry && setIsShort(entry.contentRect.height < SHORT))
    watch.observe(column)
    return () => watch.disconnect()
  }, [])
  return (
    <div ref={root} className="approval-dock" data-compact={compact || undefined}>
      <CardFolding value={folding}>{children}</CardFolding>
    </div>
  )
}

interface ApprovalsProps {
  /** Pending requests, oldest first. */
  approvals: readonly Approval[]
  /** `behind`: number of further pending requests. */
  renderCard: (approval: Approval, behind: number) => ReactNode
}

/**
 * The oldest pending approval and the number of further ones. Always mounted, because it also announces to screen
 * readers.
 */
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

/** The announcement for a new request: who asks for what, in one sentence. */
export function announcement({ asks, tool, summary }: Pick<Approval, 'asks' | 'tool' | 'summary'>): string {
  switch (asks) {
    case undefined:
      return `Approval needed: ${toolLabel(tool)} ${summary}`
    case 'plan':
      return 'The plan is ready for your review.'
    case 'questions':
      return `The agent asks: ${summary}`
    default:
      return `Your answer is needed. ${requestName({ tool, asks })}: ${summary}`
  }
}
