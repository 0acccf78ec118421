import { memo, type KeyboardEvent } from 'react'
import type { SessionSummary } from '../../../shared/model/session'
import { useHasAgentRequests } from '../../state/agent-requests'
import { folderName } from '../../state/folder-name'
import { titleOf } from '../../state/ordered-sessions'
import { shortAgo, useMinute } from '../../state/relative-time'
import type { SessionActions } from '../../state/session-actions'
import { isUnread, useSessionMarks } from '../../state/session-marks'
import { useWaitingTask } from '../../state/tasks-state'
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
  /** Its context menu is open. */
  aimed: boolean
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
  aimed,
  actions,
  onRename,
  onRenamed,
  onRemove,
  onFocus,
}: SessionRowProps) {
  const { sessionId } = summary
  const now = useMinute()
  // A command of it that asks something on its terminal waits for the user as well, and so does a subagent that asks.
  const commandWaits = useWaitingTask(sessionId) !== undefined
  const status = useHasAgentRequests(sessionId) || commandWaits ? 'waiting' : summary.status
  const marks = useSessionMarks()
  const unread = isUnread(marks, summary)
  const quiet = status !== 'running' && status !== 'waiting'
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget) return
    if (event.key === 'Enter' || event.key === ' ') actions.open(sessionId)
    else if (event.key === 'F2') onRename(sessionId)
    else if (event.key === 'Delete') onRemove(summary)
    else return
    event.preventDefault()
  }
  return (
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
          : cx('text-ink-2 hover:bg-sunken hover:text-ink', aimed && 'bg-sunken'),
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
  )
})
