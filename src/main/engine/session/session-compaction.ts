import { CodedError } from '../../../shared/model/errors'
import type { EventBody } from '../../../shared/model/event'
import type { SessionHeader } from '../../../shared/model/session'
import type { Store } from './store'

/** A compaction that a dead process left open comes to nothing: the conversation is as it was. */
export function brokenCompaction(header: SessionHeader | undefined): EventBody[] {
  if (!header?.compacting) return []
  const turn = header.turnId === undefined ? {} : { turnId: header.turnId }
  return [{ type: 'compaction.failed', compactionId: header.compacting.compactionId, ...turn, why: 'interrupted' }]
}

/** What takes back the compaction that is in force; throws `compaction.gone` when that is another one. */
export function undoing(store: Pick<Store, 'since'>, { sessionId, compacted }: SessionHeader, compactionId: string): EventBody {
  const event = compacted?.compactionId === compactionId ? store.since(sessionId, compacted.seq - 1, 1)[0] : undefined
  if (event?.type !== 'compaction.finished') throw new CodedError('compaction.gone', 'It was undone, or a later one builds on it.')
  return { type: 'compaction.undone', compactionId, tokens: event.before, ...(event.earlier && { earlier: event.earlier }) }
}
