import { useEffect, useState } from 'react'
import type { InboxEntry } from '../../../shared/model/approval'
import { entryKey } from '../../state/inbox-state'

/** How long a settled request is still named, in ms, and how many at most. */
const STAY_MS = 12_000
const MOST = 5

interface Seen {
  entries: readonly InboxEntry[]
  settled: readonly InboxEntry[]
}

/** Requests that have just left the list without being answered on this page, newest first. */
export function useSettledElsewhere(entries: readonly InboxEntry[], wasAnswered: (entry: InboxEntry) => boolean): readonly InboxEntry[] {
  const [seen, setSeen] = useState<Seen>({ entries, settled: [] })
  if (seen.entries !== entries) {
    const listed = new Set(entries.map(entryKey))
    const left = seen.entries.filter((entry) => !listed.has(entryKey(entry)) && !wasAnswered(entry))
    setSeen({ entries, settled: [...left.toReversed(), ...seen.settled].slice(0, MOST) })
  }
  useEffect(() => {
    if (seen.settled.length === 0) return undefined
    const timer = setTimeout(() => setSeen((before) => ({ ...before, settled: before.settled.slice(0, -1) })), STAY_MS)
    return () => clearTimeout(timer)
  }, [seen.settled])
  return seen.settled
}
