import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { EditableText } from '../../../../shared/model/project/file-view'
import { failureFrom } from '../../../client/failure-from'
import { guardClose } from '../../../state/panes/close-guards'
import { paneKey } from '../../../state/panes/pane'
import { closePane as closeTab } from '../../../state/panes/panes-state'
import { useClient } from '../../../state/page/queries'
import { showFailureToast, showToast } from '../../../state/page/toasts-state'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/overlay/dialog'
import { Skeleton } from '../../../ui/loading'
import { ErrorNote } from '../../../ui/notice'
import { draftOf, forgetContinued, keepDraft } from './drafts'
import { EditField } from '../../../ui/editor/edit-field'
import { forDisk, forEditor } from './line-ends'
import { StaleNote } from './stale-note'

interface EditViewProps {
  sessionId: string
  path: string
  line: number
  /** Version of the file on disk; the file is read again when this changes. */
  version: string | undefined
  onClose: () => void
}

/**
 * Edits a text file. Unsaved text is kept as a draft, and a file that has changed since is never overwritten without
 * asking.
 */
export function EditView({ sessionId, path, line, version, onClose }: EditViewProps) {
  const client = useClient()
  const { data, error } = useQuery({
    queryKey: ['file-text', sessionId, path, version],
    queryFn: () => client.file.text({ sessionId, path }),
    placeholderData: (before) => before,
    structuralSharing: false,
    gcTime: 0,
    retry: false,
  })
  const [draft] = useState(() => draftOf(sessionId, path))
  const failure = error && !data && !draft ? failureFrom(error) : undefined
  if (failure)
    return (
      <ErrorNote
        failure={failure}
        className="m-4"
        actions={
          <Button size="small" onClick={onClose}>
            Close the editor
          </Button>
        }
      />
    )
  // The draft of a deleted file can still be saved.
  const now: EditableText | undefined = data ?? (error && draft ? GONE : undefined)
  if (!now) return <Skeleton className="m-4 w-1/2" />
  return (
    <Editing
      sessionId={sessionId}
      path={path}
      line={line}
      onDisk={now}
      start={draft ?? now}
      onResolved={() => draft && forgetContinued(draft)}
      isFromElsewhere={draft?.from !== undefined}
      onClose={onClose}
    />
  )
}

const GONE: EditableText = { text: '', mark: 'absent', lineEndings: 'lf' }

interface EditingProps extends Omit<EditViewProps, 'version'> {
  onDisk: EditableText
  start: { text: string; mark: string }
  /** The draft was saved or discarded. */
  onResolved: () => void
  /** The draft was started in another window. */
  isFromElsewhere: boolean
}

function Editing({ sessionId, path, line, onDisk, start, onResolved, isFromElsewhere, onClose }: EditingProps) {
  const client = useClient()
  const [ends] = useState(onDisk.lineEndings)
  const [base, setBase] = useState(start.mark)
  const [saved, setSaved] = useState(start.mark === onDisk.mark ? forEditor(onDisk.text, ends) : undefined)
  const [field, setField] = useState({ key: 0, text: forEditor(start.text, ends) })
  const text = useRef(field.text)
  const [isDirty, setDirty] = useState(field.text !== saved)
  const [isSaving, setSaving] = useState(false)
  const [asks, setAsks] = useState<'close' | 'cancel'>()
  const key = paneKey({ kind: 'file', path })
  const isStale = isDirty && onDisk.mark !== base && !isSaving

  const change = useCallback(
    (next: string) => {
      text.current = next
      const differs = next !== saved
      setDirty(differs)
      keepDraft(sessionId, path, differs ? { text: forDisk(next, ends), mark: base } : undefined)
    },
    [sessionId, path, saved, base, ends],
  )
  /** Writes the file; `mark`: the content it may replace. */
  const save = async (mark: string): Promise<boolean> => {
    if (isSaving) return false
    setSaving(true)
    const written = text.current
    try {
      const outcome = await client.file.save({ sessionId, path, text: forDisk(written, ends), mark })
      if (!outcome.saved) {
        showToast(outcome.stale === 'deleted' ? 'Not saved: the file was deleted' : 'Not saved: the file has changed')
        return false
      }
      setBase(outcome.mark)
      onResolved()
      setSaved(written)
      const isSame = text.current === written
      setDirty(!isSame)
      keepDraft(sessionId, path, isSame ? undefined : { text: forDisk(text.current, ends), mark: outcome.mark })
      showToast('Saved', {
        label: 'Undo',
        run: () =>
          void client.checkpoint
            .restore({ sessionId, to: outcome.seq - 1, files: true, paths: [outcome.path] })
            .then(() => showToast('Undone'), showFailureToast),
      })
      return true
    } catch (reason) {
      showFailureToast(reason)
      return false
    } finally {
      setSaving(false)
    }
  }
  /** Shows the file on disk, and drops the edit. */
  const reload = (): void => {
    const fresh = forEditor(onDisk.text, ends)
    keepDraft(sessionId, path, undefined)
    onResolved()
    setBase(onDisk.mark)
    setSaved(fresh)
    setDirty(false)
    text.current = fresh
    setField(({ key: before }) => ({ key: before + 1, text: fresh }))
  }
  const discard = (): void => {
    keepDraft(sessionId, path, undefined)
    onResolved()
    setAsks(undefined)
    if (asks === 'close') closePane(false)
    else onClose()
  }
  const closePane = (keeps: boolean): void => {
    guard.current?.()
    if (!keeps) keepDraft(sessionId, path, undefined)
    closeTab(sessionId, key)
  }
  const guard = useRef<() => void>(undefined)
  useEffect(() => {
    if (!isDirty) return undefined
    const stop = guardClose(sessionId, key, () => {
      setAsks('close')
      return false
    })
    guard.current = stop
    return stop
  }, [isDirty, sessionId, key])
  // Shows the file on disk as long as nothing was edited.
  useEffect(() => {
    if (!isDirty && !isSaving && onDisk.mark !== base) reload()
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [onDisk.mark])

  const saveAnd = (then: () => void): void => void save(base).then((isDone) => isDone && then())
  return (
    <div className="file-edit">
      <div className="file-edit-bar">
        <p role="status">
          {!isDirty
            ? 'No unsaved changes'
            : isFromElsewhere
              ? 'Unsaved changes, continued from another window'
              : 'Unsaved changes, kept as a draft'}
        </p>
        <Button
          size="small"
          variant="quiet"
          onClick={() => (isDirty ? setAsks('cancel') : onClose())}
          disabled={isSaving}
        >
          {isDirty ? 'Cancel' : 'Done'}
        </Button>
        <Button
          size="small"
          variant="primary"
          kbd="Mod+S"
          busy={isSaving}
          disabled={!isDirty}
          onClick={() => void save(base)}
        >
          Save
        </Button>
      </div>
      {isStale && (
        <StaleNote
          path={path}
          onDisk={forEditor(onDisk.text, ends)}
          mine={text}
          isDeleted={onDisk.mark === 'absent'}
          onReload={reload}
          onOverwrite={() => void save(onDisk.mark)}
        />
      )}
      <EditField
        className="file-edit-field"
        key={field.key}
        text={field.text}
        path={path}
        line={line}
        onChange={change}
        onSave={() => void save(base)}
      />
      {asks && (
        <Dialog
          open
          onOpenChange={(open) => !open && setAsks(undefined)}
          title="Save your changes?"
          description={`${path} has unsaved changes.`}
          footer={
            <>
              <Button variant="danger" onClick={discard}>
                Discard
              </Button>
              {asks === 'close' && <Button onClick={() => closePane(true)}>Keep as a draft</Button>}
              <Button
                variant="primary"
                busy={isSaving}
                onClick={() => saveAnd(() => (asks === 'close' ? closePane(true) : onClose()))}
              >
                Save
              </Button>
            </>
          }
        >
          {asks === 'close' && (
            <p className="text-ui text-ink-2">A draft is restored when you reopen the file in this session.</p>
          )}
        </Dialog>
      )}
    </div>
  )
}
