import { useEffect, useRef, useState, type FormEvent } from 'react'
import type { TrestleClient } from '../../../shared/contract'
import { failureFrom } from '../../client/failure-from'
import { openPane } from '../../state/panes/panes-state'
import { useClient } from '../../state/page/queries'
import { showFailureToast, showToast } from '../../state/page/toasts-state'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/overlay/dialog'
import { pathIn, shownPath, type RequestedChange } from './tree-rows'

interface FileDialogsProps {
  sessionId: string
  asked: RequestedChange
  /** The project folders: paths in them are shown relative to them. */
  roots: readonly string[]
  onClose: () => void
  onChanged: () => void
}

/** Makes the change: asks for a name where one is needed. A deletion is immediate, and can be undone. */
export function FileDialogs({ sessionId, asked, roots, onClose, onChanged }: FileDialogsProps) {
  const client = useClient()
  const isDone = useRef(false)
  const undo = (seq: number, paths: string[]) => ({
    label: 'Undo',
    run: () => void undoChange(client, { sessionId, seq, paths }).then(onChanged),
  })
  useEffect(() => {
    if (asked.kind !== 'delete' || isDone.current) return
    isDone.current = true
    const { path } = asked
    const remove = async (): Promise<void> => {
      try {
        const { seq } = await client.file.remove({ sessionId, path })
        showToast(`Deleted ${shownPath(path, roots)}`, undo(seq, [path]))
        onChanged()
      } catch (error) {
        showFailureToast(error)
      }
      onClose()
    }
    void remove()
    // Deletes once per request.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [asked])
  // Renames the version that existed when the dialog opened.
  const seen = useRef<Promise<string | undefined>>(undefined)
  useEffect(() => {
    if (asked.kind !== 'rename') return
    seen.current = client.file.version({ sessionId, path: asked.path }).then(
      ({ version }) => version,
      () => undefined,
    )
  }, [client, sessionId, asked])
  if (asked.kind === 'delete') return null

  const start = asked.kind === 'new' ? '' : (asked.path.split(asked.path.startsWith('/') ? '/' : /[\\/]/).at(-1) ?? '')
  const run = async (name: string): Promise<void> => {
    if (asked.kind === 'new') {
      if (name.endsWith('/')) throw new Error('Enter a file name, such as folder/notes.md.')
      const path = pathIn(asked.folder, name)
      const outcome = await client.file.save({ sessionId, path, text: '', mark: 'absent' })
      if (!outcome.saved) throw new Error(`${name} already exists.`)
      const shown = shownPath(path, roots)
      showToast(`Created ${shown}`, undo(outcome.seq, [outcome.path]))
      openPane(sessionId, { kind: 'file', path: shown })
    } else {
      const folder = asked.path.slice(0, asked.path.length - start.length - 1)
      const version = await seen.current
      const { seq } = await client.file.rename({ sessionId, path: asked.path, name, ...(version && { version }) })
      const now = pathIn(folder, name)
      showToast(
        `Renamed to ${name}`,
        asked.isFolder
          ? {
              label: 'Undo',
              run: () =>
                void client.file
                  .rename({ sessionId, path: now, name: start })
                  .then(() => showToast('Undone'), showFailureToast)
                  .then(onChanged),
            }
          : undo(seq, [asked.path, now]),
      )
    }
    onChanged()
    onClose()
  }
  return (
    <NameDialog
      title={asked.kind === 'new' ? 'New file' : asked.isFolder ? 'Rename the folder' : 'Rename the file'}
      what={asked.kind === 'rename' && asked.isFolder ? 'folder' : 'file'}
      description={shownPath(asked.kind === 'new' ? asked.folder : asked.path, roots)}
      action={asked.kind === 'new' ? 'Create' : 'Rename'}
      start={start}
      run={run}
      onClose={onClose}
    />
  )
}

/** Undoes a file change of the user. */
async function undoChange(
  client: TrestleClient,
  { sessionId, seq, paths }: { sessionId: string; seq: number; paths: string[] },
): Promise<void> {
  try {
    await client.checkpoint.restore({ sessionId, to: seq - 1, files: true, paths })
    showToast('Undone')
  } catch (error) {
    showFailureToast(error)
  }
}

interface NameDialogProps {
  title: string
  what: 'file' | 'folder'
  description: string
  action: string
  start: string
  run: (name: string) => Promise<void>
  onClose: () => void
}

function NameDialog({ title, what, description, action, start, run, onClose }: NameDialogProps) {
  const [name, setName] = useState(start)
  const [problem, setProblem] = useState<string>()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const ending = what === 'file' ? start.lastIndexOf('.') : 0
    field.current?.setSelectionRange(0, ending > 0 ? ending : start.length)
  }, [start, what])
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (name.trim() === '' || name === start) return
    run(name.trim()).catch((error: unknown) => setProblem(failureFrom(error).message.replace(/^(?:path|name): /, '')))
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={title}
      description={description}
      footer={
        <>
          <Button variant="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button variant="primary" type="submit" form="file-name" disabled={name.trim() === '' || name === start}>
            {action}
          </Button>
        </>
      }
    >
      <form id="file-name" onSubmit={submit}>
        <input
          ref={field}
          autoFocus
          type="text"
          value={name}
          aria-label={`Name of the ${what}`}
          aria-invalid={problem !== undefined}
          spellCheck={false}
          maxLength={255}
          className="h-[29px] w-full rounded-md border border-line-strong bg-raised px-2 font-mono text-ui"
          onChange={(event) => {
            setName(event.target.value)
            setProblem(undefined)
          }}
        />
        {problem !== undefined && (
          <p role="alert" className="mt-1.5 text-small text-fail-ink">
            {problem}
          </p>
        )}
      </form>
    </Dialog>
  )
}
