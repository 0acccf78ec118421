import { AsyncIteratorClass, createORPCClient } from '@orpc/client'
import { StandardRPCLink } from '@orpc/client/standard'
import { ErrorEvent, type StandardLazyResponse, type StandardRequest } from '@orpc/standard-server'
import { ClientPeer } from '@orpc/standard-server-peer'
import type { TrestleClient } from '../../shared/contract'
import { CodedError } from '../../shared/errors'

interface Wire {
  peer: ClientPeer
  /** Set when the wire is gone: what every request on it ended with. */
  lost?: CodedError
}

/**
 * Calls over a wire that comes and goes. A request is sent at most once: made while there is no wire, it waits for one; on its way when the
 * wire breaks, it fails with `connection.lost` and is for the caller to repeat, who alone knows whether that is harmless.
 */
export class RpcLink {
  readonly client: TrestleClient
  readonly #waitMs: number
  #wire: Wire | undefined
  #final: CodedError | undefined
  readonly #waiting = new Set<() => void>()

  /** `waitMs`: how long a request waits for a wire before it fails. */
  constructor(waitMs: number) {
    this.#waitMs = waitMs
    const link = new StandardRPCLink({ call: (request) => this.#call(request) }, { url: 'http://orpc' })
    this.client = createORPCClient(link)
  }

  /** A new wire. Requests that waited are sent now. */
  attach(send: (message: string) => void): void {
    this.detach()
    const peer = new ClientPeer(async (message) => {
      // Bytes would only come from files in a request, and the contract has none: pictures travel as base64.
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
      // Not our protocol: nothing on this wire can be trusted any more.
      if (this.#wire === wire)
        this.detach(new CodedError('connection.lost', `What arrived could not be read: ${String(error)}`))
    })
  }

  /** The wire is gone; whatever was on its way fails. */
  detach(
    reason = new CodedError(
      'connection.lost',
      'The connection broke before the answer came; it may or may not have been done.',
    ),
  ): void {
    const wire = this.#wire
    if (!wire) return
    this.#wire = undefined
    wire.lost = reason
    wire.peer.close({ reason })
  }

  /** No wire will ever come: everything that waits, and everything from now on, fails with this. */
  giveUp(reason: CodedError): void {
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
        () => finish(() => reject(new CodedError('connection.lost', 'There is no connection; nothing was sent.'))),
        this.#waitMs,
      )
      this.#waiting.add(wake)
      signal?.addEventListener('abort', abort, { once: true })
      if (signal?.aborted === true) abort()
      else wake()
    })
  }
}

/** The iterator, but a wire that broke is told as `connection.lost` also when nobody was waiting at that moment. */
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
