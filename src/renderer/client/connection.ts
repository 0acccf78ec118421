import type { TrestleClient } from '../../shared/contract'
import type { Failure } from '../../shared/errors'

export interface ConnectionState {
  /** `connecting`: never open so far. `lost`: was open or could not be opened; retried unless `failure` is set. */
  status: 'connecting' | 'open' | 'lost'
  /** ms since the epoch of the last message from the engine, exact to about a second; 0 before the first. */
  lastMessageAt: number
  /** `false`: open, but a request has had no answer and no other activity for a while. */
  responds: boolean
  /** Attempts since it was last open; 0 while open. */
  attempt: number
  /** Why retrying is pointless, e.g. the token was refused. */
  failure?: Failure
}

/** A value with change listeners: fits React's `useSyncExternalStore`. */
interface Observable<T> {
  get(): T
  subscribe(listener: () => void): () => void
}

/** A connection to the engine. `client` stays the same object over reconnects. */
export interface Connection {
  readonly client: TrestleClient
  readonly state: Observable<ConnectionState>
  /** Retries immediately instead of waiting for the next attempt. Does nothing while open. */
  reconnectNow(): void
  close(): void
}

/** Callbacks of a transport, in this order: `ready` once, then messages, `closed` once (also instead of `ready`). */
export interface TransportEvents {
  ready(): void
  message(message: string): void
  /** The other side is alive, although it sent no message. */
  heartbeat(): void
  /** `refused`: the other side will never accept this client. */
  closed(refused: boolean): void
}

/** One open transport: a WebSocket or a MessagePort. */
export interface Transport {
  send(message: string): void
  /** Requests a heartbeat, for transports on which silence can mean a broken connection. */
  ping?(): void
  close(): void
}

export type OpenTransport = (events: TransportEvents) => Transport

/** The state of a connection with its listeners. Mere activity notifies them at most once a second. */
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

/** A connection without a transport: the engine is in the same process. Always open. */
export function directConnection(client: TrestleClient): Connection {
  const state = new ConnectionStateStore()
  state.set({ status: 'open', lastMessageAt: Date.now() })
  return { client, state, reconnectNow: () => {}, close: () => state.set({ status: 'lost' }) }
}
