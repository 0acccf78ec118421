import { AsyncIteratorClass, createORPCClient } from '@orpc/client'
import { StandardRPCLink } from '@orpc/client/standard'
import { ErrorEvent, type StandardLazyResponse, type StandardRequest } from '@orpc/standard-server'
import { ClientPeer } from '@orpc/standard-server-peer'
import type { TrestleClient } from '../../shared/contract'
import { PageError } from './failure-from'

interface Wire {
  peer: ClientPeer
  /** Set once the transport is closed: the error of every request on it. */
  lost?: PageError
}

/**
 * RPC over a transport that can break and be replaced. A request is sent at most once: without a transport it waits for
 * one; if the transport breaks before the answer, it fails with `connection.lost`, and only the caller knows whether
 * repeating it is safe.
 */
export class RpcLink {
  readonly client: TrestleClient
  readonly #waitMs: number
  #wire: Wire | undefined
  #final: PageError | undefined
  readonly #waiting = new Set<() => void>()

  /** `waitMs`: how long a request waits for a transport before it fails. */
  constructor(waitMs: number) {
    this.#waitMs = waitMs
    const link = new StandardRPCLink({ call: (request) => this.#call(request) }, { url: 'http://orpc' })
    this.client = createORPCClient(link)
  }

  /** Attaches a new transport and sends the requests that waited. */
  attach(send: (message: string) => void): void {
    this.detach()
    const peer = new ClientPeer(async (message) => {
      // Only files in a request would produce bytes, and the contract has no files: images travel as base64.
      if (typeof message !== 'string') throw new TypeError('the contract carries JSON only')
      send(message)
    })
    this.#wire = { peer }
    this.#settle()
  }

  receive(message: string): void {
    const wire = this.#wire
    if (!wire) return
    wire.peer.message(message).catch((error: unknown) => {
      // Not our protocol: nothing on this transport can be trusted from now on.
      if (this.#wire === wire)
        this.detach(new PageError('connection.lost', `The response could not be read: ${String(error)}`))
    })
  }

  /** The transport is closed; pending requests fail. */
  detach(
    reason = new PageError(
      'connection.lost',
      'The connection was lost before the response arrived. The request may or may not have completed.',
    ),
  ): void {
    const wire = this.#wire
    if (!wire) return
    this.#wire = undefined
    wire.lost = reason
    wire.peer.close({ reason })
  }

  /** No transport will ever come: pending and future requests fail with this error. */
  giveUp(reason: PageError): void {
    this.detach(reason)
    this.#final = reason
    this.#settle()
  }

  #settle(): void {
    for (const wake of this.#waiting) wake()
  }

  async #call(request: StandardRequest): Promise<StandardLazyResponse> {
    const wire = this.#wire ?? (await this.#whenAttached(request.signal))
    try {
      const response = await wire.peer.request(request)
      const body = isAsyncIterator(response.body) ? withConnectionLost(response.body, wire) : response.body
      return { ...response, body: () => Promise.resolve(body) }
    } catch (error) {
      throw request.signal?.aborted === true ? error : (wire.lost ?? error)
    }
  }

  #whenAttached(signal: AbortSignal | undefined): Promise<Wire> {
    return new Promise((resolve, reject) => {
      const finish = (outcome: () => void): void => {
        clearTimeout(timer)
        this.#waiting.delete(wake)
        signal?.removeEventListener('abort', abort)
        outcome()
      }
      const wake = (): void => {
        const wire = this.#wire
        const final = this.#final
        if (wire) finish(() => resolve(wire))
        else if (final) finish(() => reject(final))
      }
      const abort = (): void => finish(() => reject(signal?.reason))
      const timer = setTimeout(
        () => finish(() => reject(new PageError('connection.lost', 'Not connected. Nothing was sent.'))),
        this.#waitMs,
      )
      this.#waiting.add(wake)
      signal?.addEventListener('abort', abort, { once: true })
      if (signal?.aborted === true) abort()
      else wake()
    })
  }
}

/**
 * The iterator, except that a broken transport is reported as `connection.lost` even if no `next` was pending at that
 * moment.
 */
function withConnectionLost(iterator: AsyncIterator<unknown>, wire: Wire): AsyncIteratorClass<unknown, unknown, void> {
  return new AsyncIteratorClass<unknown, unknown, void>(
    async () => {
      try {
        return await iterator.next()
      } catch (error) {
        throw error instanceof ErrorEvent ? error : (wire.lost ?? error)
      }
    },
    async () => {
      await iterator.return?.()
    },
  )
}

function isAsyncIterator(value: unknown): value is AsyncIterator<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
