import { WebSocket } from 'ws'
import type { OpenSocket } from '../../src/renderer/client/transports'

/** The page's WebSocket for tests in Node. `sockets` are all opened ones, for breaking or pausing them. */
export function nodeSockets(): { open: OpenSocket; sockets: WebSocket[] } {
  const sockets: WebSocket[] = []
  return {
    sockets,
    open(url, protocols, events) {
      const socket = new WebSocket(url, protocols, { perMessageDeflate: false })
      sockets.push(socket)
      socket.on('message', (data) => {
        if (Buffer.isBuffer(data)) events.message(data.toString())
      })
      socket.on('close', (code) => events.closed(code))
      // The reason for a failed handshake; `close` follows.
      socket.on('error', () => {})
      return {
        send: (message) => socket.send(message),
        close: () => socket.close(),
      }
    },
  }
}
