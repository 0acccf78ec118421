import type { Duplex } from 'node:stream'
import type { TrestleClient } from '../../shared/contract'
import { isRecorded, type SessionEvent } from '../../shared/events/event'
import type { SessionPush } from '../../shared/events/push'
import { CodedError, failureOf } from '../../shared/errors'
import { clientOf, connectWire, type WireConnection } from '../wire/wire-client'

export interface EngineLinkOptions {
  /**
   * Opens a connection to the engine; rejects with `engine.unavailable` or `connection.lost` when trying again helps.
   */
  open(): Promise<Duplex>
  /** A connection that is already open. */
  first?: WireConnection
  /** Delay before the first retry after a lost connection, and the maximum; it doubles with each retry. In ms. */
  retryMs?: readonly [first: number, most: number]
  /** How long calls wait for a connection before they fail, in ms. */
  giveUpMs?: number
}

export interface SessionFollower {
  /** The state that the next events build on; sent again after each reconnection. */
  start?(push: Extract<SessionPush, { type: 'start' }>): void
  /** Recorded events arrive once and in order, whatever happens to the connection. */
  event(event: SessionEvent): void
  /** The session can no longer be followed. */
  failed?(error: CodedError): void
}

const GIVE_UP_MS = 60_000

/** A connection to the engine of a home. A lost connection is replaced, even by one to the engine's successor. */
export class EngineLink {
  /** A call waits for a connection; if that breaks before the response, it fails with `connection.lost`. */
  readonly client: TrestleClient
  readonly #options: EngineLinkOptions
  readonly #closed = new AbortController()
  #connection: WireConnection | undefined
  #connecting: Promise<WireConnection> | undefined

  constructor(options: EngineLinkOptions) {
    this.#options = options
    if (options.first) this.#use(options.first)
    this.client = clientOf(async (method, input, signal) => (await this.connection()).call(method, input, signal))
  }

  /** The current connection, or the next one. */
  connection(): Promise<WireConnection> {
    if (this.#closed.signal.aborted) return Promise.reject(new CodedError('connection.lost', 'Trestle is closing.'))
    if (this.#connection) return Promise.resolve(this.#connection)
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined))
    return this.#connecting
  }

  /** Follows a session, starting after the event `since`. Returns a function that stops it. */
  follow(sessionId: string, since: number, follower: SessionFollower): () => void {
    const stop = new AbortController()
    void this.#follow(sessionId, since, follower, AbortSignal.any([stop.signal, this.#closed.signal]))
    return () => stop.abort()
  }

  close(): void {
    this.#closed.abort()
    this.#connection?.close()
  }

  async #follow(sessionId: string, from: number, follower: SessionFollower, signal: AbortSignal): Promise<void> {
    let since = from
    while (!signal.aborted) {
      try {
        for await (const push of await this.client.push.session({ sessionId, since }, { signal })) {
          if (signal.aborted) return
          if (push.type === 'start') follower.start?.(push)
          if (push.type !== 'events') continue
          for (const event of push.events) {
            if (isRecorded(event)) {
              if (event.seq <= since) continue
              since = event.seq
            }
            follower.event(event)
          }
        }
      } catch (error) {
        const failure = failureOf(error)
        if (signal.aborted) return
        if (failure.code === 'connection.lost') continue
        follower.failed?.(new CodedError(failure.code, failure.message))
        return
      }
    }
  }

  async #connect(): Promise<WireConnection> {
    const { open, retryMs: [firstMs, mostMs] = [50, 2000], giveUpMs = GIVE_UP_MS } = this.#options
    const since = performance.now()
    for (let delayMs = firstMs; ; delayMs = Math.min(mostMs, delayMs * 2)) {
      try {
        const connection = connectWire(await open())
        await connection.hello
        if (this.#closed.signal.aborted) {
          connection.close()
          throw new CodedError('connection.lost', 'Trestle is closing.')
        }
        this.#use(connection)
        return connection
      } catch (error) {
        const { code } = failureOf(error)
        const canRetry = code === 'engine.unavailable' || code === 'connection.lost'
        if (this.#closed.signal.aborted || !canRetry) throw error
        if (performance.now() - since > giveUpMs)
          throw new CodedError('engine.unavailable', failureOf(error).message, { cause: error })
      }
      await new Promise<void>((resolve) => setTimeout(resolve, delayMs))
    }
  }

  #use(connection: WireConnection): void {
    this.#connection = connection
    void this.#forgetWhenClosed(connection)
  }

  async #forgetWhenClosed(connection: WireConnection): Promise<void> {
    await connection.closed
    if (this.#connection === connection) this.#connection = undefined
  }
}
