import { useMemo, useState } from 'react'
import { FolderBrowser } from '../../features/new-session/folder-browser'
import { folderName } from '../../format/folder-name'
import { projectsOf, titleOf, useSessions } from '../../state/session-list/sessions-state'
import { askAboutSession, useSessionDialog, type SessionDialog } from '../../state/session/session-dialog-state'
import { useSessionActions } from '../../state/session/session-actions'
import { showFailureToast, showToast } from '../../state/page/toasts-state'
import { useAppInfo, useClient } from '../../state/page/queries'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog'
import { Dialog } from '../../ui/overlay/dialog'
import { TextField } from '../../ui/form/field'
import { MoveDialog, ReplayDialog, VerifyDialog } from './lazy-session-parts'

/** The dialogs about sessions that commands open from anywhere. */
export function SessionDialogs() {
  const dialog = useSessionDialog((state) => state.dialog)
  switch (dialog?.kind) {
    case 'rename':
      return <RenameDialog key={dialog.sessionId} sessionId={dialog.sessionId} />
    case 'remove':
      return <RemoveDialog sessionId={dialog.sessionId} />
    case 'verify':
    case 'replay':
      return <HistoryDialog dialog={dialog} />
    case 'move':
      return <MoveSession key={dialog.sessionId} sessionId={dialog.sessionId} />
    case 'relink':
      return <RelinkDialog dialog={dialog} />
    default:
      return null
  }
}

function close(): void {
  askAboutSession(undefined)
}

function RenameDialog({ sessionId }: { sessionId: string }) {
  const actions = useSessionActions()
  const summary = useSessions((state) => state.sessions.get(sessionId))
  const [title, setTitle] = useState(summary?.title ?? '')
  const save = (): void => {
    const next = title.trim()
    if (next === '') return
    if (next !== summary?.title) actions.rename(sessionId, next)
    close()
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && close()}
      title="Rename the session"
      footer={
        <>
          <Button variant="quiet" onClick={close}>
            Cancel
          </Button>
          <Button variant="primary" disabled={title.trim() === ''} onClick={save}>
            Rename
          </Button>
        </>
      }
    >
      <TextField
        label="Title"
        value={title}
        maxLength={200}
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => setTitle(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.nativeEvent.isComposing) save()
        }}
      />
    </Dialog>
  )
}

/** Checks or replays the history of a session. */
function HistoryDialog({ dialog }: { dialog: Extract<SessionDialog, { kind: 'verify' | 'replay' }> }) {
  const { sessionId } = dialog
  const summary = useSessions((state) => state.sessions.get(sessionId))
  const about = { sessionId, title: summary ? titleOf(summary) : sessionId, onClose: close }
  return dialog.kind === 'verify' ? (
    <VerifyDialog {...about} onReplay={(from) => askAboutSession({ kind: 'replay', sessionId, from })} />
  ) : (
    <ReplayDialog {...about} {...(dialog.from !== undefined && { from: dialog.from })} />
  )
}

function MoveSession({ sessionId }: { sessionId: string }) {
  const summary = useSessions((state) => state.sessions.get(sessionId))
  const { data: info } = useAppInfo()
  return (
    <MoveDialog
      sessionId={sessionId}
      title={summary ? titleOf(summary) : sessionId}
      folder={summary?.worktree?.project ?? summary?.folder ?? ''}
      userHome={info?.userHome}
      {...(summary?.place !== undefined && { place: summary.place })}
      onClose={close}
    />
  )
}

function RemoveDialog({ sessionId }: { sessionId: string }) {
  const actions = useSessionActions()
  const summary = useSessions((state) => state.sessions.get(sessionId))
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && close()}
      title="Delete this session?"
      action="Delete session"
      onConfirm={() => actions.remove(sessionId)}
    >
      “{summary && titleOf(summary)}” and all its messages will be permanently deleted. Files in the folder aren’t
      changed.
    </ConfirmDialog>
  )
}

/** Chooses the folder where a project is now. */
function RelinkDialog({ dialog }: { dialog: Extract<SessionDialog, { kind: 'relink' }> }) {
  const { folder, sessionId } = dialog
  const client = useClient()
  const { data: info } = useAppInfo()
  const sessions = useSessions()
  const projects = useMemo(() => projectsOf(sessions), [sessions])
  const relink = async (to: string): Promise<void> => {
    close()
    try {
      const result = await client.conversation.relink({
        to,
        ...(sessionId === undefined ? { from: folder } : { sessionId }),
      })
      const { name } = folderName(result.folder, info?.userHome)
      const moved = result.moved === 1 ? 'The session is' : `${result.moved} sessions are`
      showToast(
        result.busy === 0
          ? `${moved} in ${name} now`
          : `${moved} in ${name} now. ${result.busy} still working and not moved: try again when they finish.`,
      )
    } catch (error) {
      showFailureToast(error)
    }
  }
  return (
    <FolderBrowser
      open
      onOpenChange={(open) => !open && close()}
      title={folder === '' ? 'Choose the project folder' : `Where is ${folderName(folder, info?.userHome).name} now?`}
      description={
        sessionId === undefined
          ? 'All sessions of the project will use the folder you choose.'
          : 'The session continues in the folder you choose.'
      }
      start={parentOf(folder) ?? info?.userHome ?? '/'}
      recent={projects.map((project) => project.folder).filter((path) => path !== folder)}
      shorten={(path) => path}
      onChoose={(path) => void relink(path)}
    />
  )
}

function parentOf(folder: string): string | undefined {
  const at = folder.lastIndexOf('/')
  return at > 0 ? folder.slice(0, at) : undefined
}
