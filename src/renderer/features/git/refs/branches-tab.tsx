import { visibleLine } from '../../../../shared/visible-text'
import { useQuery } from '@tanstack/react-query'
import { Ellipsis, GitBranch } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { GitBranch as Branch, GitStatus } from '../../../../shared/model/project/git'
import { failureFrom } from '../../../client/failure-from'
import { relativeTime, useNowEachMinute } from '../../../format/relative-time'
import { useClient, useQueries } from '../../../state/page/queries'
import { showFailureToast, showToast } from '../../../state/page/toasts-state'
import { Badge } from '../../../ui/badge'
import { IconButton } from '../../../ui/button'
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/overlay/menu'
import { useGit } from '../git-context'
import { showIntegrationResult } from '../integration-notice'
import { NameDialog } from './name-dialog'
import { RefList } from './ref-list'
import { cx } from '../../../ui/cx'
import { LoadError } from '../../../ui/load-error'

type Asked = { kind: 'create'; from?: Branch } | { kind: 'rename'; branch: Branch } | { kind: 'delete'; branch: Branch }

/** Local and remote branches: switch, create, rename, delete. */
export function BranchesTab({ status }: { status: GitStatus }) {
  const queries = useQueries()
  const client = useClient()
  const { sessionId, run, switchTo } = useGit()
  const [asked, setAsked] = useState<Asked>()
  const query = useQuery(queries.git.branches.queryOptions({ input: { sessionId }, retry: false }))
  const { data: branches, error } = query
  const sorted = useMemo(
    () => branches?.toSorted((a, b) => Number(b.current) - Number(a.current) || Number(a.remote) - Number(b.remote)),
    [branches],
  )
  const mergeIn = ({ ref, name }: Branch): void =>
    void run('Merging', async (git) =>
      showIntegrationResult(await git.merge({ sessionId, from: ref }), `Merged ${name}`),
    )
  const remove = async (branch: Branch, force: boolean): Promise<void> => {
    try {
      const { name, commit, upstream } = await client.git.deleteBranch({ sessionId, name: branch.name, force })
      const restore = (): void =>
        void run('Restoring', (git) =>
          git.createBranch({
            sessionId,
            name,
            from: commit,
            checkout: false,
            ...(upstream !== undefined && { upstream }),
          }),
        )
      showToast(`Deleted ${name} (${commit.slice(0, 8)})`, { label: 'Undo', run: restore })
    } catch (failure) {
      if (failureFrom(failure).code === 'git.not_merged') setAsked({ kind: 'delete', branch })
      else showFailureToast(failure)
    }
  }

  if (error) return <LoadError query={query} className="m-3" />
  return (
    <>
      <RefList
        kind="branches"
        refs={sorted}
        icon={<GitBranch aria-hidden />}
        create={{ label: 'New branch', isPossible: true, run: () => setAsked({ kind: 'create' }) }}
        renderRow={(branch) => (
          <BranchRow
            branch={branch}
            into={status.bare ? undefined : (status.branch ?? 'what is checked out')}
            onSwitch={() => void switchTo(branch.ref, `Switched to ${branch.name}`)}
            onMerge={() => mergeIn(branch)}
            onCreate={() => setAsked({ kind: 'create', from: branch })}
            onRename={() => setAsked({ kind: 'rename', branch })}
            onDelete={() => void remove(branch, false)}
          />
        )}
      />
      {asked?.kind === 'create' && (
        <NameDialog
          title="New branch"
          label="Name"
          initial=""
          action="Create and switch"
          hint={`Starts at ${asked.from?.name ?? status.branch ?? 'the commit that is checked out'}.`}
          onClose={() => setAsked(undefined)}
          onDone={(name) =>
            client.git.createBranch({ sessionId, name, checkout: true, ...(asked.from && { from: asked.from.commit }) })
          }
        />
      )}
      {asked?.kind === 'rename' && (
        <NameDialog
          title={`Rename ${asked.branch.name}`}
          label="New name"
          initial={asked.branch.name}
          action="Rename"
          onClose={() => setAsked(undefined)}
          onDone={(to) => client.git.renameBranch({ sessionId, name: asked.branch.name, to })}
        />
      )}
      {asked?.kind === 'delete' && (
        <ConfirmDialog
          open
          onOpenChange={(open) => !open && setAsked(undefined)}
          title={`Delete ${asked.branch.name}?`}
          action="Delete branch"
          onConfirm={() => void remove(asked.branch, true)}
        >
          It has commits that are on no other branch. You can undo this; its last commit is{' '}
          {asked.branch.commit.slice(0, 12)}.
        </ConfirmDialog>
      )}
    </>
  )
}

interface BranchRowProps {
  branch: Branch
  /** The branch it can be merged into. */
  into: string | undefined
  onMerge: () => void
  onSwitch: () => void
  onCreate: () => void
  onRename: () => void
  onDelete: () => void
}

function BranchRow({ branch, into, onMerge, onSwitch, onCreate, onRename, onDelete }: BranchRowProps) {
  const now = useNowEachMinute()
  const { name, current, remote, ahead, behind, gone, subject, at, worktree } = branch
  return (
    <div className="flex items-center gap-1 border-b border-line pr-1.5 pl-1 hover:bg-sunken">
      <button
        type="button"
        disabled={current}
        onClick={onSwitch}
        className={cx(
          'flex min-h-[44px] min-w-0 flex-1 flex-col justify-center',
          'rounded-[6px] px-2 text-left focus-visible:-outline-offset-2',
        )}
      >
        <span className="flex w-full items-center gap-2">
          {!current && <span className="sr-only">Switch to </span>}
          <span className={`min-w-0 truncate text-ui ${current ? 'font-semibold' : ''}`}>{visibleLine(name)}</span>
          {current && <Badge tone="done">current</Badge>}
          {remote && <Badge>remote</Badge>}
          {worktree !== undefined && <Badge tone="run">worktree</Badge>}
          {gone && <Badge tone="wait">upstream gone</Badge>}
          <span className="flex-none text-tiny text-ink-3 tabular-nums">
            {ahead ? `↑${ahead} ` : ''}
            {behind ? `↓${behind}` : ''}
          </span>
        </span>
        <span className="w-full truncate text-small text-ink-3">
          {relativeTime(at, now)} · {visibleLine(subject)}
        </span>
      </button>
      <Menu
        label={`Actions for ${name}`}
        align="end"
        trigger={
          <IconButton label={`Actions for ${name}`}>
            <Ellipsis aria-hidden />
          </IconButton>
        }
      >
        <MenuItem disabled={current} onSelect={onSwitch}>
          Switch to it
        </MenuItem>
        <MenuItem onSelect={onCreate}>New branch from it…</MenuItem>
        <MenuItem disabled={current || into === undefined} onSelect={onMerge}>
          Merge into {into ?? 'the checkout'}
        </MenuItem>
        {!remote && (
          <>
            <MenuItem onSelect={onRename}>Rename…</MenuItem>
            <MenuSeparator />
            <MenuItem danger disabled={current || worktree !== undefined} onSelect={onDelete}>
              Delete
            </MenuItem>
          </>
        )}
      </Menu>
    </div>
  )
}
