import type { RestorePoint } from '../../../shared/model/checkpoint'
import { isOwn, textOf } from '../../../shared/model/message'
import type { Store } from '../session/store'
import { isUserMessage } from './restore-session'

/** The user's messages as the conversation has them, oldest first: each a point that a session can go back to. */
export function restorePoints(store: Pick<Store, 'historyBackwards'>, sessionId: string): RestorePoint[] {
  const points: Omit<RestorePoint, 'n'>[] = []
  for (const event of store.historyBackwards(sessionId)) {
    if (!isUserMessage(event)) continue
    points.push({ seq: event.seq, at: event.at, text: textOf(event.parts.filter(isOwn)) })
  }
  return points.toReversed().map((point, index) => ({ n: index + 1, ...point }))
}
