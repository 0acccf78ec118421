import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { showFailureToast, showToast } from '../../state/page/toasts-state'
import { useClient } from '../../state/page/queries'

interface WorktreeActions {
  /** Saves changes that exist only in the worktree, removes it, and offers to undo that. */
  remove(worktreeId: string, onRemoved?: () => void): void
  restore(worktreeId: string): void
  purge(worktreeId: string): void
  forget(worktreeId: string): void
  setup(worktreeId: string, run: boolean): void
}

/** The actions on a worktree, each with a message about its result. */
export function useWorktreeActions(): WorktreeActions {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMemo(() => {
    const after = (work: Promise<unknown>, title?: string): void =>
      void work.then(() => {
        if (title !== undefined) showToast(title)
        return queryClient.invalidateQueries({ queryKey: [['worktree']] })
      }, showFailureToast)
    const actions: WorktreeActions = {
      remove: (worktreeId, onRemoved) => {
        const work = async (): Promise<void> => {
          const { removed } = await client.worktree.remove({ worktreeId })
          const files = removed?.files ?? 0
          const saved = files === 0 ? '' : `, ${files} uncommitted ${files === 1 ? 'file' : 'files'} saved`
          showToast(`Worktree removed${saved}`, { label: 'Restore', run: () => actions.restore(worktreeId) })
          onRemoved?.()
        }
        after(work())
      },
      restore: (worktreeId) => after(client.worktree.restore({ worktreeId }), 'Worktree restored'),
      purge: (worktreeId) => after(client.worktree.purge({ worktreeId }), 'Deleted permanently'),
      forget: (worktreeId) => after(client.worktree.forget({ worktreeId }), 'Removed from the list'),
      setup: (worktreeId, run) => after(client.worktree.setup({ worktreeId, run })),
    }
    return actions
  }, [client, queryClient])
}
