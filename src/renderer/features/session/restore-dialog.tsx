import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { textOf } from '../../../shared/model/turn/message'
import {
  requestRestore,
  returnToComposer,
  usePendingRestore,
  type PendingRestore,
} from '../../state/session/restore-state'
import { showToast, showFailureToast } from '../../state/page/toasts-state'
import { useClient, useQueries } from '../../state/page/queries'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/overlay/dialog'
import { RadioList } from '../../ui/form/choice-fields'
import { Skeleton } from '../../ui/loading'
import type { RestorePreview, RestoreStep } from '../../../shared/model/session/checkpoint'
import { cx } from '../../ui/cx'
import { LoadError } from '../../ui/load-error'

type What = 'both' | 'files' | 'conversation'

const WHATS: { value: What; label: string; description: string }[] = [
  {
    value: 'both',
    label: 'Files and conversation',
    description: 'Undo everything since this message and put it back in the composer.',
  },
  { value: 'files', label: 'Files only', description: 'Keep the conversation. The agent won’t know.' },
  { value: 'conversation', label: 'Conversation only', description: 'Keep the files as they are.' },
]

/** Asks how to restore to before a message, and previews the changes on disk. */
export function RestoreDialog({ sessionId, folder }: { sessionId: string; folder: string }) {
  const asked = usePendingRestore((state) => (state.asked?.sessionId === sessionId ? state.asked : undefined))
  return asked ? <Asked key={asked.to} asked={asked} folder={folder} /> : null
}

function Asked({ asked, folder }: { asked: PendingRestore; folder: string }) {
  const { sessionId, to, parts } = asked
  const text = textOf(parts)
  const client = useClient()
  const queries = useQueries()
  const [what, setWhat] = useState<What>('both')
  const [overwrite, setOverwrite] = useState<ReadonlySet<string>>(new Set())
  const [working, setWorking] = useState(false)
  const request = {
    sessionId,
    to,
    files: what !== 'conversation',
    conversation: what !== 'files',
    overwrite: [...overwrite],
  }
  const preview = useQuery(
    queries.checkpoint.preview.queryOptions({
      input: request,
      staleTime: 0,
      gcTime: 0,
      retry: false,
      placeholderData: (before) => before,
    }),
  )
  const restore = async (): Promise<void> => {
    setWorking(true)
    try {
      const { kept } = await client.checkpoint.restore(request)
      if (request.conversation) returnToComposer({ sessionId, parts })
      close()
      showToast(
        kept.length === 0
          ? 'Restored'
          : kept.length === 1
            ? 'Restored, except one file'
            : `Restored, except ${kept.length} files`,
      )
    } catch (error) {
      showFailureToast(error)
      setWorking(false)
    }
  }
  const nothing = preview.data !== undefined && preview.data.steps.length === 0 && what === 'files'
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) close()
      }}
      title="Restore to before this message"
      description={<span className="line-clamp-2 break-words">“{text.trim() || 'An image'}”</span>}
      width={560}
      footer={
        <>
          <Button variant="quiet" onClick={close}>
            Cancel
          </Button>
          <Button
            variant="primary"
            busy={working}
            disabled={!preview.data || preview.isPlaceholderData || preview.isError || nothing}
            onClick={() => void restore()}
          >
            Restore
          </Button>
        </>
      }
    >
      <RadioList label="What to restore" value={what} options={WHATS} onChange={setWhat} />
      <div className="mt-3" aria-live="polite">
        {preview.isError ? (
          <LoadError query={preview} />
        ) : preview.data ? (
          <RestorePlan
            preview={preview.data}
            folder={folder}
            withFiles={what !== 'conversation'}
            overwrite={overwrite}
            onOverwrite={setOverwrite}
          />
        ) : (
          <Skeleton className="w-2/3" />
        )}
      </div>
      <p className="mt-3 text-small text-ink-3">You can undo this. Current files are backed up first.</p>
    </Dialog>
  )
}

function close(): void {
  requestRestore(undefined)
}

interface RestorePlanProps {
  preview: RestorePreview
  folder: string
  withFiles: boolean
  /** Files changed elsewhere that are to be restored anyway. */
  overwrite: ReadonlySet<string>
  onOverwrite: (paths: ReadonlySet<string>) => void
}

const SHOWN = 200
const RESTORE_ACTION_LABELS: Record<RestoreStep['action'], string> = {
  create: 'will be restored',
  change: 'will be reverted',
  delete: 'will be deleted',
}

/** The changes of a restore on disk, and the files it leaves alone. */
export function RestorePlan({ preview, folder, withFiles, overwrite, onOverwrite }: RestorePlanProps) {
  const { steps, kept, notCovered, messagesTaken } = preview
  const toggle = (path: string): void => {
    const next = new Set(overwrite)
    if (!next.delete(path)) next.add(path)
    onOverwrite(next)
  }
  const chosen = steps.filter(({ path }) => overwrite.has(path))
  return (
    <div className="space-y-3">
      {messagesTaken !== undefined && (
        <p className="text-ui">
          {messagesTaken === 1
            ? 'This message and everything after it will be removed.'
            : `${messagesTaken} of your messages and everything after them will be removed.`}
        </p>
      )}
      {withFiles && steps.length === 0 && kept.length === 0 && <p className="text-ui text-ink-2">No file changes.</p>}
      {steps.length > 0 && (
        <ul
          aria-label="What changes on disk"
          className="max-h-[220px] overflow-y-auto rounded-lg border border-line bg-paper py-1"
        >
          {steps.slice(0, SHOWN).map(({ path, action, isFolder }) => (
            <li key={path} className="flex items-baseline gap-3 px-3 py-[3px] text-small">
              <span title={path} className="min-w-0 flex-1 truncate font-mono">
                {shownPath(path, folder)}
                {isFolder && '/'}
              </span>
              <span
                className={cx(
                  'flex-none',
                  action === 'delete' ? 'text-del-ink' : action === 'create' ? 'text-add-ink' : 'text-ink-2',
                )}
              >
                {RESTORE_ACTION_LABELS[action]}
              </span>
            </li>
          ))}
          {steps.length > SHOWN && (
            <li className="px-3 py-[3px] text-small text-ink-3">and {(steps.length - SHOWN).toLocaleString()} more</li>
          )}
        </ul>
      )}
      {(kept.length > 0 || chosen.length > 0) && (
        <section aria-label="Not changed" className="rounded-lg border border-line px-3 py-2">
          <h3 className="text-tiny font-semibold text-ink-2">Not changed</h3>
          <ul className="max-h-[180px] overflow-y-auto">
            {chosen.map(({ path }) => (
              <Kept
                key={path}
                path={shownPath(path, folder)}
                why="Also restored, as you chose."
                isChosen
                onToggle={() => toggle(path)}
              />
            ))}
            {kept.slice(0, SHOWN).map(({ path, why, kind }) => (
              <Kept
                key={path}
                path={shownPath(path, folder)}
                why={why}
                isChosen={false}
                {...(kind === 'changed' && { onToggle: () => toggle(path) })}
              />
            ))}
          </ul>
        </section>
      )}
      {withFiles && notCovered.length > 0 && (
        <ul aria-label="Not covered" className="list-disc pl-5 text-small text-ink-3">
          {notCovered.map((text) => (
            <li key={text} className="break-words">
              {text}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function Kept({
  path,
  why,
  isChosen,
  onToggle,
}: {
  path: string
  why: string
  isChosen: boolean
  onToggle?: () => void
}) {
  return (
    <li className="flex items-start gap-3 py-1 text-small">
      <span className="min-w-0 flex-1">
        <span className="block truncate font-mono">{path}</span>
        <span className="block text-ink-3">{why}</span>
      </span>
      {onToggle && (
        <label className="flex flex-none items-center gap-1.5 text-ink-2">
          <input type="checkbox" checked={isChosen} onChange={onToggle} aria-label={`Restore ${path} too`} />
          Restore too
        </label>
      )}
    </li>
  )
}

function shownPath(path: string, folder: string): string {
  return folder !== '' && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path
}
