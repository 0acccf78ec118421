import { visibleLine } from '../../../shared/visible-text'
import { useQuery } from '@tanstack/react-query'
import { ArrowDown, ArrowUp, Ellipsis, GitBranch, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import type { GitStatus } from '../../../shared/model/project/git'
import { openPane } from '../../state/panes/panes-state'
import { useQueries } from '../../state/page/queries'
import { Button, IconButton } from '../../ui/button'
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog'
import { Menu, MenuItem, MenuSeparator } from '../../ui/overlay/menu'
import { useGit } from './git-context'
import { PullRequestDialog } from './pull-request-dialog'

/** The branch and its remote: fetch, pull, push, and their follow-up actions. */
export function GitToolbar({ status }: { status: GitStatus }) {
  const { sessionId, run, busy, cancel } = useGit()
  const [asksForce, setAsksForce] = useState(false)
  const [asksRequest, setAsksRequest] = useState(false)
  const queries = useQueries()
  const { branch, commit, upstream, ahead = 0, behind = 0, remotes } = status
  const input = { sessionId }
  const hasRemote = remotes.length > 0
  const { data: branches } = useQuery(queries.git.branches.queryOptions({ input, enabled: asksForce, retry: false }))
  const theirs = branches?.find(({ remote, name }) => remote && name === upstream)
  const pull = (way: 'fast-forward' | 'rebase'): void =>
    void run('Pulling', (git, signal) => git.pull({ ...input, way }, { signal }), 'Pulled')
  const push = (overwrites?: string): void =>
    void run(
      'Pushing',
      (git, signal) => git.push({ ...input, ...(overwrites && { overwrites }) }, { signal }),
      `Pushed ${branch ?? ''}`,
    )
  return (
    <div
      role="toolbar"
      aria-label="Branch"
      className="flex flex-none flex-wrap items-center gap-1.5 border-b border-line px-2 py-1.5"
    >
      <span className="flex min-w-0 flex-1 basis-[140px] items-center gap-1.5 px-1 text-ui">
        <GitBranch aria-hidden className="size-[14px] flex-none text-ink-3" />
        <span className="min-w-0 truncate font-medium">
          {branch === undefined
            ? commit
              ? `Detached at ${commit.slice(0, 8)}`
              : 'No commits yet'
            : visibleLine(branch)}
        </span>
        {upstream !== undefined && (
          <span className="min-w-0 flex-shrink-[3] truncate text-small text-ink-3">
            {upstream}
            {ahead > 0 && ` ↑${ahead}`}
            {behind > 0 && ` ↓${behind}`}
          </span>
        )}
        {repositoryMarks(status).map((mark) => (
          <span key={mark} className="flex-none text-tiny text-ink-3">
            {mark}
          </span>
        ))}
      </span>
      {busy === 'Fetching' || busy === 'Pulling' || busy === 'Pushing' ? (
        <RemoteProgress doing={busy} onCancel={cancel} />
      ) : (
        <>
          <IconButton
            label="Fetch"
            disabled={!hasRemote}
            onClick={() => void run('Fetching', (git, signal) => git.fetch(input, { signal }), 'Fetched')}
          >
            <RefreshCw aria-hidden />
          </IconButton>
          <Button
            size="small"
            icon={<ArrowDown aria-hidden />}
            disabled={upstream === undefined}
            onClick={() => pull('fast-forward')}
          >
            Pull
          </Button>
          <Button
            size="small"
            icon={<ArrowUp aria-hidden />}
            disabled={!hasRemote || branch === undefined}
            onClick={() => push()}
          >
            {upstream === undefined && hasRemote ? 'Publish' : 'Push'}
          </Button>
          <Menu
            label="More"
            align="end"
            trigger={
              <IconButton label="More">
                <Ellipsis aria-hidden />
              </IconButton>
            }
          >
            <MenuItem disabled={upstream === undefined} onSelect={() => pull('rebase')}>
              Pull with rebase
            </MenuItem>
            <MenuItem disabled={upstream === undefined} onSelect={() => setAsksForce(true)}>
              Overwrite the remote branch…
            </MenuItem>
            <MenuItem disabled={!hasRemote} onSelect={() => setAsksRequest(true)}>
              Create pull request…
            </MenuItem>
            <MenuSeparator />
            <MenuItem
              disabled={commit === undefined || status.bare === true}
              onSelect={() => openPane(sessionId, { kind: 'review', scope: { kind: 'branch', base: 'HEAD' } })}
            >
              Review all changes
            </MenuItem>
          </Menu>
        </>
      )}
      <ConfirmDialog
        open={asksForce}
        onOpenChange={setAsksForce}
        title={`Overwrite ${upstream ?? 'the remote branch'}?`}
        action="Overwrite"
        onConfirm={() => theirs && push(theirs.commit)}
      >
        {theirs
          ? `${upstream} at ${theirs.commit.slice(0, 8)} (“${theirs.subject}”) is replaced by your ${branch}. ` +
            'If it has moved since, nothing is pushed. ' +
            'Commits that only the remote has can then only be found by their hash.'
          : 'Checking the remote branch…'}
      </ConfirmDialog>
      {asksRequest && <PullRequestDialog onClose={() => setAsksRequest(false)} />}
    </div>
  )
}

/** Special properties of a repository. */
function repositoryMarks({ bare, sparse, shallow, lfs, hasSubmodules }: GitStatus): string[] {
  return [
    ...(bare ? ['bare'] : []),
    ...(sparse ? ['sparse'] : []),
    ...(shallow ? ['shallow'] : []),
    ...(lfs ? ['LFS'] : []),
    ...(hasSubmodules ? ['submodules'] : []),
  ]
}

function RemoteProgress({ doing, onCancel }: { doing: string; onCancel: () => void }) {
  const { sessionId } = useGit()
  const queries = useQueries()
  const { data } = useQuery(
    queries.git.progress.queryOptions({ input: { sessionId }, refetchInterval: 400, staleTime: 0, gcTime: 0 }),
  )
  return (
    <>
      <span role="status" className="min-w-0 max-w-[320px] truncate text-small text-ink-2">
        {data ?? `${doing}…`}
      </span>
      <Button size="small" onClick={onCancel}>
        Cancel
      </Button>
    </>
  )
}
