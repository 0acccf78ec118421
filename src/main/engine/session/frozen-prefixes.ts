import type { RecordedEvent } from '../../../shared/model/event'
import type { RequestPrefix } from '../../../shared/model/prefix'
import type { SessionHeader } from '../../../shared/model/session'
import { isTelling, toldIn, toldTools } from '../context/prefix/told'
import type { Store } from './store'

/** So many sessions' prefixes stay in memory; the others are read again. */
const MOST_KEPT = 20

/** What the log has of the prefixes of sessions. */
export interface FrozenPrefixes {
  /** The one that a session's requests begin with; the same objects as long as it is the same. Undefined when the next turn freezes one. */
  of(session: { header: SessionHeader }): { seq: number; prefix: RequestPrefix } | undefined
  /** Names of the tools whose schemas the model of a session has. */
  toldTools(session: { header: SessionHeader }): ReadonlySet<string> | undefined
}

export function createFrozenPrefixes(store: Pick<Store, 'since' | 'historyBackwards'>): FrozenPrefixes {
  const kept = new Map<string, { seq: number; prefix: RequestPrefix }>()

  function of({ header: { sessionId, prefixSeq: seq } }: { header: SessionHeader }) {
    if (seq === undefined) return undefined
    let known = kept.get(sessionId)
    if (known?.seq !== seq) {
      const event = store.since(sessionId, seq - 1, 1)[0]
      if (event?.type !== 'prefix.frozen') return undefined
      const { system, tools, facts } = event
      known = { seq, prefix: { system, tools, facts } }
    }
    // The one used last is the last to go.
    kept.delete(sessionId)
    kept.set(sessionId, known)
    if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value!)
    return known
  }

  function tellingSince({ header }: { header: SessionHeader }, seq: number): RecordedEvent[] {
    const events: RecordedEvent[] = []
    for (const event of store.historyBackwards(header.sessionId)) {
      if (event.seq < seq) break
      if (isTelling(event)) events.push(event)
    }
    return events.toReversed()
  }

  return {
    of,
    toldTools(session) {
      const known = of(session)
      return known && toldTools(toldIn(known.prefix, tellingSince(session, known.seq)))
    },
  }
}
