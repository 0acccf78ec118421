import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { MemoryEntry } from '../../../shared/model/assistant/memory'
import { useClient } from '../../state/page/queries'
import { showFailureToast, showToast } from '../../state/page/toasts-state'

export interface MemoryActions {
  /** Deletes the entry, and offers to undo that. */
  remove(entry: Pick<MemoryEntry, 'id' | 'key'>): void
  restore(entry: Pick<MemoryEntry, 'id' | 'key'>): void
  /** Reads the lists again after a change. */
  refresh(): Promise<void>
}

/** Deleting and restoring, for the list and the dialog. */
export function useMemoryActions(): MemoryActions {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMemo(() => {
    const refresh = (): Promise<void> => queryClient.invalidateQueries({ queryKey: [['memory']] })
    const actions: MemoryActions = {
      refresh,
      remove: ({ id, key }) =>
        void client.memory.remove({ ids: [id] }).then(() => {
          showToast(`Deleted ${key}`, { label: 'Undo', run: () => actions.restore({ id, key }) })
          return refresh()
        }, showFailureToast),
      restore: ({ id, key }) =>
        void client.memory.restore({ ids: [id] }).then(() => {
          showToast(`Restored ${key}`)
          return refresh()
        }, showFailureToast),
    }
    return actions
  }, [client, queryClient])
}
