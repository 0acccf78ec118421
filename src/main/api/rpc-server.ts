import type { ORPCError } from '@orpc/server'
import { StandardRPCHandler } from '@orpc/server/standard'
import type { StandardRequest, StandardResponse } from '@orpc/standard-server'
import { ServerPeer } from '@orpc/standard-server-peer'
import { CodedError } from '../../shared/errors'
import { type LogBug, rpcErrorOf } from './implementer'
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
    const { response } = await handler.handle(
      { ...request, body: () => Promise.resolve(request.body) },
      { context: {} },
    )
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

/** What `send` rejects with when the client is gone. */
export class ConnectionClosedError extends Error {
  constructor() {
    super('the client is gone')
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

/** How many messages a client may leave unacknowledged before its subscriptions wait. */
const MAX_UNACKNOWLEDGED = 16

/**
 * Serves one client over a MessagePort. A port takes messages without end and never says that its reader is slow, so the client acknowledges
 * what it has read by posting how many messages that were; beyond `WINDOW` unread ones `send` waits. Returns how to hang up.
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

/** Electron hands over an event with the message in `data`, Node the message itself; ours are never objects with `data`. */
function messageData(received: unknown): unknown {
  return typeof received === 'object' && received !== null && 'data' in received ? received.data : received
}
