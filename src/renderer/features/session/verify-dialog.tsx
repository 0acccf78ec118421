import { useQuery } from '@tanstack/react-query'
import { ShieldAlert, ShieldCheck } from 'lucide-react'
import type { HistoryCheck } from '../../../shared/model/session/history'
import { failureFrom } from '../../client/failure-from'
import { useClient } from '../../state/page/queries'
import { Button } from '../../ui/button'
import { CopyButton } from '../../ui/content/copy-button'
import { Dialog } from '../../ui/overlay/dialog'
import { Spinner } from '../../ui/loading'
import { ErrorNote } from '../../ui/notice'

export interface VerifyDialogProps {
  sessionId: string
  title: string
  onClose: () => void
  onReplay: (seq: number) => void
}

/** Checks the history of a session against its hashes, and shows the result. */
export function VerifyDialog({ sessionId, title, onClose, onReplay }: VerifyDialogProps) {
  const client = useClient()
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['verify', sessionId],
    queryFn: () => client.history.verify({ sessionId }),
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
  })
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Verify history"
      description={title}
      width={560}
      footer={
        <>
          {data?.problem && (
            <Button variant="quiet" onClick={() => onReplay(Math.max(1, Math.min(data.problem!.seq, data.events)))}>
              Show in replay
            </Button>
          )}
          <Button busy={isFetching} onClick={() => void refetch()}>
            Check again
          </Button>
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      {error ? (
        <ErrorNote failure={failureFrom(error)} />
      ) : data ? (
        <Result check={data} />
      ) : (
        <Spinner label="Checking every event…" />
      )}
    </Dialog>
  )
}

function Result({ check: { ok, events, withoutHash, head, problem } }: { check: HistoryCheck }) {
  if (!ok)
    return (
      <div role="alert" className="flex gap-3 rounded-lg bg-fail-bg px-3 py-2.5 text-fail-ink">
        <ShieldAlert aria-hidden className="mt-0.5 size-[18px] flex-none" />
        <div className="min-w-0">
          <p className="font-medium">The history was changed since it was recorded</p>
          <p className="text-ui wrap-anywhere">{problem?.text}</p>
        </div>
      </div>
    )
  return (
    <div className="space-y-3">
      <div role="status" className="flex gap-3 rounded-lg bg-done-bg px-3 py-2.5 text-done-ink">
        <ShieldCheck aria-hidden className="mt-0.5 size-[18px] flex-none" />
        <div>
          <p className="font-medium">The history is intact</p>
          <p className="text-ui">
            {events === 1 ? '1 event is' : `${events.toLocaleString()} events are`} as recorded.
          </p>
        </div>
      </div>
      {withoutHash > 0 && (
        <p className="text-ui text-ink-2">
          {withoutHash === events
            ? 'Recorded before hashes were introduced. The hash of the next event will cover everything.'
            : `Events 1 to ${withoutHash.toLocaleString()} have no hashes of their own: ` +
              'the hash of the next event covers them.'}
        </p>
      )}
      <div>
        <p className="text-small font-medium text-ink-2">Hash of the last event</p>
        <p className="flex items-start gap-2">
          <code className="min-w-0 flex-1 text-small wrap-anywhere">{head}</code>
          <CopyButton text={head} label="Copy the hash" />
        </p>
        <p className="mt-1 text-small text-ink-3">
          Keep it elsewhere to check later that the history up to here is still the same.
        </p>
      </div>
    </div>
  )
}
