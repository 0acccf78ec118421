import { useQuery } from '@tanstack/react-query'
import { FolderGit2 } from 'lucide-react'
import { useState } from 'react'
import type { SessionWorktree } from '../../../shared/model/project/worktree'
import { useQueries } from '../../state/page/queries'
import { ChipButton } from '../../ui/chip'
import { onDemand } from '../../ui/on-demand'
import { Tooltip } from '../../ui/tooltip'

const WorktreeDialog = onDemand(() => import('./worktree-dialog').then((module) => module.WorktreeDialog))

/** Marks a session in a worktree, and opens the dialog with its actions. */
export function WorktreeChip({ sessionId, worktree }: { sessionId: string; worktree: SessionWorktree }) {
  const queries = useQueries()
  const [open, setOpen] = useState(false)
  const { data } = useQuery(queries.worktree.list.queryOptions({ retry: false }))
  const known = data?.find(({ worktreeId }) => worktreeId === worktree.worktreeId)
  const branch = known?.branch ?? worktree.branch
  const state =
    known?.state === 'removed'
      ? 'removed'
      : known?.setup?.state === 'running'
        ? 'preparing…'
        : known?.setup?.state === 'failed'
          ? 'setup failed'
          : undefined
  const failed = known?.state === 'removed' || known?.setup?.state === 'failed'
  const text = ['In a worktree', branch && `branch ${branch}`, state].filter(Boolean).join(', ')
  return (
    <>
      <Tooltip text={text}>
        <ChipButton className="max-w-[220px]" aria-haspopup="dialog" onClick={() => setOpen(true)}>
          <FolderGit2 aria-hidden />
          <span className="sr-only">{text}</span>
          <span aria-hidden className="min-w-0 truncate">
            Worktree
          </span>
          {state !== undefined && (
            <span aria-hidden className={failed ? 'text-fail-ink' : 'text-run-ink'}>
              {state}
            </span>
          )}
        </ChipButton>
      </Tooltip>
      {open && <WorktreeDialog worktreeId={worktree.worktreeId} sessionId={sessionId} onClose={() => setOpen(false)} />}
    </>
  )
}
