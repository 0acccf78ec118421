import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { requestName, type InboxEntry } from '../../../shared/model/approval'
import { folderName } from '../../state/folder-name'
import { entryKey } from '../../state/inbox-state'
import { titleOf } from '../../state/ordered-sessions'
import { shortAgo, useMinute } from '../../state/relative-time'
import { cx } from '../../ui/cx'
import { Badge } from '../../ui/badge'
import { Dot } from '../../ui/dot'

interface InboxRowProps {
  entry: InboxEntry
  open: boolean
  userHome: string | undefined
  onToggle: () => void
  onOpenSession: () => void
  /** What is shown when it is open. */
  children: ReactNode
}

/** One request: a line with what it is about and where it comes from, that opens to the whole. */
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
          {/* What is open says so itself, on its card: the button is no wider than its sign, and where it comes from stands beside it. */}
          {!open && (
            <>
              <Dot status="waiting" silent />
              <b>{requestName(entry)}</b>{' '}
              <span className="inbox-summary" title={entry.summary}>
                {entry.summary}
              </span>
            </>
          )}
        </button>
        <span className="inbox-where">
          {entry.agent && <Badge>{entry.agent.type}</Badge>}
          <button type="button" className="inbox-session" title={`Open the session “${title}” in ${entry.folder}`} onClick={onOpenSession}>
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
  const ago = shortAgo(since, useMinute())
  return (
    <time dateTime={new Date(since).toISOString()} title={`Asked ${new Date(since).toLocaleString()}`}>
      {ago === 'now' ? 'just now' : ago}
    </time>
  )
}
