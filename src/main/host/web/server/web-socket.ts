import type { WebSocket } from 'ws'
import { ConnectionClosedError, type RpcServer } from '../../../api/server/rpc-server'

export interface SocketLimits {
  /** Interval of the heartbeat in ms; a client that has not answered the last one is disconnected. */
  pingMs: number
  /** Maximum bytes buffered in this process for one client. */
  maxBuffered: number
}

/** For clients that can be signed out. */
interface ServedLimits extends SocketLimits {
  /** Called before each message is processed; if it returns false, `end` is called instead. */
  mayContinue?(): boolean
  end?(): void
}

export const SOCKET_LIMITS: SocketLimits = { pingMs: 15_000, maxBuffered: 128 << 20 }

/**
 * Serves one client over a WebSocket. A message counts as sent when the operating system has accepted it: a client that
 * stops reading its socket pauses its subscriptions, gets `lagged` when it reads again, and is disconnected if it never
 * does.
 */
export function serveSocket(server: RpcServer, socket: WebSocket, limits: ServedLimits = SOCKET_LIMITS): void {
  const outstanding = new Set<(error: unknown) => void>()
  const connection = server.connect(
    (message) =>
      new Promise((resolve, reject) => {
        if (socket.readyState !== socket.OPEN) {
          reject(new ConnectionClosedError())
          return
        }
        if (socket.bufferedAmount > limits.maxBuffered) {
          socket.terminate()
          reject(new ConnectionClosedError())
          return
        }
        outstanding.add(reject)
        socket.send(message, (error) => {
          outstanding.delete(reject)
          if (error) reject(new ConnectionClosedError())
          else resolve()
        })
      }),
  )
  let isAlive = true
  const heartbeat = setInterval(() => {
    if (!isAlive) {
      socket.terminate()
      return
    }
    isAlive = false
    socket.ping()
  }, limits.pingMs)
  socket.on('pong', () => {
    isAlive = true
  })
  socket.on('message', (data, isBinary) => {
    isAlive = true
    if (isBinary) {
      socket.close(1003, 'text only')
      return
    }
    if (limits.mayContinue?.() === false) {
      limits.end?.()
      return
    }
    const text = asText(data)
    if (text === 'ping') {
      socket.send('pong')
      return
    }
    void take(text)
  })
  const take = async (text: string): Promise<void> => {
    if (!(await connection.receive(text))) socket.close(1007, 'not understood')
  }
  // ws reports a broken or misbehaving peer here and then closes the socket.
  socket.on('error', () => socket.terminate())
  socket.on('close', () => {
    clearInterval(heartbeat)
    connection.close()
    for (const reject of outstanding) reject(new ConnectionClosedError())
    outstanding.clear()
  })
  socket.send('ready')
}

function asText(data: Buffer | ArrayBuffer | Buffer[]): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString()
  return data instanceof ArrayBuffer ? Buffer.from(data).toString() : data.toString()
}
