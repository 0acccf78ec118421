import type { RecordedEvent } from './event'
import type { RestoredItem } from './transcript-item'

/** The row that says where a session went back. */
export function restoredItem(event: Extract<RecordedEvent, { type: 'checkpoint.restored' }>): RestoredItem {
  const { seq, at, count, kept, conversation, part, dMail } = event
  return {
    kind: 'restored',
    id: `r${seq}`,
    turnId: '',
    at,
    seq,
    files: count,
    kept: kept.length,
    conversation: conversation !== undefined,
    ...(part && { part }),
    ...(dMail && { dMail }),
  }
}
