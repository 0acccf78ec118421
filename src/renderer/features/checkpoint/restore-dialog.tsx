import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { textOf } from '../../../shared/model/message'
import { askRestore, giveBack, useAskedRestore, type AskedRestore } from '../../state/restore-state'
import { tell, tellFailure } from '../../state/toasts-state'
import { useClient, useQueries } from '../../state/trestle-context'
import { failureFrom } from '../../client/failure-from'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { ErrorNote } from '../../ui/error-note'
import { RadioList } from '../../ui/radio-list'
import { Skeleton } from '../../ui/skeleton'
import { RestorePlan } from './restore-plan'

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

/** Asks how to go back to before a message, and shows first what that changes on disk. */
export function RestoreDialog({ sessionId, folder }: { sessionId: string; folder: string }) {
  const asked = useAskedRestore((state) => (state.asked?.sessionId === sessionId ? state.asked : undefined))
  return asked ? <Asked key={asked.to} asked={asked} folder={folder} /> : null
}

function Asked({ asked, folder }: { asked: AskedRestore; folder: string }) {
  const { sessionId, to, parts } = asked
  const text = textOf(parts)
  const client = useClient()
  const queries = useQueries()
  const [what, setWhat] = useState<What>('both')
  const [overwrite, setOverwrite] = useState<ReadonlySet<string>>(new Set())
  const [working, setWorking] = useState(false)
  const request = { sessionId, to, files: what !== 'conversation', conversation: what !== 'files', overwrite: [...overwrite] }
  const preview = useQuery(
    queries.checkpoint.preview.queryOptions({ input: request, staleTime: 0, gcTime: 0, retry: false, placeholderData: (before) => before }),
  )
  const restore = async (): Promise<void> => {
    setWorking(true)
    try {
      const { kept } = await client.checkpoint.restore(request)
      if (request.conversation) giveBack({ sessionId, parts })
      close()
      tell(kept.length === 0 ? 'Restored' : kept.length === 1 ? 'Restored, except one file' : `Restored, except ${kept.length} files`)
    } catch (error) {
      tellFailure(error)
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
      description={<span className="line-clamp-2 break-words">“{text.trim() || 'A picture'}”</span>}
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
          <ErrorNote failure={failureFrom(preview.error)} />
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
  askRestore(undefined)
}
