import type { EventBody } from '../../../shared/model/event'

/**
 * Records events that come in the same moment in one transaction: results of calls that ran side by side often do. An event is recorded before the event loop goes on.
 * What recording throws is thrown by `flush`, which comes last.
 */
export function createBatchRecorder(record: (...events: EventBody[]) => void): { add(event: EventBody): void; flush(): void } {
  let pending: EventBody[] = []
  let failure: { error: unknown } | undefined
  const write = (): void => {
    const events = pending
    pending = []
    try {
      if (events.length > 0) record(...events)
    } catch (error) {
      failure ??= { error }
    }
  }
  return {
    add(event) {
      pending.push(event)
      if (pending.length === 1) queueMicrotask(write)
    },
    flush() {
      write()
      if (failure) throw failure.error
    },
  }
}
