import type { RestorePoint } from '../../../shared/model/checkpoint'
import { textOf } from '../../../shared/model/message'
import type { Store } from '../session/store'
import { isUserMessage } from './restore-session'

/** The user's messages as the conversation has them, oldest first: each a point that a session can go back to. */
export function restorePoints(store: Pick<Store, 'historyBackwards'>, sessionId: string): RestorePoint[] {
  const points: Omit<RestorePoint, 'n'>[] = []
  for (const event of store.historyBackwards(sessionId)) {
    if (!isUserMessage(event)) continue
    const said = event.parts.filter((part) => part.type !== 'text' || part.skill === undefined)
    points.push({ seq: event.seq, at: event.at, text: textOf(said) })
  }
  return points.toReversed().map((point, index) => ({ n: index + 1, ...point }))
}
