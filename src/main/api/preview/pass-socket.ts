import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { askServer } from './ask-server'
import { requestHeaders, type PreviewOrigins } from './preview-headers'
import type { PreviewTarget } from './preview-target'

/** What a handshake is answered with. */
const HANDSHAKE = ['sec-websocket-accept', 'sec-websocket-protocol', 'sec-websocket-extensions']

/** Joins a WebSocket of the page with one of the server, for reloads on changes. */
export function passSocket(
  request: IncomingMessage,
  stream: Duplex,
  head: Buffer,
  { target, origins }: { target: PreviewTarget; origins: PreviewOrigins },
): void {
  const asked = askServer(request, target, requestHeaders(request.headers, origins, true))
  stream.on('close', () => asked.destroy())
  asked.on('error', () => refuseSocket(stream, '502 Bad Gateway'))
  asked.on('response', (answer) => {
    answer.destroy()
    refuseSocket(stream, '502 Bad Gateway')
  })
  asked.on('upgrade', (answer, socket, first) => {
    socket.on('error', () => socket.destroy())
    socket.on('close', () => stream.destroy())
    stream.on('close', () => socket.destroy())
    const fields = HANDSHAKE.flatMap((name) => {
      const value = answer.headers[name]
      return typeof value === 'string' ? [`${name}: ${value}\r\n`] : []
    })
    stream.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n${fields.join('')}\r\n`,
    )
    stream.write(first)
    socket.write(head)
    socket.pipe(stream)
    stream.pipe(socket)
  })
  asked.end()
}

/** Answers an upgrade that is not made. */
export function refuseSocket(stream: Duplex, status: string): void {
  if (!stream.destroyed) stream.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
}
