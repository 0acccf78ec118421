import type { LiveEvent, RecordedEvent, SessionEvent } from '../../../shared/model/event'
import { LiveState } from './live-state'

type Listener = (event: SessionEvent) => void

/** Who watches a session, and what somebody who comes late has to be told of what is streamed just now. */
export class Audience {
  readonly #live = new LiveState()
  readonly #listeners = new Set<Listener>()

  get isThere(): boolean {
    return this.#listeners.size > 0
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  recorded(event: RecordedEvent): void {
    this.#live.recorded(event)
    this.#tell(event)
  }

  live(event: LiveEvent): void {
    this.#live.live(event)
    this.#tell(event)
  }

  snapshot(sessionId: string): LiveEvent[] {
    return this.#live.snapshot(sessionId)
  }

  #tell(event: SessionEvent): void {
    for (const listener of this.#listeners) listener(event)
  }
}
