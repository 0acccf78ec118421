import type { ORPCError } from '@orpc/server'
import { StandardRPCHandler } from '@orpc/server/standard'
import type { StandardRequest, StandardResponse } from '@orpc/standard-server'
import { ServerPeer } from '@orpc/standard-server-peer'
import { CodedError } from '../../shared/model/errors'
import type { LogBug } from './rpc-error'
import { rpcErrorOf } from './rpc-error'
import type { ApiRouter } from './router'

/** One client's connection, whatever carries it. */
export interface RpcConnection {
  /** A message from the client. Resolves to false when it was no request at all: the transport should hang up. */
  receive(message: string): Promise<boolean>
  /** The client is gone: every request of it is aborted, every subscription ends. */
  close(): void
}

/**
 * Serves the contract over any carrier of messages. `send` resolves when the carrier has room again: a subscription is pulled only then,
 * so a client that does not read fills its own bounded queue (push-queue.ts) and nothing else.
 */
export interface RpcServer {
  connect(send: (message: string) => Promise<void>): RpcConnection
}

export function createRpcServer(router: ApiRouter, logBug: LogBug): RpcServer {
  const handler = new StandardRPCHandler(router)
  const handle = async (request: StandardRequest): Promise<StandardResponse> => {
    const { response } = await handler.handle({ ...request, body: () => Promise.resolve(request.body) }, { context: {} })
    return response ?? unknownMethod(request.url.pathname)
  }
  return {
    connect(send) {
      const peer = new ServerPeer((message) => {
        // Bytes would only come from files in an answer, and the contract has none: pictures travel as base64.
        if (typeof message !== 'string') throw new TypeError('the contract carries JSON only')
        return send(message)
      })
      let isOpen = true
      return {
        async receive(message) {
          if (!isOpen) return true
          let wasUnderstood = false
          try {
            await peer.message(message, (request) => {
              wasUnderstood = true
              return handle(request)
            })
          } catch (error) {
            if (!wasUnderstood) return false
            // A carrier that broke while it was answering is no bug; the client notices by itself.
            if (isOpen && !(error instanceof CarrierClosed)) logBug('an answer could not be sent', error)
          }
          return true
        },
        close() {
          if (!isOpen) return
          isOpen = false
          peer.close()
        },
      }
    },
  }
}

/** What `send` rejects with when the client is gone. */
export class CarrierClosed extends Error {
  constructor() {
    super('the client is gone')
    this.name = 'CarrierClosed'
  }
}

function unknownMethod(path: string): StandardResponse {
  const error: ORPCError<string, unknown> = rpcErrorOf(
    new CodedError('request.invalid', `There is no method ${path.slice(1).replaceAll('/', '.')}.`).failure,
  )
  return { status: error.status, headers: {}, body: { json: error.toJSON() } }
}
