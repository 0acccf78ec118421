import type { Failure } from '../../shared/model/errors'
import { failureFrom } from './failure-from'

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
