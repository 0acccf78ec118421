import type { RecordedEvent } from './event'
import type { CompactionItem } from './transcript-item'

type CompactionEvent<Type extends string> = Extract<RecordedEvent, { type: `compaction.${Type}` }>

/** The row of the transcript that a compaction begins with; the taking back of one has a row of its own. */
export function compactionRow(event: CompactionEvent<'started' | 'undone'>): CompactionItem {
  const { compactionId, at } = event
  if (event.type === 'compaction.undone') return { kind: 'compaction', id: `k${event.seq}`, turnId: '', at, compactionId, state: 'undone' }
  const { reason, instruction, learnedWindow, turnId = '' } = event
  return {
    kind: 'compaction',
    id: `k:${compactionId}`,
    turnId,
    at,
    compactionId,
    state: 'running',
    reason,
    ...(instruction !== undefined && { instruction }),
    ...(learnedWindow !== undefined && { learnedWindow }),
  }
}

/** The row of a running compaction after something has happened to it. */
export function compactionAfter(item: CompactionItem, event: CompactionEvent<'retried' | 'finished' | 'failed'>): CompactionItem {
  if (event.type === 'compaction.retried') {
    const { attempt, of, failure, delayMs } = event
    return { ...item, retry: { attempt: attempt + 1, of, failure, until: event.at + delayMs } }
  }
  const { retry: _over, ...rest } = item
  if (event.type === 'compaction.failed') return { ...rest, state: event.why, ...(event.failure && { failure: event.failure }) }
  const { kept, note, summary, files, dropped, before, after, durationMs } = event
  return { ...rest, state: 'done', result: { kept, note, summary, files, dropped, before, after, durationMs } }
}
