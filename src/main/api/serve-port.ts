import { CarrierClosed } from './rpc-server'
import type { RpcServer } from './rpc-server'

/** A MessagePort as both Electron's main process (`MessagePortMain`) and Node's worker_threads have it. */
export interface ServerPort {
  postMessage(message: unknown): void
  on(event: 'message', listener: (message: unknown) => void): unknown
  on(event: 'close', listener: () => void): unknown
  start(): void
  close(): void
}

/** How many messages a client may leave unacknowledged before its subscriptions wait. */
const WINDOW = 16

/**
 * Serves one client over a MessagePort. A port takes messages without end and never says that its reader is slow, so the client acknowledges
 * what it has read by posting how many messages that were; beyond `WINDOW` unread ones `send` waits. Returns how to hang up.
 */
export function servePort(server: RpcServer, port: ServerPort, options: { window?: number; onClose?: () => void } = {}): () => void {
  const window = options.window ?? WINDOW
  let unread = 0
  let isOpen = true
  const waiting: { resolve: () => void; reject: (error: unknown) => void }[] = []
  const connection = server.connect((message) => {
    if (!isOpen) return Promise.reject(new CarrierClosed())
    port.postMessage(message)
    unread += 1
    if (unread < window) return Promise.resolve()
    return new Promise((resolve, reject) => waiting.push({ resolve, reject }))
  })
  const hangUp = (): void => {
    if (!isOpen) return
    isOpen = false
    for (const waiter of waiting.splice(0)) waiter.reject(new CarrierClosed())
    connection.close()
    port.close()
    options.onClose?.()
  }
  const take = async (message: string): Promise<void> => {
    if (!(await connection.receive(message))) hangUp()
  }
  port.on('message', (received) => {
    const message = contentOf(received)
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
function contentOf(received: unknown): unknown {
  return typeof received === 'object' && received !== null && 'data' in received ? received.data : received
}
