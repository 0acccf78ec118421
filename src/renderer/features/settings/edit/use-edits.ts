import { useQueryClient, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Undoable } from '../../../../shared/configuration/customize/rules'
import { t } from '../../../../shared/language/settings-messages'
import { useClient, useQueries } from '../../../state/page/queries'
import { showFailureToast, showToast } from '../../../state/page/toasts-state'
import type { AppInfo } from '../../../../shared/contract/app/app'
import { folderName } from '../../../format/folder-name'
import { useLayout } from '../../../state/page/layout-state'
import { useSessions } from '../../../state/session-list/sessions-state'

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

/** The folder that a section of the settings is about. */
export interface EditedPlace {
  /** Undefined until it is known. */
  folder: string | undefined
  /** Its name for display. */
  name: string
  userHome: string | undefined
  /** Whether the project's own configuration can be changed here; undefined until that is known. */
  canEditProject: boolean | undefined
}

/** The project of the session on screen, or else the user's home folder. */
export function useEditedPlace(info: AppInfo | undefined): EditedPlace {
  const queries = useQueries()
  const lastSessionId = useLayout((layout) => layout.lastSessionId)
  const folder =
    useSessions((state) => (lastSessionId === undefined ? undefined : state.sessions.get(lastSessionId)?.folder)) ??
    info?.userHome
  const { data } = useQuery(
    queries.rule.list.queryOptions({ input: { folder: folder ?? '' }, enabled: folder !== undefined }),
  )
  return {
    folder,
    name: folder === undefined ? '' : folderName(folder, info?.userHome).name,
    userHome: info?.userHome,
    canEditProject: data && data.files.project !== undefined && (data.trust === 'trusted' || data.trust === 'nothing'),
  }
}
