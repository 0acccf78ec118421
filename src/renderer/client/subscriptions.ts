import type { Failure } from '../../shared/errors'
import { failureFrom } from './failure-from'
import type { TrestleClient } from '../../shared/contract'
import type { AppPush, SessionPush } from '../../shared/events/push'
import { isRecorded } from '../../shared/events/event'

export interface SubscribeOptions {
  /** Called before the first push of each subscription, the first one and every later one. */
  onStart?: () => void
  /** The subscription ended for good, e.g. the session was deleted. Not called by `stop`. */
  onFailure?: (failure: Failure) => void
  /** ms before subscribing again after a broken connection, so that a host that keeps breaking it is not hammered. */
  retryMs?: number
}

/** Subscribes, and subscribes again whenever the connection broke or `take` returned false. Returns how to stop. */
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

/** Follows the app: session list, settings, models, heartbeats. After each break the whole list comes again. */
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
