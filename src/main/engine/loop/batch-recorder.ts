import type { EventBody } from '../../../shared/events/event'

export interface BatchRecorder {
  add(event: EventBody): void
  /** Resolves when everything added so far is recorded; rejects when that failed. */
  written(): Promise<void>
  /** Records what is left; throws the error of a failed write. Call it last. */
  flush(): void
}

/**
 * Records events that are added in the same tick in one transaction, as calls that run in parallel often do. An event
 * is recorded before the next macrotask runs.
 */
export function createBatchRecorder(record: (...events: EventBody[]) => void): BatchRecorder {
  let pending: EventBody[] = []
  let writing: Promise<void> | undefined
  let failure: { error: unknown } | undefined
  const write = (): void => {
    const events = pending
    pending = []
    writing = undefined
    try {
      if (events.length > 0) record(...events)
    } catch (error) {
      failure ??= { error }
    }
  }
  const fail = (): void => {
    if (failure) throw failure.error
  }
  return {
    add(event) {
      pending.push(event)
      writing ??= Promise.resolve().then(write)
    },
    async written() {
      await writing
      fail()
    },
    flush() {
      write()
      fail()
    },
  }
}
