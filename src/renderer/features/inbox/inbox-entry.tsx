import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Approval, InboxEntry } from '../../../shared/model/approval'
import { failureFrom } from '../../client/failure-from'
import { useQueries } from '../../state/trestle-context'
import { ErrorNote } from '../../ui/error-note'
import { Skeleton } from '../../ui/skeleton'

interface InboxEntryViewProps {
  entry: InboxEntry
  renderCard: (approval: Approval) => ReactNode
}

/** The open request: asked for whole, with its preview, and shown as the conversation shows it. */
export function InboxEntryView({ entry, renderCard }: InboxEntryViewProps) {
  const queries = useQueries()
  const { sessionId, approvalId, elsewhere } = entry
  const { data, error } = useQuery(
    queries.approval.get.queryOptions({ input: { sessionId, approvalId }, staleTime: Infinity, gcTime: 60_000, retry: false }),
  )
  if (error) {
    const failure = failureFrom(error)
    // It was settled this very moment: the list is about to say so.
    return failure.code === 'approval.gone' ? null : <ErrorNote failure={failure} />
  }
  if (!data) {
    return (
      <div role="status" aria-label="Loading the request" className="space-y-2.5 rounded-lg border border-line bg-raised p-4">
        <Skeleton className="w-2/5" />
        <Skeleton className="w-4/5" />
        <Skeleton className="w-3/5" />
      </div>
    )
  }
  return (
    <>
      {elsewhere !== undefined && (
        <p className="inbox-elsewhere">
          Another Trestle runs this session ({elsewhere}). It can only be answered there; it disappears here when it is.
        </p>
      )}
      {renderCard(data)}
    </>
  )
}
