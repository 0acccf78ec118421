import type { LiveEvent, RecordedEvent, SessionEvent } from '../../../shared/events/event'

type Listener = (event: SessionEvent) => void

/** The listeners of a session, and a snapshot of what is being streamed for listeners that join late. */
export class LiveEvents {
  readonly #live = new LiveState()
  readonly #listeners = new Set<Listener>()

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
    for (const listener of this.#listeners) listener(event)
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
