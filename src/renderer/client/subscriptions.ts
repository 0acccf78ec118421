import type { Failure } from '../../shared/errors'
import { failureFrom } from './failure-from'
import type { TrestleClient } from '../../shared/contract'
import type { AppPush, SessionPush } from '../../shared/events/push'
import { isRecorded } from '../../shared/events/event'

export interface SubscribeOptions {
  /** Called before the first push of each subscription, including resubscriptions. */
  onStart?: () => void
  /** The subscription ended permanently, e.g. the session was deleted. Not called by `stop`. */
  onFailure?: (failure: Failure) => void
  /** ms before resubscribing after a broken connection, so as not to hammer a host that keeps breaking it. */
  retryMs?: number
}

/** Subscribes, and resubscribes whenever the connection broke or `take` returned false. Returns the stop function. */
export function keepSubscribed<T>(
  subscribe: (signal: AbortSignal) => Promise<AsyncIterable<T>>,
  take: (push: T) => boolean,
  { onStart, onFailure, retryMs = 250 }: SubscribeOptions,
): () => void {
  const controller = new AbortController()
  const { signal } = controller
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        const pushes = await subscribe(signal)
        if (signal.aborted) return
        onStart?.()
        for await (const push of pushes) {
          if (signal.aborted) return
          if (!take(push)) break
        }
      } catch (error) {
        if (signal.aborted) return
        const failure = failureFrom(error)
        if (failure.code !== 'connection.lost') {
          onFailure?.(failure)
          return
        }
      }
      if (!signal.aborted) await pause(retryMs, signal)
    }
  }
  void follow()
  return () => controller.abort()
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, ms)
    signal.addEventListener('abort', finish, { once: true })
  })
}

/** Follows the app: session list, settings, models, heartbeats. After each disconnect the whole list is sent again. */
export function subscribeApp(
  client: TrestleClient,
  onPush: (push: AppPush) => void,
  options: SubscribeOptions = {},
): () => void {
  return keepSubscribed<AppPush>(
    (signal) => client.push.app(undefined, { signal }),
    (push) => {
      onPush(push)
      return true
    },
    options,
  )
}

/**
 * Follows a session from `since` on, across disconnects and after `lagged`: every recorded event reaches `onPush`
 * exactly once and in order. `start` comes first and again after each disconnect. Returns the stop function; after
 * that, `onPush` is no longer called.
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
        // Events are missing: resubscribe rather than show a wrong state.
        if (event.seq !== last + 1) return false
        last = event.seq
      }
      if (events.length > 0) onPush({ type: 'events', events })
      return true
    },
    options,
  )
}
