import { useQuery } from '@tanstack/react-query'
import type { AppInfo } from '../../../../shared/contract/app'
import { folderName } from '../../../format/folder-name'
import { useLayout } from '../../../state/page/layout-state'
import { useQueries } from '../../../state/page/queries'
import { useSessions } from '../../../state/session/sessions-state'

/** The folder that a section of the settings is about. */
export interface EditedPlace {
  /** Undefined until it is known. */
  folder: string | undefined
  /** Its name for people. */
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
