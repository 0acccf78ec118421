import type { ORPCError } from '@orpc/server'
import { StandardRPCHandler } from '@orpc/server/standard'
import type { StandardRequest, StandardResponse } from '@orpc/standard-server'
import { ServerPeer } from '@orpc/standard-server-peer'
import { CodedError } from '../../../shared/errors'
import { type LogBug, rpcErrorOf } from '../implementer'
import type { ApiRouter } from './router'

/** One client's connection, over any transport. */
export interface RpcConnection {
  /**
   * Handles a message from the client. Resolves to false when it is not a request: the transport should then
   * disconnect.
   */
  receive(message: string): Promise<boolean>
  /** Call it when the client has disconnected: aborts its requests and ends its subscriptions. */
  close(): void
}

/**
 * Serves the contract over any message transport. `send` resolves when the transport can take more: a subscription is
 * pulled only then, so a client that does not read fills its own bounded queue (push-queue.ts) and nothing else.
 */
export interface RpcServer {
  connect(send: (message: string) => Promise<void>): RpcConnection
}

export function createRpcServer(router: ApiRouter, logBug: LogBug): RpcServer {
  const handler = new StandardRPCHandler(router)
  const handle = async (request: StandardRequest): Promise<StandardResponse> => {
    const { response } = await handler.handle(
      { ...request, body: () => Promise.resolve(request.body) },
      { context: {} },
    )
    return response ?? unknownMethod(request.url.pathname)
  }
  return {
    connect(send) {
      const peer = new ServerPeer((message) => {
        // Only files in a response would produce bytes, and the contract has no files: images travel as base64.
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
            // A transport that breaks while a response is sent is not a bug; the client notices on its own.
            if (isOpen && !(error instanceof ConnectionClosedError)) logBug('an answer could not be sent', error)
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

/** The error `send` rejects with when the client has disconnected. */
export class ConnectionClosedError extends Error {
  constructor() {
    super('the client has disconnected')
    this.name = 'ConnectionClosedError'
  }
}

function unknownMethod(path: string): StandardResponse {
  const error: ORPCError<string, unknown> = rpcErrorOf(
    new CodedError('request.invalid', `There is no method ${path.slice(1).replaceAll('/', '.')}.`).failure,
  )
  return { status: error.status, headers: {}, body: { json: error.toJSON() } }
}

/** A MessagePort as both Electron's main process (`MessagePortMain`) and Node's worker_threads have it. */
export interface ServerPort {
  postMessage(message: unknown): void
  on(event: 'message', listener: (message: unknown) => void): unknown
  on(event: 'close', listener: () => void): unknown
  start(): void
  close(): void
}

/** Maximum messages a client may leave unacknowledged before its subscriptions wait. */
const MAX_UNACKNOWLEDGED = 16

/**
 * Serves one client over a MessagePort. A port has no backpressure, so the client acknowledges what it has read by
 * posting the number of messages; with `MAX_UNACKNOWLEDGED` unread messages, `send` waits. Returns a function that
 * disconnects.
 */
export function servePort(
  server: RpcServer,
  port: ServerPort,
  options: { window?: number; onClose?: () => void } = {},
): () => void {
  const window = options.window ?? MAX_UNACKNOWLEDGED
  let unread = 0
  let isOpen = true
  const waiting: { resolve: () => void; reject: (error: unknown) => void }[] = []
  const connection = server.connect((message) => {
    if (!isOpen) return Promise.reject(new ConnectionClosedError())
    port.postMessage(message)
    unread += 1
    if (unread < window) return Promise.resolve()
    return new Promise((resolve, reject) => waiting.push({ resolve, reject }))
  })
  const hangUp = (): void => {
    if (!isOpen) return
    isOpen = false
    for (const waiter of waiting.splice(0)) waiter.reject(new ConnectionClosedError())
    connection.close()
    port.close()
    options.onClose?.()
  }
  const take = async (message: string): Promise<void> => {
    if (!(await connection.receive(message))) hangUp()
  }
  port.on('message', (received) => {
    const message = messageData(received)
    if (typeof message === 'number') {
      unread = Math.max(0, unread - message)
      if (unread < window) for (const waiter of waiting.splice(0)) waiter.resolve()
    } else if (typeof message === 'string') {
      void take(message)
    } else hangUp()
  })
  port.on('close', hangUp)
  port.start()
  return hangUp
}

/**
 * Electron passes an event with the message in `data`, Node the message itself; our messages never have a `data` field.
 */
function messageData(received: unknown): unknown {
  return typeof received === 'object' && received !== null && 'data' in received ? received.data : received
}
