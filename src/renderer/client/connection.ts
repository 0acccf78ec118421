import type { TrestleClient } from '../../shared/contract'
import type { Failure } from '../../shared/errors'

export interface ConnectionState {
  /** `connecting`: never open so far. `lost`: was open or could not be opened; it is tried again unless `failure` is set. */
  status: 'connecting' | 'open' | 'lost'
  /** ms since the epoch of the last message from the engine, exact to about a second; 0 before the first. */
  lastMessageAt: number
  /** `false`: it is open, but what was asked has had no answer and no sign of life for a while. */
  responds: boolean
  /** Attempts since it was last open; 0 while open. */
  attempt: number
  /** Why trying again is pointless, e.g. the token was refused. */
  failure?: Failure
}

/** Something that changes and tells: fits React's `useSyncExternalStore`. */
interface Observable<T> {
  get(): T
  subscribe(listener: () => void): () => void
}

/** A way to the engine. `client` stays the same object over reconnects. */
export interface Connection {
  readonly client: TrestleClient
  readonly state: Observable<ConnectionState>
  /** Tries at once instead of waiting for the next attempt. Harmless while it is open. */
  reconnectNow(): void
  close(): void
}

/** What a carrier tells its connection, in this order: `ready` once, then messages, `closed` once (also instead of `ready`). */
export interface TransportEvents {
  ready(): void
  message(message: string): void
  /** The other side is alive, although it had nothing to say. */
  heartbeat(): void
  /** `refused`: the other side will never let this client in. */
  closed(refused: boolean): void
}

/** One open wire: a WebSocket or a MessagePort. */
export interface Transport {
  send(message: string): void
  /** Asks for a sign of life, where silence can mean a broken wire. */
  ping?(): void
  close(): void
}

export type OpenTransport = (events: TransportEvents) => Transport

/** The state of a connection with its listeners. A mere sign of life tells them at most once a second. */
export class ConnectionStateStore implements Observable<ConnectionState> {
  #state: ConnectionState = { status: 'connecting', lastMessageAt: 0, attempt: 0, responds: true }
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

  heartbeat(now: number): void {
    if (now - this.#state.lastMessageAt >= 1000) this.set({ lastMessageAt: now })
  }
}

/** A connection that is no wire at all: the engine is in the same process. Always open. */
export function directConnection(client: TrestleClient): Connection {
  const state = new ConnectionStateStore()
  state.set({ status: 'open', lastMessageAt: Date.now() })
  return { client, state, reconnectNow: () => {}, close: () => state.set({ status: 'lost' }) }
}
