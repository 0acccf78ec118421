import type { OpenTransport, Transport, TransportEvents } from './connection'
import { SOCKET_PROTOCOL, SOCKET_REFUSED, tokenProtocol } from '../../shared/contract/page-host'

/** A MessagePort as both the browser and Node have it. */
export interface ClientPort {
  postMessage(message: unknown): void
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void
  addEventListener(type: 'close', listener: () => void): void
  start(): void
  close(): void
}

/**
 * The transport of the desktop app. Every message read is acknowledged by its number, because a port does not show the
 * sender that its reader is slow (main/api/server/rpc-server.ts).
 */
export function portTransport(requestPort: () => Promise<ClientPort>): OpenTransport {
  return (events) => {
    let port: ClientPort | undefined
    let post: ((message: unknown) => void) | undefined
    let isClosed = false
    const lose = (): void => {
      if (isClosed) return
      isClosed = true
      events.closed(false)
    }
    const take = async (): Promise<void> => {
      const granted = await requestPort()
      if (isClosed) {
        granted.close()
        return
      }
      port = granted
      const send = granted.postMessage.bind(granted)
      post = send
      granted.addEventListener('message', ({ data }) => {
        if (isClosed) return
        send(1)
        if (typeof data === 'string') events.message(data)
      })
      granted.addEventListener('close', lose)
      granted.start()
      events.ready()
    }
    take().catch(lose)
    return {
      send: (message) => post?.(message),
      close() {
        isClosed = true
        port?.close()
      },
    }
  }
}

/** The parts of a WebSocket that are used; the page passes the browser's, tests pass their own. */
export interface SocketLike {
  send(data: string): void
  close(): void
}

export interface SocketEvents {
  message(data: string): void
  /** Called once, also when the socket never opened. */
  closed(code: number): void
}

export type OpenSocket = (url: string, protocols: string[], events: SocketEvents) => SocketLike

/**
 * The transport of the web host (shared/contract/page-host.ts): the token goes into the handshake, `ready` comes back.
 */
export function webSocketTransport(openSocket: OpenSocket, url: string, token: string): OpenTransport {
  return (events: TransportEvents): Transport => {
    const socket = openSocket(url, [SOCKET_PROTOCOL, tokenProtocol(token)], {
      message(data) {
        if (data === 'ready') events.ready()
        else if (data === 'pong') events.heartbeat()
        else events.message(data)
      },
      closed: (code) => events.closed(code === SOCKET_REFUSED),
    })
    return {
      send: (message) => socket.send(message),
      ping: () => socket.send('ping'),
      close: () => socket.close(),
    }
  }
}
