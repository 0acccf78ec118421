import { CalendarClock, Check, FolderGit2 } from 'lucide-react'
import { memo, type KeyboardEvent, useEffect, useRef } from 'react'
import type { SessionSummary, SearchHit } from '../../../shared/model/session/session'
import type { SessionWorktree } from '../../../shared/model/project/worktree'
import { useHasAgentRequests } from '../../state/inbox-state'
import { folderName } from '../../format/folder-name'
import { titleOf } from '../../state/session-list/sessions-state'
import { relativeTime, useNowEachMinute } from '../../format/relative-time'
import type { SessionActions } from '../../state/session/session-actions'
import { isUnread, useSessionMarks } from '../../state/session-list/session-marks'
import { isOutOfReach, usePlace } from '../../state/places'
import { useSelection } from '../../state/session-list/selection-state'
import { useWaitingTask } from '../../state/tasks/tasks-state'
import { cx } from '../../ui/cx'
import { StatusDot } from '../../ui/badge'
import { PlaceBadge } from '../../ui/place-badge'
import { Tooltip } from '../../ui/tooltip'
import { snippetPieces } from './tree-rows'
import { formatMoment } from '../../../shared/language/speak'

interface SessionRowProps {
  summary: SessionSummary
  level: 1 | 2
  showFolder: boolean
  userHome: string | undefined
  current: boolean
  /** Whether the row is in the tab order. */
  reachable: boolean
  renaming: boolean
  /** Its context menu is open. */
  aimed: boolean
  actions: SessionActions
  onRename: (sessionId: string) => void
  onRenamed: (sessionId: string, title: string | undefined) => void
  onRemove: (summary: SessionSummary) => void
  /** `range`: everything from the session selected before. */
  onSelect: (sessionId: string, how: 'toggle' | 'range') => void
  onFocus: (key: string) => void
}

/** One session of the list: its status, its title, and when it last changed. */
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
  onSelect,
  onFocus,
}: SessionRowProps) {
  const { sessionId } = summary
  const selected = useSelection((state) => state.ids.has(sessionId))
  const isSelecting = useSelection((state) => state.ids.size > 0)
  const now = useNowEachMinute()
  // A command waiting at its terminal or a subagent's request also marks the session as waiting.
  const commandWaits = useWaitingTask(sessionId) !== undefined
  const status = useHasAgentRequests(sessionId) || commandWaits ? 'waiting' : summary.status
  const marks = useSessionMarks()
  const unread = isUnread(marks, summary)
  const isGone = isOutOfReach(usePlace(summary.place))
  const quiet = status !== 'running' && status !== 'waiting'
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget) return
    if (event.key === ' ' && (event.ctrlKey || event.metaKey || isSelecting)) onSelect(sessionId, 'toggle')
    else if (event.key === 'Enter' || event.key === ' ') actions.open(sessionId)
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
      {...(isSelecting && { 'aria-checked': selected })}
      data-row={sessionId}
      tabIndex={reachable ? 0 : -1}
      onClick={(event) => {
        if (event.shiftKey) onSelect(sessionId, 'range')
        else if (event.ctrlKey || event.metaKey || isSelecting) onSelect(sessionId, 'toggle')
        else actions.open(sessionId)
      }}
      onFocus={(event) => event.target === event.currentTarget && onFocus(sessionId)}
      onKeyDown={onKeyDown}
      className={cx(
        'flex h-[28px] cursor-pointer items-center gap-2 rounded-[6px]',
        'px-2 select-none focus-visible:-outline-offset-2',
        current && 'bg-raised shadow-[inset_0_0_0_1px_var(--line)]',
        !current && cx('hover:bg-sunken', aimed && 'bg-sunken'),
        isGone ? 'text-ink-3' : current ? 'text-ink' : 'text-ink-2 hover:text-ink',
      )}
    >
      {isSelecting ? (
        <span
          aria-hidden
          className={cx(
            'flex size-[13px] flex-none items-center justify-center rounded-[3px] border',
            selected ? 'border-ink bg-ink text-paper' : 'border-line-strong',
          )}
        >
          {selected && <Check className="size-[10px] stroke-[3]" />}
        </span>
      ) : (
        <StatusDot status={status === 'done' && !unread ? 'seen' : status} />
      )}
      {renaming ? (
        <RenameField title={summary.title} onDone={(title) => onRenamed(sessionId, title)} />
      ) : (
        <span
          className={cx(
            'min-w-0 flex-1 truncate',
            summary.title === '' && 'text-ink-3 italic',
            unread && 'font-semibold text-ink',
          )}
          title={titleOf(summary)}
        >
          {titleOf(summary)}
          {unread && <span className="sr-only">, unread</span>}
        </span>
      )}
      {summary.worktree && !renaming && (
        <Tooltip text={worktreeText(summary.worktree)} side="right">
          <span className="flex-none text-ink-3">
            <FolderGit2 aria-hidden className="size-[13px] stroke-[1.7]" />
            <span className="sr-only">, {worktreeText(summary.worktree).toLowerCase()}</span>
          </span>
        </Tooltip>
      )}
      {summary.scheduleId !== undefined && !renaming && (
        <Tooltip text="Run by a schedule" side="right">
          <span className="flex-none text-ink-3">
            <CalendarClock aria-hidden className="size-[13px] stroke-[1.7]" />
            <span className="sr-only">, run by a schedule</span>
          </span>
        </Tooltip>
      )}
      {summary.elsewhere !== undefined && (
        <Tooltip text={`Open in another Trestle window: ${summary.elsewhere}`} side="right">
          <span className="flex-none text-tiny text-ink-3">elsewhere</span>
        </Tooltip>
      )}
      {summary.place !== undefined && (showFolder || level === 1) && !renaming && (
        <PlaceBadge placeId={summary.place} />
      )}
      {showFolder && !renaming && (
        <span className="max-w-[35%] flex-none truncate text-tiny text-ink-3">
          {folderName(summary.worktree?.project ?? summary.folder, userHome).name}
        </span>
      )}
      {quiet && !renaming && summary.title !== '' && (
        <time
          dateTime={new Date(summary.updatedAt).toISOString()}
          title={formatMoment(summary.updatedAt)}
          className="flex-none text-tiny text-ink-3 tabular-nums"
        >
          {relativeTime(summary.updatedAt, now)}
        </time>
      )}
    </div>
  )
})

function worktreeText({ branch }: SessionWorktree): string {
  return branch === undefined ? 'In a worktree' : `In a worktree: ${branch}`
}

interface RenameFieldProps {
  title: string
  /** Called once: with the new title, or undefined to keep the old one. */
  onDone: (title: string | undefined) => void
}

/** Edits a title in place: Enter and blur save it, Escape discards it. */
function RenameField({ title, onDone }: RenameFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  const done = useRef(false)
  useEffect(() => {
    field.current?.select()
  }, [])
  const finish = (value: string | undefined): void => {
    if (done.current) return
    done.current = true
    const next = value?.trim()
    onDone(next && next !== title ? next : undefined)
  }
  return (
    <input
      ref={field}
      autoFocus
      defaultValue={title}
      maxLength={200}
      aria-label="Title of the session"
      className="h-[22px] min-w-0 flex-1 rounded-sm border border-line-strong bg-raised px-1 text-body text-ink"
      onClick={(event) => event.stopPropagation()}
      onBlur={(event) => finish(event.currentTarget.value)}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key === 'Enter' && !event.nativeEvent.isComposing) finish(event.currentTarget.value)
        if (event.key === 'Escape' && !event.nativeEvent.isComposing) {
          event.preventDefault()
          finish(undefined)
        }
      }}
    />
  )
}

interface HitRowProps {
  hit: SearchHit
  rowKey: string
  reachable: boolean
  onOpen: (hit: SearchHit) => void
  onFocus: (key: string) => void
}

/** A message that matches the search: its session and the words around the match. */
export function HitRow({ hit, rowKey, reachable, onOpen, onFocus }: HitRowProps) {
  const now = useNowEachMinute()
  return (
    <div
      role="treeitem"
      aria-level={1}
      aria-selected={false}
      data-row={rowKey}
      tabIndex={reachable ? 0 : -1}
      onClick={() => onOpen(hit)}
      onFocus={() => onFocus(rowKey)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return
        event.preventDefault()
        onOpen(hit)
      }}
      className={cx(
        'cursor-pointer rounded-[6px] px-2 py-1.5 text-ink-2',
        'select-none hover:bg-sunken focus-visible:-outline-offset-2',
      )}
    >
      <div className="flex items-baseline gap-2">
        <span className="min-w-0 flex-1 truncate text-ink">{titleOf(hit)}</span>
        {hit.place !== undefined && <PlaceBadge placeId={hit.place} className="self-center" />}
        <time dateTime={new Date(hit.at).toISOString()} className="flex-none text-tiny text-ink-3">
          {relativeTime(hit.at, now)}
        </time>
      </div>
      <p className="line-clamp-2 text-small break-words">
        {snippetPieces(hit.snippet).map((piece, index) =>
          piece.marked ? (
            <mark key={index} className="rounded-[3px] bg-wait-bg px-px font-medium text-wait-ink">
              {piece.text}
            </mark>
          ) : (
            <span key={index}>{piece.text}</span>
          ),
        )}
      </p>
    </div>
  )
}
