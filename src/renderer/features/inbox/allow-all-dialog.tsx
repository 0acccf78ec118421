import { useQueries as useAllQueries } from '@tanstack/react-query'
import { useEffect, useState, type ReactNode } from 'react'
import type { Approval, InboxEntry } from '../../../shared/model/approval/approval'
import { toolLabel } from '../../../shared/tool-label'
import { failureFrom } from '../../client/failure-from'
import { folderName } from '../../format/folder-name'
import { entryKey } from '../../state/inbox-state'
import { titleOf } from '../../state/session-list/sessions-state'
import { showToast, showFailureToast } from '../../state/page/toasts-state'
import { useClient, useQueries } from '../../state/page/queries'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/overlay/dialog'
import { Skeleton } from '../../ui/loading'
import { answerable, MAX_TOGETHER, onceOption } from './inbox-selection'

/** Clicks within this time after the list appeared are ignored, in ms. */
const GRACE_MS = 600

interface AllowAllDialogProps {
  group: string
  /** The current inbox. */
  entries: readonly InboxEntry[]
  userHome: string | undefined
  /** `onSeen`: its end has been in view. */
  renderPreview: (approval: Approval, onSeen: () => void) => ReactNode
  onAnswered: (entry: InboxEntry) => void
  onClose: () => void
}

/** Allows similar requests once, together: only those shown here in full, and none that arrive in the meantime. */
export function AllowAllDialog({ group, entries, userHome, renderPreview, onAnswered, onClose }: AllowAllDialogProps) {
  const client = useClient()
  const queries = useQueries()
  const [shown] = useState(() => answerable(entries.filter((entry) => entry.group === group)).slice(0, MAX_TOGETHER))
  const [busy, setBusy] = useState(false)
  const results = useAllQueries({
    queries: shown.map(({ sessionId, approvalId }) =>
      queries.approval.get.queryOptions({
        input: { sessionId, approvalId },
        staleTime: Infinity,
        gcTime: 60_000,
        retry: false,
      }),
    ),
  })
  const listed = new Set(entries.map(entryKey))
  const waiting = shown.filter((entry, index) => listed.has(entryKey(entry)) && results[index]?.data)
  const isWhole = results.every((result) => !result.isPending)
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set())
  const unseen = waiting.filter(
    (entry) => !seen.has(entry.approvalId) && results[shown.indexOf(entry)]?.data?.preview,
  ).length
  const isArmed = useArmed(isWhole) && unseen === 0
  const count = waiting.length

  const allow = async (): Promise<void> => {
    if (!isArmed) return
    setBusy(true)
    let allowed = 0
    for (const entry of waiting) {
      const { sessionId, approvalId } = entry
      try {
        await client.approval.reply({ sessionId, approvalId, optionId: onceOption(entry) ?? '' })
        allowed += 1
        onAnswered(entry)
      } catch (error) {
        // Answered elsewhere first; the list shows it.
        if (failureFrom(error).code !== 'approval.gone') showFailureToast(error)
      }
    }
    showToast(allowed === 1 ? 'One request allowed' : `${allowed} requests allowed`)
    onClose()
  }

  return (
    <Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      title="Allow all similar requests?"
      description="Review each one. New requests won’t be included."
      width={720}
      footer={
        <>
          <span className="flex-1 text-small text-ink-3" role="status">
            {isWhole && unseen > 0 && `Scroll to the end of each preview to allow them. ${unseen} left.`}
          </span>
          <Button variant="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button
            variant="primary"
            busy={busy}
            disabled={count === 0 || !isWhole}
            aria-disabled={!isArmed || undefined}
            onClick={() => void allow()}
          >
            {count === 1 ? 'Allow this one once' : `Allow these ${count} once`}
          </Button>
        </>
      }
    >
      <ol className="space-y-3 pb-1">
        {shown.map((entry, index) => {
          const result = results[index]
          const gone = !listed.has(entryKey(entry)) || result?.isError
          return (
            <li key={entryKey(entry)} className={gone ? 'opacity-50' : undefined}>
              <p className="flex min-w-0 items-baseline gap-2 pb-1">
                <span className="flex-none text-ink-3 tabular-nums">{index + 1}</span>
                <b className="min-w-0 font-semibold" title={entry.tool}>
                  {toolLabel(entry.tool)}
                </b>
                <code className="min-w-0 flex-1 break-words whitespace-pre-wrap">
                  {/* The full command is shown below. */}
                  {result?.data?.preview?.kind !== 'command' && entry.summary}
                </code>
                <span className="max-w-[40%] flex-none truncate text-small text-ink-3">
                  {gone
                    ? 'no longer needed'
                    : `${folderName(entry.folder, userHome).name} · ${titleOf({ title: entry.sessionTitle })}`}
                </span>
              </p>
              <div className="overflow-hidden rounded-lg border border-line bg-raised empty:hidden">
                {result?.data ? (
                  renderPreview(result.data, () => setSeen((before) => new Set(before).add(entry.approvalId)))
                ) : gone ? null : (
                  <Skeleton className="m-3 w-3/5" />
                )}
              </div>
            </li>
          )
        })}
      </ol>
    </Dialog>
  )
}

/** False until everything has been on screen for a moment. */
function useArmed(isWhole: boolean): boolean {
  const [isArmed, setArmed] = useState(false)
  useEffect(() => {
    if (!isWhole) return undefined
    const timer = setTimeout(() => setArmed(true), GRACE_MS)
    return () => clearTimeout(timer)
  }, [isWhole])
  return isArmed
}
