import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Undoable } from '../../../../shared/configuration/rules'
import { t } from '../../../../shared/language/settings-messages'
import { useClient } from '../../../state/page/queries'
import { showFailureToast, showToast } from '../../../state/page/toasts-state'

export interface Edits {
  /** Says what was done, offers to undo it, and reads the lists again. */
  done(title: string, change: Undoable): Promise<void>
  /** The same for a change in progress; a failure is shown. */
  run(title: string, work: Promise<Undoable>): void
}

/** Changes of rules, hooks, skills and agents. */
export function useEdits(): Edits {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMemo(() => {
    const refresh = async (): Promise<void> => {
      const lists = [[['rule']], [['customize']], ['hooks'], ['skills'], ['agents']]
      await Promise.all(lists.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
    }
    const undo = (undoId: string): void =>
      void client.customize.undo({ undoId }).then(() => {
        showToast(t('edit.undone'))
        return refresh()
      }, showFailureToast)
    const edits: Edits = {
      async done(title, { undoId }) {
        showToast(title, { label: t('edit.undo'), run: () => undo(undoId) })
        await refresh()
      },
      run: (title, work) => void work.then((change) => edits.done(title, change), showFailureToast),
    }
    return edits
  }, [client, queryClient])
}
