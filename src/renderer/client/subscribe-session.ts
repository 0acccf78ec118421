import type { TrestleClient } from '../../shared/contract'
import { isRecorded } from '../../shared/model/event'
import type { SessionPush } from '../../shared/model/push'
import type { SubscribeOptions } from './keep-subscribed'
import { keepSubscribed } from './keep-subscribed'

/**
 * Follows a session from `since` on, over lost connections and after `lagged`: every recorded event reaches `onPush` exactly once and in order.
 * `start` comes first and again after each break. Returns how to stop; after that `onPush` is not called any more.
 */
export function subscribeSession(
  client: TrestleClient,
  sessionId: string,
  since: number,
  onPush: (push: SessionPush) => void,
  options: SubscribeOptions = {},
): () => void {
  let last = since
  return keepSubscribed<SessionPush>(
    (signal) => client.push.session({ sessionId, since: last }, { signal }),
    (push) => {
      if (push.type !== 'events') {
        onPush(push)
        return push.type !== 'lagged'
      }
      const events = push.events.filter((event) => !isRecorded(event) || event.seq > last)
      for (const event of events) {
        if (!isRecorded(event)) continue
        // Something is missing: it is asked for again rather than shown wrong.
        if (event.seq !== last + 1) return false
        last = event.seq
      }
      if (events.length > 0) onPush({ type: 'events', events })
      return true
    },
    options,
  )
}
