import type { Carrier, CarrierEvents, OpenCarrier } from './connection'
import { SOCKET_PROTOCOL, SOCKET_REFUSED, tokenProtocol } from '../../shared/contract/socket-wire'

/** A WebSocket as this needs it; the page passes the browser's, a test another. */
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

/** The web host's wire (shared/contract/socket-wire.ts): the token goes into the handshake, `ready` comes back. */
export function socketCarrier(openSocket: OpenSocket, url: string, token: string): OpenCarrier {
  return (events: CarrierEvents): Carrier => {
    const socket = openSocket(url, [SOCKET_PROTOCOL, tokenProtocol(token)], {
      message(data) {
        if (data === 'ready') events.ready()
        else if (data === 'pong') events.sign()
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
