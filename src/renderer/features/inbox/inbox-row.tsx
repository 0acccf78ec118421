import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { requestName, type InboxEntry, type Approval } from '../../../shared/model/approval/approval'
import { folderName } from '../../format/folder-name'
import { entryKey } from '../../state/inbox-state'
import { titleOf } from '../../state/session-list/sessions-state'
import { relativeTime, useNowEachMinute } from '../../format/relative-time'
import { cx } from '../../ui/cx'
import { Badge, StatusDot } from '../../ui/badge'
import { failureFrom } from '../../client/failure-from'
import { useQueries } from '../../state/page/queries'
import { Skeleton } from '../../ui/loading'
import { formatMoment } from '../../../shared/language/speak'
import { LoadError } from '../../ui/load-error'

interface InboxRowProps {
  entry: InboxEntry
  open: boolean
  userHome: string | undefined
  onToggle: () => void
  onOpenSession: () => void
  /** Content of the expanded row. */
  children: ReactNode
}

/** One request: a line with its summary and origin that expands to the full request. */
export function InboxRow({ entry, open, userHome, onToggle, onOpenSession, children }: InboxRowProps) {
  const key = entryKey(entry)
  const { name } = folderName(entry.folder, userHome)
  const title = titleOf({ title: entry.sessionTitle })
  return (
    <div className="inbox-row" data-open={open || undefined}>
      <div className="inbox-line">
        <button
          type="button"
          data-entry={key}
          className="inbox-toggle"
          aria-expanded={open}
          {...(open && { 'aria-label': `${requestName(entry)} ${entry.summary}`, title: 'Close' })}
          onClick={onToggle}
        >
          <ChevronRight aria-hidden className={cx('inbox-chevron', open && 'rotate-90')} />
          {/* The card of an open request has the summary; the button shrinks to its icon, beside the origin. */}
          {!open && (
            <>
              <StatusDot status="waiting" silent />
              <b>{requestName(entry)}</b>{' '}
              <span className="inbox-summary" title={entry.summary}>
                {entry.summary}
              </span>
            </>
          )}
        </button>
        <span className="inbox-where">
          {entry.agent && <Badge>{entry.agent.type}</Badge>}
          <button
            type="button"
            className="inbox-session"
            title={`Open the session “${title}” in ${entry.folder}`}
            onClick={onOpenSession}
          >
            <span className="text-ink-2">{name}</span> <span className="truncate">{title}</span>
            <span className="sr-only">: open the session</span>
          </button>
          <Waits since={entry.requestedAt} />
        </span>
      </div>
      {open && <div className="inbox-open">{children}</div>}
    </div>
  )
}

function Waits({ since }: { since: number }) {
  const ago = relativeTime(since, useNowEachMinute())
  return (
    <time dateTime={new Date(since).toISOString()} title={`Asked ${formatMoment(since)}`}>
      {ago === 'now' ? 'just now' : ago}
    </time>
  )
}

interface InboxEntryViewProps {
  entry: InboxEntry
  renderCard: (approval: Approval) => ReactNode
}

/** The open request: loaded in full, with its preview, and shown as in the conversation. */
export function InboxEntryView({ entry, renderCard }: InboxEntryViewProps) {
  const queries = useQueries()
  const { sessionId, approvalId, elsewhere } = entry
  const query = useQuery(
    queries.approval.get.queryOptions({
      input: { sessionId, approvalId },
      staleTime: Infinity,
      gcTime: 60_000,
      retry: false,
    }),
  )
  const { data, error } = query
  if (error) {
    // It was answered this moment: the list is about to update.
    return failureFrom(error).code === 'approval.gone' ? null : <LoadError query={query} />
  }
  if (!data) {
    return (
      <div
        role="status"
        aria-label="Loading the request"
        className="space-y-2.5 rounded-lg border border-line bg-raised p-4"
      >
        <Skeleton className="w-2/5" />
        <Skeleton className="w-4/5" />
        <Skeleton className="w-3/5" />
      </div>
    )
  }
  return (
    <>
      {elsewhere !== undefined && (
        <p className="inbox-elsewhere">
          Another Trestle runs this session ({elsewhere}). It can only be answered there; it disappears here when it is.
        </p>
      )}
      {renderCard(data)}
    </>
  )
}
