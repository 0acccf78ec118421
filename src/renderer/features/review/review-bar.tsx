import { useQuery } from '@tanstack/react-query'
import {
  GitCommitHorizontal,
  ChevronDown,
  Columns2,
  GitBranch,
  History,
  ListTree,
  Rows3,
  Send,
  Undo2,
  RefreshCw,
} from 'lucide-react'
import type { ReviewedScope, ReviewFile } from '../../../shared/model/session/review'
import type { ReviewTotals } from './review-totals'
import { openPane } from '../../state/panes/panes-state'
import { useQueries } from '../../state/page/queries'
import { Button, IconButton } from '../../ui/button'
import { ChipButton } from '../../ui/chip'
import { Menu, MenuItem } from '../../ui/overlay/menu'

interface ReviewBarProps {
  sessionId: string
  scope: ReviewedScope
  /** The latest turn of the conversation. */
  latestTurn: string | undefined
  files: readonly ReviewFile[]
  totals: ReviewTotals
  isSplit: boolean
  comments: number
  busy: boolean
  isSending: boolean
  onSplit: (isSplit: boolean) => void
  onSend: () => void
  onUndoAll: () => void
  onReload: () => void
  onShow: (path: string) => void
}

/** The scope of the review, its display options, and the actions on all changes. */
export function ReviewBar({
  sessionId,
  scope,
  latestTurn,
  files,
  totals,
  isSplit,
  comments,
  busy,
  isSending,
  onSplit,
  onSend,
  onUndoAll,
  onReload,
  onShow,
}: ReviewBarProps) {
  return (
    <div
      role="toolbar"
      aria-label="Review"
      className="flex min-h-[38px] flex-none flex-wrap items-center gap-x-2 gap-y-1 border-b border-line px-2 py-1"
    >
      <ScopeMenu sessionId={sessionId} scope={scope} latestTurn={latestTurn} />
      <Menu
        label="Layout"
        trigger={
          <ChipButton>
            {isSplit ? 'Side by side' : 'Inline'}
            <ChevronDown aria-hidden />
          </ChipButton>
        }
      >
        <MenuItem icon={<Rows3 aria-hidden />} onSelect={() => onSplit(false)}>
          Inline
        </MenuItem>
        <MenuItem icon={<Columns2 aria-hidden />} onSelect={() => onSplit(true)}>
          Side by side
        </MenuItem>
      </Menu>
      <Menu
        label="Go to a file"
        trigger={
          <ChipButton
            aria-label={`Go to one of ${files.length} ${files.length === 1 ? 'file' : 'files'}`}
            disabled={files.length === 0}
          >
            <ListTree aria-hidden />
            <span className="tabular-nums">
              {files.length.toLocaleString()} {files.length === 1 ? 'file' : 'files'}
            </span>
          </ChipButton>
        }
      >
        {files.slice(0, MAX_LISTED).map((file) => (
          <MenuItem key={file.path} onSelect={() => onShow(file.path)}>
            {file.name}
          </MenuItem>
        ))}
      </Menu>
      <Totals {...totals} />
      <span className="flex-1" />
      <IconButton label="Refresh the changes" onClick={onReload}>
        <RefreshCw aria-hidden />
      </IconButton>
      {comments > 0 && (
        <Button size="small" variant="primary" icon={<Send aria-hidden />} busy={isSending} onClick={onSend}>
          Send {comments} {comments === 1 ? 'comment' : 'comments'}
        </Button>
      )}
      <Button size="small" icon={<Undo2 aria-hidden />} disabled={busy || files.length === 0} onClick={onUndoAll}>
        Undo all
      </Button>
      <Button
        size="small"
        icon={<GitCommitHorizontal aria-hidden />}
        aria-label="Commit…"
        title="Commit…"
        onClick={() => openPane(sessionId, { kind: 'git' })}
      >
        <span className="review-label">Commit…</span>
      </Button>
    </div>
  )
}

const MAX_LISTED = 200

/** Empty until a file is loaded; for hidden lines, only the number of files that have them. */
function Totals({ added, removed, hidden, counted }: ReviewTotals) {
  return (
    <span className="text-small tabular-nums">
      {counted > 0 && (
        <>
          <span className="text-add-ink">+{added.toLocaleString()}</span>
          <span className="sr-only"> lines added,</span>{' '}
          <span className="text-del-ink">−{removed.toLocaleString()}</span>
          <span className="sr-only"> lines removed</span>
        </>
      )}
      {hidden > 0 && (
        <span className="text-ink-3">
          {counted > 0 && ', '}
          {hidden === 1 ? 'lines of 1 file hidden' : `lines of ${hidden.toLocaleString()} files hidden`}
        </span>
      )}
    </span>
  )
}

function ScopeMenu({ sessionId, scope, latestTurn }: Pick<ReviewBarProps, 'sessionId' | 'scope' | 'latestTurn'>) {
  const queries = useQueries()
  const { data: bases } = useQuery(queries.review.bases.queryOptions({ input: { sessionId }, staleTime: 10_000 }))
  const show = (next: ReviewedScope): void => openPane(sessionId, { kind: 'review', scope: next })
  return (
    <Menu
      label="What to review"
      trigger={
        <ChipButton>
          {scopeText(scope, latestTurn)}
          <ChevronDown aria-hidden />
        </ChipButton>
      }
    >
      <MenuItem icon={<History aria-hidden />} onSelect={() => show({ kind: 'session' })}>
        All changes of the session
      </MenuItem>
      {latestTurn !== undefined && (
        <MenuItem icon={<History aria-hidden />} onSelect={() => show({ kind: 'turn', turnId: latestTurn })}>
          The latest turn
        </MenuItem>
      )}
      {bases?.branches.slice(0, MAX_BRANCHES).map((base) => (
        <MenuItem key={base} icon={<GitBranch aria-hidden />} onSelect={() => show({ kind: 'branch', base })}>
          {base === 'HEAD' ? 'Not committed yet' : `Since ${base}`}
        </MenuItem>
      ))}
      {bases?.problem !== undefined && (
        <p className="px-2 py-1 text-small text-ink-3">Branches cannot be compared: {bases.problem}</p>
      )}
    </Menu>
  )
}

const MAX_BRANCHES = 30

function scopeText(scope: ReviewedScope, latestTurn: string | undefined): string {
  if (scope.kind === 'session') return 'All changes'
  if (scope.kind === 'turn') return scope.turnId === latestTurn ? 'Latest turn' : 'One turn'
  return scope.base === 'HEAD' ? 'Not committed yet' : `Since ${scope.base}`
}
