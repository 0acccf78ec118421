import { useQuery } from '@tanstack/react-query'
import { GitBranch } from 'lucide-react'
import { useState } from 'react'
import type { Worktree } from '../../../shared/model/project/worktree'
import { shortPath } from '../../format/folder-name'
import { useQueries } from '../../state/page/queries'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog'
import { SettingsSection } from '../../ui/form/settings-controls'
import { Skeleton } from '../../ui/loading'
import { EmptyState } from '../../ui/notice'
import { useWorktreeActions } from './worktree-actions'
import { LoadError } from '../../ui/load-error'

/** All worktrees of sessions: to remove old ones, and to restore removed ones. */
export function WorktreesSection({ userHome }: { userHome: string | undefined }) {
  const queries = useQueries()
  const query = useQuery(queries.worktree.list.queryOptions({ retry: false }))
  const { data, error } = query
  const present = data?.filter(({ state }) => state !== 'removed') ?? []
  const removed = data?.filter(({ state }) => state === 'removed') ?? []
  return (
    <div className="space-y-9">
      <SettingsSection
        id="settings-worktrees"
        title="Worktrees"
        text={
          'Worktrees that Trestle created for sessions. ' +
          'Before removing one, Trestle saves its commits and uncommitted changes.'
        }
      >
        {error ? (
          <LoadError query={query} />
        ) : !data ? (
          <Skeleton className="h-24 w-full rounded-lg" />
        ) : present.length === 0 ? (
          <EmptyState
            icon={<GitBranch aria-hidden />}
            title="No worktrees"
            className="rounded-lg border border-dashed border-line-strong"
          >
            Turn on “Work in a worktree” when you start a session.
          </EmptyState>
        ) : (
          <List label="Worktrees" worktrees={present} userHome={userHome} />
        )}
      </SettingsSection>
      {removed.length > 0 && (
        <SettingsSection id="settings-worktrees-removed" title="Removed">
          <List label="Removed worktrees" worktrees={removed} userHome={userHome} />
        </SettingsSection>
      )}
    </div>
  )
}

interface ListProps {
  label: string
  worktrees: readonly Worktree[]
  userHome: string | undefined
}

function List({ label, worktrees, userHome }: ListProps) {
  return (
    <ul aria-label={label} className="overflow-hidden rounded-lg border border-line bg-raised">
      {worktrees.map((worktree) => (
        <Row key={worktree.worktreeId} worktree={worktree} userHome={userHome} />
      ))}
    </ul>
  )
}

function Row({ worktree, userHome }: { worktree: Worktree; userHome: string | undefined }) {
  const { worktreeId, state, branch, folder, project, sessions, removed, problem } = worktree
  const actions = useWorktreeActions()
  const [purging, setPurging] = useState(false)
  const titles = sessions.map(({ title }) => title || 'New session').join(', ')
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line px-3.5 py-2.5 first:border-t-0">
      <div className="min-w-[200px] flex-1">
        <p className="flex items-center gap-2">
          <span className="min-w-0 truncate font-mono text-small font-medium">{branch ?? worktreeId}</span>
          {state === 'ready' && sessions.length === 0 && <Badge>no session</Badge>}
        </p>
        <p className="text-small wrap-anywhere text-ink-3">
          {shortPath(project, userHome)} · {titles || shortPath(folder, userHome)}
        </p>
        {removed && (
          <p className="text-small wrap-anywhere text-ink-3">
            {removed.patch === undefined
              ? 'There were no uncommitted changes.'
              : `${removed.files} uncommitted ${removed.files === 1 ? 'file' : 'files'} ` +
                `in ${shortPath(removed.patch, userHome)}`}
          </p>
        )}
        {problem !== undefined && <p className="text-small wrap-anywhere text-fail-ink">{problem}</p>}
      </div>
      {state === 'removed' ? (
        <>
          <Button
            size="small"
            aria-label={`Restore ${branch ?? worktreeId}`}
            onClick={() => actions.restore(worktreeId)}
          >
            Restore
          </Button>
          <Button
            size="small"
            variant="danger"
            aria-label={`Delete permanently: ${branch ?? worktreeId}`}
            onClick={() => setPurging(true)}
          >
            Delete permanently
          </Button>
          <ConfirmDialog
            open={purging}
            onOpenChange={setPurging}
            title="Delete the saved changes?"
            action="Delete permanently"
            onConfirm={() => actions.purge(worktreeId)}
          >
            The patch, and commits that are on no branch, are deleted. This cannot be undone.
          </ConfirmDialog>
        </>
      ) : problem === undefined ? (
        <Button
          size="small"
          variant="danger"
          aria-label={`Remove ${branch ?? worktreeId}`}
          onClick={() => actions.remove(worktreeId)}
        >
          Remove
        </Button>
      ) : (
        <Button
          size="small"
          aria-label={`Remove from list: ${branch ?? worktreeId}`}
          onClick={() => actions.forget(worktreeId)}
        >
          Remove from list
        </Button>
      )}
    </li>
  )
}
