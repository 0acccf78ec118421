import { Archive, ArchiveRestore, Copy, Link, Pencil, Pin, PinOff, Trash2 } from 'lucide-react'
import { memo, type KeyboardEvent } from 'react'
import type { SessionSummary } from '../../../shared/model/session'
import { useHasAgentRequests } from '../../state/agent-requests'
import { folderName } from '../../state/folder-name'
import { titleOf } from '../../state/ordered-sessions'
import { hasLinks } from '../../state/route'
import { shortAgo, useMinute } from '../../state/relative-time'
import type { SessionActions } from '../../state/session-actions'
import { isUnread, togglePin, useSessionMarks } from '../../state/session-marks'
import { useWaitingTask } from '../../state/tasks-state'
import { ContextMenu, ContextMenuItem, ContextMenuSeparator } from '../../ui/context-menu'
import { cx } from '../../ui/cx'
import { Dot } from '../../ui/dot'
import { Tooltip } from '../../ui/tooltip'
import { RenameField } from './rename-field'

interface SessionRowProps {
  summary: SessionSummary
  level: 1 | 2
  showFolder: boolean
  userHome: string | undefined
  current: boolean
  /** Whether Tab comes to this row. */
  reachable: boolean
  renaming: boolean
  actions: SessionActions
  onRename: (sessionId: string) => void
  onRenamed: (sessionId: string, title: string | undefined) => void
  onRemove: (summary: SessionSummary) => void
  onFocus: (key: string) => void
}

/** One session of the list: its status, its title, when it last changed. */
export const SessionRow = memo(function SessionRow({
  summary,
  level,
  showFolder,
  userHome,
  current,
  reachable,
  renaming,
  actions,
  onRename,
  onRenamed,
  onRemove,
  onFocus,
}: SessionRowProps) {
  const { sessionId, archived } = summary
  const now = useMinute()
  // A command of it that asks something on its terminal waits for the user as well, and so does a subagent that asks.
  const commandWaits = useWaitingTask(sessionId) !== undefined
  const status = useHasAgentRequests(sessionId) || commandWaits ? 'waiting' : summary.status
  const marks = useSessionMarks()
  const unread = isUnread(marks, summary)
  const pinned = marks.pinned.has(sessionId)
  const quiet = status !== 'running' && status !== 'waiting'
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget) return
    if (event.key === 'Enter' || event.key === ' ') actions.open(sessionId)
    else if (event.key === 'F2') onRename(sessionId)
    else if (event.key === 'Delete') onRemove(summary)
    else return
    event.preventDefault()
  }
  const menu = (
    <>
      <ContextMenuItem icon={<Pencil aria-hidden />} kbd="F2" onSelect={() => onRename(sessionId)}>
        Rename
      </ContextMenuItem>
      {!archived && (
        <ContextMenuItem icon={pinned ? <PinOff aria-hidden /> : <Pin aria-hidden />} onSelect={() => togglePin(sessionId)}>
          {pinned ? 'Unpin' : 'Pin'}
        </ContextMenuItem>
      )}
      <ContextMenuItem
        icon={archived ? <ArchiveRestore aria-hidden /> : <Archive aria-hidden />}
        onSelect={() => actions.archive(sessionId, !archived)}
      >
        {archived ? 'Restore' : 'Archive'}
      </ContextMenuItem>
      {hasLinks && (
        <ContextMenuItem icon={<Link aria-hidden />} onSelect={() => actions.copyLink(sessionId)}>
          Copy link
        </ContextMenuItem>
      )}
      <ContextMenuItem icon={<Copy aria-hidden />} onSelect={() => actions.copyId(sessionId)}>
        Copy session ID
      </ContextMenuItem>
      <ContextMenuSeparator />
      <ContextMenuItem icon={<Trash2 aria-hidden />} kbd="Del" danger onSelect={() => onRemove(summary)}>
        Delete…
      </ContextMenuItem>
    </>
  )
  return (
    <ContextMenu label={`Actions for ${titleOf(summary)}`} items={menu}>
      <div
        role="treeitem"
        aria-level={level}
        aria-selected={current}
        data-row={sessionId}
        tabIndex={reachable ? 0 : -1}
        onClick={() => actions.open(sessionId)}
        onFocus={(event) => event.target === event.currentTarget && onFocus(sessionId)}
        onKeyDown={onKeyDown}
        className={cx(
          'flex h-[28px] cursor-pointer items-center gap-2 rounded-[6px] px-2 select-none focus-visible:-outline-offset-2',
          current
            ? 'bg-raised text-ink shadow-[inset_0_0_0_1px_var(--line)]'
            : 'text-ink-2 hover:bg-sunken hover:text-ink data-[state=open]:bg-sunken',
        )}
      >
        <Dot status={status === 'done' && !unread ? 'seen' : status} />
        {renaming ? (
          <RenameField title={summary.title} onDone={(title) => onRenamed(sessionId, title)} />
        ) : (
          <span
            className={cx('min-w-0 flex-1 truncate', summary.title === '' && 'text-ink-3 italic', unread && 'font-semibold text-ink')}
            title={titleOf(summary)}
          >
            {titleOf(summary)}
            {unread && <span className="sr-only">, unread</span>}
          </span>
        )}
        {summary.elsewhere !== undefined && (
          <Tooltip text={`Open in another Trestle window: ${summary.elsewhere}`} side="right">
            <span className="flex-none text-tiny text-ink-3">elsewhere</span>
          </Tooltip>
        )}
        {showFolder && !renaming && (
          <span className="max-w-[35%] flex-none truncate text-tiny text-ink-3">{folderName(summary.folder, userHome).name}</span>
        )}
        {quiet && !renaming && summary.title !== '' && (
          <time
            dateTime={new Date(summary.updatedAt).toISOString()}
            title={new Date(summary.updatedAt).toLocaleString()}
            className="flex-none text-tiny text-ink-3 tabular-nums"
          >
            {shortAgo(summary.updatedAt, now)}
          </time>
        )}
      </div>
    </ContextMenu>
  )
})
