import { failureOf, type Failure } from '../../../shared/errors'
import type { EventBody, LiveEvent, RecordedEvent, SessionEvent } from '../../../shared/events/event'
import { applyHeader } from '../../../shared/events/fold-header'
import type { SessionHeader } from '../../../shared/model/session'
import type { TurnLiveEvent } from '../loop/turn-context'
import type { Store } from '../store/store'
import { LiveEvents } from './live-events'

export interface SessionLogDeps {
  store: Pick<Store, 'append' | 'hold'>
  /** Called after events have been recorded, with the header before them. */
  onRecorded(before: SessionHeader, events: readonly RecordedEvent[]): void
  log(message: string): void
}

/** Records the events of one open session, folds its header from them, and notifies its listeners. */
export class SessionLog {
  readonly #deps: SessionLogDeps
  readonly #liveEvents = new LiveEvents()
  #header: SessionHeader

  constructor(header: SessionHeader, deps: SessionLogDeps) {
    this.#header = header
    this.#deps = deps
  }

  /** As of the latest recorded event: this process holds the lease, so no other process appends any. */
  get header(): SessionHeader {
    return this.#header
  }

  get hasListeners(): boolean {
    return this.#liveEvents.hasListeners
  }

  listen(listener: (event: SessionEvent) => void): () => void {
    return this.#liveEvents.listen(listener)
  }

  /** Records first, then notifies listeners. */
  record(...bodies: EventBody[]): RecordedEvent[] {
    return this.#publish(this.#deps.store.append(this.#header.sessionId, bodies))
  }

  /**
   * Records the end of a turn or a compaction. If the log cannot take it (the disk is full, for example), the end is
   * held in memory until it can, so that an end always follows. `instead` returns the events to hold in that case.
   */
  recordEnd(bodies: EventBody[], instead: (failure: Failure) => EventBody[] = () => bodies): void {
    const { seq, sessionId } = this.#header
    try {
      if (bodies.length > 0) this.record(...bodies)
    } catch (error) {
      const failure = failureOf(error)
      this.#deps.log(`An end could not be recorded in ${sessionId}: ${failure.message}`)
      // A session that another process holds is not ours to end; and if recording itself succeeded, the end is already
      // in the log.
      const isOurs =
        failure.code !== 'session.elsewhere' && failure.code !== 'session.not_found' && this.#header.seq === seq
      if (isOurs) this.#publish(this.#deps.store.hold(sessionId, instead(failure)))
    }
  }

  /**
   * Takes over events that were stored directly, as those of a session that came back from another place. Listeners get
   * all of them; the engine hears of the last one, because the others are not news.
   */
  follow(events: readonly RecordedEvent[]): void {
    const before = this.#header
    for (const event of events) {
      this.#header = applyHeader(this.#header, event)
      this.#liveEvents.recorded(event)
    }
    this.#deps.onRecorded(before, events.slice(-1))
  }

  live(event: TurnLiveEvent): void {
    this.#liveEvents.live({ ...event, sessionId: this.#header.sessionId })
  }

  liveSnapshot(): LiveEvent[] {
    return this.#liveEvents.snapshot(this.#header.sessionId)
  }

  #publish(events: RecordedEvent[]): RecordedEvent[] {
    const before = this.#header
    for (const event of events) {
      this.#header = applyHeader(this.#header, event)
      this.#liveEvents.recorded(event)
    }
    this.#deps.onRecorded(before, events)
    return events
  }
}
