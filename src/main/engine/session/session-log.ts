import { failureOf, type Failure } from '../../../shared/errors'
import type { EventBody, LiveEvent, RecordedEvent, SessionEvent } from '../../../shared/events/event'
import { applyHeader } from '../../../shared/events/fold-header'
import type { SessionHeader } from '../../../shared/model/session/session'
import type { TurnLiveEvent } from '../loop/turn-context'
import type { Store } from '../store/store'

interface SessionLogDeps {
  store: Pick<Store, 'append' | 'hold'>
  /** Called after events have been recorded, with the header before them. */
  onRecorded(before: SessionHeader, events: readonly RecordedEvent[]): void
  log(message: string): void
}

/** Records the events of one open session, folds its header from them, and notifies its listeners. */
export class SessionLog {
  readonly #deps: SessionLogDeps
  readonly #liveEvents: LiveEvents
  #header: SessionHeader

  constructor(header: SessionHeader, deps: SessionLogDeps) {
    this.#header = header
    this.#deps = deps
    this.#liveEvents = new LiveEvents((message) => deps.log(message))
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
   * Takes over events that were stored directly, such as those of a session that came back from another place.
   * Listeners get all of them; the engine gets only the last one, because the others are not news.
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

type Listener = (event: SessionEvent) => void

/** The listeners of a session, and a snapshot of what is being streamed for listeners that join late. */
class LiveEvents {
  readonly #live = new LiveState()
  readonly #listeners = new Set<Listener>()
  readonly #log: (message: string) => void

  constructor(log: (message: string) => void) {
    this.#log = log
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  recorded(event: RecordedEvent): void {
    this.#live.recorded(event)
    this.#notify(event)
  }

  live(event: LiveEvent): void {
    this.#live.live(event)
    this.#notify(event)
  }

  snapshot(sessionId: string): LiveEvent[] {
    return this.#live.snapshot(sessionId)
  }

  #notify(event: SessionEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event)
      } catch (error) {
        // What is recorded stays recorded, and the other listeners need it.
        this.#log(`A listener of a session failed: ${failureOf(error).message}`)
      }
    }
  }
}

/** How much of a running call's output is kept for listeners that join late, in characters. */
const PROGRESS_KEPT = 64_000

/** What is being streamed right now, so that a client that joins late gets all of it. */
class LiveState {
  readonly #texts = new Map<string, { text: string; thinking: string }>()
  readonly #drafts = new Map<string, LiveEvent & { type: 'tool.drafting' }>()
  readonly #progress = new Map<string, string>()

  live(event: LiveEvent): void {
    switch (event.type) {
      case 'text.delta':
      case 'thinking.delta': {
        const step = this.#texts.get(event.stepId) ?? { text: '', thinking: '' }
        step[event.type === 'text.delta' ? 'text' : 'thinking'] += event.text
        this.#texts.set(event.stepId, step)
        return
      }
      case 'tool.drafting':
        this.#drafts.set(event.callId, event)
        return
      case 'tool.progress':
        this.#progress.set(event.callId, ((this.#progress.get(event.callId) ?? '') + event.text).slice(-PROGRESS_KEPT))
    }
  }

  recorded(event: RecordedEvent): void {
    if (event.type === 'step.finished' || event.type === 'step.retried') {
      this.#texts.delete(event.stepId)
      this.#drafts.clear()
    } else if (event.type === 'tool.finished') {
      this.#progress.delete(event.callId)
    } else if (event.type === 'turn.finished') {
      this.#texts.clear()
      this.#drafts.clear()
      this.#progress.clear()
    }
  }

  /** Live events that rebuild the current state from scratch. */
  snapshot(sessionId: string): LiveEvent[] {
    const events: LiveEvent[] = []
    for (const [stepId, { text, thinking }] of this.#texts) {
      if (thinking) events.push({ type: 'thinking.delta', sessionId, stepId, text: thinking })
      if (text) events.push({ type: 'text.delta', sessionId, stepId, text })
    }
    events.push(...this.#drafts.values())
    for (const [callId, text] of this.#progress) events.push({ type: 'tool.progress', sessionId, callId, text })
    return events
  }
}
