import type { ConnectionState, Observable } from './connection'

/** The state of a connection with its listeners. A mere sign of life tells them at most once a second. */
export class ConnectionStateStore implements Observable<ConnectionState> {
  #state: ConnectionState = { status: 'connecting', lastSignAt: 0, attempt: 0, responds: true }
  readonly #listeners = new Set<() => void>()

  get(): ConnectionState {
    return this.#state
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  set(change: Partial<ConnectionState>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of this.#listeners) listener()
  }

  sign(now: number): void {
    if (now - this.#state.lastSignAt >= 1000) this.set({ lastSignAt: now })
  }
}
