import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { isUserProvided, textOf, type UserPart } from '../../../shared/model/turn/message'
import { requestResend, resend, usePendingResend, type PendingResend } from '../../state/session/resend-state'
import { useSessionHeader } from '../../state/session/session-view'
import { showFailureToast } from '../../state/page/toasts-state'
import { useClient, useQueries, useSettings } from '../../state/page/queries'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/overlay/dialog'
import { RadioList, SelectField, TextAreaField } from '../../ui/form/choice-fields'
import { Skeleton } from '../../ui/loading'
import { RestorePlan } from './restore-dialog'
import { LoadError } from '../../ui/load-error'

type Where = 'both' | 'conversation' | 'fork'

const WHERES: { value: Where; label: string; description: string }[] = [
  {
    value: 'conversation',
    label: 'In this session, keep the files',
    description: 'What follows the message is removed. Files stay as they are now.',
  },
  {
    value: 'both',
    label: 'In this session, restore the files',
    description: 'What follows the message is removed, and its changes are undone.',
  },
  {
    value: 'fork',
    label: 'In a fork',
    description: 'A new session starts with the conversation before the message. This one stays as it is.',
  },
]

/** Edits a message and sends it again, or asks what a retry does with the files. */
export function ResendDialog({ sessionId, folder }: { sessionId: string; folder: string }) {
  const asked = usePendingResend((state) => (state.asked?.sessionId === sessionId ? state.asked : undefined))
  return asked ? <Asked key={`${asked.to} ${asked.kind}`} asked={asked} folder={folder} /> : null
}

function Asked({ asked, folder }: { asked: PendingResend; folder: string }) {
  const { sessionId, to, kind } = asked
  const client = useClient()
  const queries = useQueries()
  const header = useSessionHeader(sessionId)
  const { data: settings } = useSettings()
  const own = asked.parts.filter(isUserProvided)
  const media = own.filter((part) => part.type === 'media')
  const [text, setText] = useState(() => textOf(own))
  const [where, setWhere] = useState<Where>(kind === 'retry' ? 'both' : 'conversation')
  const [model, setModel] = useState(asked.model)
  const [overwrite, setOverwrite] = useState<ReadonlySet<string>>(new Set())
  const [working, setWorking] = useState(false)
  const files = where === 'both'
  const preview = useQuery(
    queries.checkpoint.preview.queryOptions({
      input: { sessionId, to, files: where !== 'conversation', conversation: true, overwrite: [...overwrite] },
      staleTime: 0,
      gcTime: 0,
      retry: false,
      placeholderData: keepPreviousData,
    }),
  )
  const parts: UserPart[] = [...media, ...(text.trim() === '' ? [] : [{ type: 'text' as const, text: text.trim() }])]
  const current = header?.model ?? settings?.defaultModel
  const isReady = parts.length > 0 && !(files && (!preview.data || preview.isPlaceholderData))
  const send = async (): Promise<void> => {
    if (!isReady || working) return
    setWorking(true)
    try {
      await resend(client, {
        sessionId,
        to,
        parts,
        where: where === 'fork' ? 'fork' : 'here',
        files,
        overwrite: [...overwrite],
        ...(model !== undefined && model !== current && { model }),
      })
      close()
    } catch (error) {
      // The dialog keeps the edited text.
      showFailureToast(error)
      setWorking(false)
    }
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) close()
      }}
      title={kind === 'edit' ? 'Edit and resend' : 'Retry'}
      {...(kind === 'retry' && { description: 'Files have changed since this message.' })}
      width={600}
      footer={
        <>
          <Button variant="quiet" onClick={close}>
            Cancel
          </Button>
          <Button variant="primary" busy={working} disabled={!isReady} onClick={() => void send()}>
            {kind === 'edit' ? 'Send' : 'Retry'}
          </Button>
        </>
      }
    >
      <div className="space-y-3">
        <TextAreaField
          label="Message"
          value={text}
          rows={Math.min(12, Math.max(3, text.split('\n').length + 1))}
          dir="auto"
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
            event.preventDefault()
            void send()
          }}
        />
        {media.length > 0 && (
          <p className="text-small text-ink-3">
            With {media.length === 1 ? '1 attachment' : `${media.length} attachments`}
          </p>
        )}
        {settings && settings.models.length > 1 && (
          <SelectField label="Model" value={model ?? current ?? ''} onChange={(event) => setModel(event.target.value)}>
            {settings.models.map(({ id, label }) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
          </SelectField>
        )}
        <RadioList label="Where" value={where} options={WHERES} onChange={setWhere} />
        <div aria-live="polite">
          {where !== 'fork' && header?.turnId !== undefined && (
            <p className="mb-2 text-ui text-ink-2">The running turn is stopped first.</p>
          )}
          {where === 'fork' ? null : preview.isError ? (
            <LoadError query={preview} />
          ) : preview.data ? (
            <RestorePlan
              preview={preview.data}
              folder={folder}
              withFiles={files}
              overwrite={overwrite}
              onOverwrite={setOverwrite}
            />
          ) : (
            <Skeleton className="w-2/3" />
          )}
        </div>
        {where !== 'fork' && <p className="text-small text-ink-3">You can undo this in the conversation.</p>}
      </div>
    </Dialog>
  )
}

function close(): void {
  requestResend(undefined)
}
