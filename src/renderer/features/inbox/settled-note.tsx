import { useQuery } from '@tanstack/react-query'
import type { TrestleClient } from '../../../shared/contract'
import type { InboxEntry } from '../../../shared/model/approval'
import { failureFrom } from '../../client/failure-from'
import { entryKey } from '../../state/inbox-state'
import { useClient } from '../../state/trestle-context'
import { settledWords } from './settled-words'

/** How far back (events) the end of a request is looked for: it has only just happened. */
const NEWEST = 60

/** A short word of how a request ended that was not answered on this page. */
export function SettledNote({ entry }: { entry: InboxEntry }) {
  const client = useClient()
  const { data } = useQuery({
    queryKey: ['settled-approval', entryKey(entry)],
    queryFn: () => outcome(client, entry),
    staleTime: Infinity,
    gcTime: 60_000,
    retry: false,
  })
  return <span className="inbox-settled">{data ?? 'Answered elsewhere.'}</span>
}

async function outcome(client: TrestleClient, { sessionId, approvalId }: InboxEntry): Promise<string> {
  try {
    const { events } = await client.session.window({ sessionId, before: Number.MAX_SAFE_INTEGER, limit: NEWEST })
    const end = events.findLast((event) => event.type === 'approval.resolved' && event.approvalId === approvalId)
    return end?.type === 'approval.resolved' ? settledWords(end) : 'No longer needed.'
  } catch (error) {
    return failureFrom(error).code === 'session.not_found' ? 'Session deleted.' : 'No longer needed.'
  }
}
