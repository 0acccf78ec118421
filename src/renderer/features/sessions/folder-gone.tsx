import { askAboutSession } from '../../state/session/session-dialog-state'
import { isScratchFolder } from '../../../shared/model/project/scratch-folder'
import { Banner } from '../../ui/notice'
import { Button } from '../../ui/button'
import { useFolderMissing } from '../../state/session-list/missing-folders'

/** Shown above a session whose project folder no longer exists, with a button to choose its new location. */
export function FolderGone({ sessionId, folder }: { sessionId: string; folder: string }) {
  if (!useFolderMissing(folder)) return null
  const isOne = isScratchFolder(folder)
  return (
    <Banner
      tone="wait"
      actions={
        <Button size="small" onClick={() => askAboutSession({ kind: 'relink', folder, ...(isOne && { sessionId }) })}>
          Choose where it is now…
        </Button>
      }
    >
      The folder {folder} no longer exists. Choose where it is now to continue this session.
    </Banner>
  )
}
