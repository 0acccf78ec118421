import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { TrestleClient } from '../../../shared/contract'
import { type InboxEntry, REJECT_STOP } from '../../../shared/model/approval/approval'
import { failureFrom } from '../../client/failure-from'
import { entryKey } from '../../state/inbox-state'
import { useClient } from '../../state/page/queries'
import type { RecordedEvent } from '../../../shared/events/event'

/** How many events back the end of a request is searched for: it has only just happened. */
const NEWEST = 60

/** A short note on how a request ended that was not answered on this page. */
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
    return end?.type === 'approval.resolved' ? settledText(end) : 'No longer needed.'
  } catch (error) {
    return failureFrom(error).code === 'session.not_found' ? 'Session deleted.' : 'No longer needed.'
  }
}

type Resolved = Pick<
  Extract<RecordedEvent, { type: 'approval.resolved' }>,
  'outcome' | 'feedback' | 'reason' | 'rule' | 'chosen'
>

/** How a request ended, in a sentence or two. */
export function settledText({ outcome, feedback, reason, rule, chosen }: Resolved): string {
  if (chosen === REJECT_STOP) return 'Rejected elsewhere, and the turn was stopped.'
  if (chosen !== undefined) return 'Answered elsewhere.'
  switch (outcome) {
    case 'allow_once':
      return 'Allowed once, elsewhere.'
    case 'allow_always':
      if (reason !== undefined) return `Allowed by a rule. ${reason}`
      return rule?.scope === 'user' ? 'Allowed always, elsewhere.' : 'Allowed for its session, elsewhere.'
    case 'reject_once':
      if (reason !== undefined) return `Denied. ${reason}`
      return feedback === undefined ? 'Rejected, elsewhere.' : `Rejected, elsewhere: “${feedback}”`
    default:
      return reason === undefined ? 'Closed without an answer.' : `Closed. ${reason}`
  }
}

/** How long a resolved request stays listed, in ms, and the maximum number. */
const STAY_MS = 12_000
const MAX_SETTLED = 5

interface Seen {
  entries: readonly InboxEntry[]
  settled: readonly InboxEntry[]
}

/** Requests that have just left the list without being answered on this page, newest first. */
export function useSettledElsewhere(
  entries: readonly InboxEntry[],
  wasAnswered: (entry: InboxEntry) => boolean,
): readonly InboxEntry[] {
  const [seen, setSeen] = useState<Seen>({ entries, settled: [] })
  if (seen.entries !== entries) {
    const listed = new Set(entries.map(entryKey))
    const left = seen.entries.filter((entry) => !listed.has(entryKey(entry)) && !wasAnswered(entry))
    setSeen({ entries, settled: [...left.toReversed(), ...seen.settled].slice(0, MAX_SETTLED) })
  }
  useEffect(() => {
    if (seen.settled.length === 0) return undefined
    const timer = setTimeout(() => setSeen((before) => ({ ...before, settled: before.settled.slice(0, -1) })), STAY_MS)
    return () => clearTimeout(timer)
  }, [seen.settled])
  return seen.settled
}
