import { AsyncIteratorClass } from '@orpc/server'
import type { TaskPush, UsagePush } from '../../../shared/events/push'
import type { Task } from '../../../shared/model/task/task'
import { type Clock, systemClock } from './session-push-queue'
import type { PlaceActions } from '../../engine/place/place-actions'
import type { Tasks } from '../../engine/session/session-tasks'

export interface TaskSubscription {
  signal?: AbortSignal
  clock?: Clock
  /** Minimum ms between two pushes of output. */
  frameMs?: number
  /** Maps an exception to the error sent to the client; default: the exception itself. */
  mapError?: (error: unknown) => unknown
}

/** Maximum characters of pending output for a slow client; beyond it the client gets a new `start` instead. */
export const MAX_PENDING_CHARS = 512 * 1024

/** Yields what `take` returns, at most once per frame, and waits for `wake` when there is nothing to yield. */
export class ThrottledQueue<Push> {
  readonly #clock: Clock
  readonly #frameMs: number
  #last = Number.NEGATIVE_INFINITY
  #ended = false
  #wake: (() => void) | undefined
  readonly #cleanups: (() => void)[] = []

  constructor({ signal, clock = systemClock, frameMs = 16 }: TaskSubscription) {
    this.#clock = clock
    this.#frameMs = frameMs
    signal?.throwIfAborted()
    const abort = (): void => this.end()
    signal?.addEventListener('abort', abort, { once: true })
    this.#cleanups.push(() => signal?.removeEventListener('abort', abort))
  }

  onEnd(cleanup: () => void): void {
    this.#cleanups.push(cleanup)
  }

  wake(): void {
    this.#wake?.()
  }

  end(): void {
    if (this.#ended) return
    this.#ended = true
    for (const cleanup of this.#cleanups.splice(0)) cleanup()
    this.#wake?.()
  }

  iterator(
    take: () => Push | undefined,
    mapError?: (error: unknown) => unknown,
  ): AsyncIteratorClass<Push, undefined, void> {
    return new AsyncIteratorClass<Push, undefined, void>(
      () =>
        this.#next(take).catch((error: unknown) => {
          throw mapError?.(error) ?? error
        }),
      async () => this.end(),
    )
  }

  async #next(take: () => Push | undefined): Promise<IteratorResult<Push, undefined>> {
    for (;;) {
      const early = this.#last + this.#frameMs - this.#clock.now()
      if (early <= 0) {
        const value = take()
        if (value !== undefined) {
          this.#last = this.#clock.now()
          return { done: false, value }
        }
      }
      if (this.#ended) return { done: true, value: undefined }
      await new Promise<void>((resolve) => {
        const cancel = early > 0 ? this.#clock.after(early, () => finish()) : undefined
        const finish = (): void => {
          cancel?.()
          this.#wake = undefined
          resolve()
        }
        // Until the frame is over, only its end (or the end of the subscription) matters.
        this.#wake = early > 0 && !this.#ended ? () => (this.#ended ? finish() : undefined) : finish
      })
    }
  }
}

/** One task's terminal output for one client: merged once per frame, bounded however slow the client is. */
export function taskPushes(
  tasks: Pick<Tasks, 'watch'>,
  taskId: string,
  subscription: TaskSubscription = {},
): AsyncIteratorClass<TaskPush, undefined, void> {
  const handover = new ThrottledQueue<TaskPush>(subscription)
  let start: TaskPush | undefined
  let text = ''
  let task: Task | undefined
  let stopWatching: (() => void) | undefined
  const onPush = (push: TaskPush): void => {
    if (push.type === 'start') {
      ;[start, text, task] = [push, '', undefined]
    } else if (push.type === 'output') {
      text += push.text
      if (text.length > MAX_PENDING_CHARS) {
        text = ''
        watch()
      }
    } else task = push.task
    handover.wake()
  }
  const watch = (): void => {
    stopWatching?.()
    stopWatching = tasks.watch(taskId, onPush)
  }
  watch()
  handover.onEnd(() => stopWatching?.())
  return handover.iterator(() => {
    const [started, output, changed] = [start, text, task]
    if (started) {
      start = undefined
      return started
    }
    if (output !== '') {
      text = ''
      return { type: 'output', text: output }
    }
    task = undefined
    return changed && { type: 'task', task: changed }
  }, subscription.mapError)
}

/** Resource usage of running tasks for one client: only the newest measurement is kept. */
export function usagePushes(
  { tasks, places }: { tasks: Pick<Tasks, 'watchUsage'>; places: Pick<PlaceActions, 'usage' | 'watchUsage'> },
  subscription: TaskSubscription = {},
): AsyncIteratorClass<UsagePush, undefined, void> {
  const handover = new ThrottledQueue<UsagePush>(subscription)
  let newest: UsagePush | undefined
  let isNew = false
  const changed = (): void => {
    isNew = true
    handover.wake()
  }
  handover.onEnd(
    tasks.watchUsage((push) => {
      newest = push
      changed()
    }),
  )
  handover.onEnd(places.watchUsage(changed))
  return handover.iterator(() => {
    if (!isNew) return undefined
    isNew = false
    // Without a task, this machine measures nothing.
    const { at, usage } = newest ?? { at: Date.now(), usage: [] }
    return { at, usage: [...usage, ...places.usage()] }
  }, subscription.mapError)
}
