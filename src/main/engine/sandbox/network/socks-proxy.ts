import type { Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import { HostDeniedError, type OutboundConnections, joinSockets } from './outbound-connections'
import { canonicalHost } from '../../network/host-list'

/** What the proxy replies (RFC 1928, section 6). */
const REPLY = { ok: 0, failed: 1, denied: 2, unreachable: 4, refused: 5, command: 7, address: 8 } as const
const VERSION = 5
const NO_SIGN_IN = 0
const NO_METHOD = 0xff
const HANDSHAKE_MS = 20_000

/**
 * Serves one connection of a SOCKS5 client (RFC 1928): CONNECT, to a name or an address, without signing in. Never
 * rejects.
 */
export async function serveSocks(client: Socket, outside: OutboundConnections): Promise<void> {
  const late = setTimeout(() => client.destroy(), HANDSHAKE_MS)
  client.on('error', () => client.destroy())
  client.once('close', () => clearTimeout(late))
  const handshake = readFrom(client)
  try {
    const target = await readRequest(client, handshake.take)
    clearTimeout(late)
    handshake.stop()
    if (target instanceof Uint8Array) return void client.end(target)
    const server = await outside.open(target.host, target.port)
    if (client.destroyed) return void server.destroy()
    client.write(reply(REPLY.ok))
    joinSockets(client, server)
  } catch (error) {
    clearTimeout(late)
    if (error instanceof BrokenHandshake || !client.writable) client.destroy()
    else client.end(reply(replyTo(error)))
  }
}

class BrokenHandshake extends Error {
  override readonly name = 'BrokenHandshake'
}

type Take = (count: number) => Promise<Buffer>

/** What the client wants to reach, or the last bytes it is sent because it cannot have it. */
async function readRequest(client: Socket, take: Take): Promise<{ host: string; port: number } | Buffer> {
  const [version, count] = await take(2)
  if (version !== VERSION) throw new BrokenHandshake('not SOCKS5')
  const methods = await take(count!)
  if (!methods.includes(NO_SIGN_IN)) return Buffer.from([VERSION, NO_METHOD])
  client.write(Buffer.from([VERSION, NO_SIGN_IN]))
  const [again, command, , kind] = await take(4)
  if (again !== VERSION) throw new BrokenHandshake('not SOCKS5')
  const written = await readHost(kind!, take)
  if (written === undefined) return reply(REPLY.address)
  const port = (await take(2)).readUInt16BE()
  if (command !== 1) return reply(REPLY.command)
  const host = canonicalHost(written)
  return host === undefined || port === 0 ? reply(REPLY.address) : { host, port }
}

async function readHost(kind: number, take: Take): Promise<string | undefined> {
  if (kind === 1) return ipaddr.fromByteArray([...(await take(4))]).toString()
  if (kind === 4) return ipaddr.fromByteArray([...(await take(16))]).toString()
  if (kind !== 3) return undefined
  const [length] = await take(1)
  return (await take(length!)).toString('latin1')
}

/** Takes a socket's bytes piece by piece; `stop` gives back what was read too far, and leaves the socket paused. */
function readFrom(socket: Socket): { take: Take; stop: () => void } {
  let [bytes, ended, wake] = [Buffer.alloc(0), false, (): void => undefined]
  const more = (chunk: Buffer): void => {
    bytes = Buffer.concat([bytes, chunk])
    socket.pause()
    wake()
  }
  const end = (): void => {
    ended = true
    wake()
  }
  socket.on('data', more).once('end', end).once('close', end)
  const take: Take = async (count) => {
    while (bytes.length < count) {
      if (ended) throw new BrokenHandshake('the connection ended')
      await new Promise<void>((settle) => {
        wake = settle
        socket.resume()
      })
    }
    const taken = bytes.subarray(0, count)
    bytes = bytes.subarray(count)
    return taken
  }
  const stop = (): void => {
    socket.off('data', more).pause()
    if (bytes.length > 0) socket.unshift(bytes)
  }
  return { take, stop }
}

/** The address in a reply tells a client nothing it needs, so it is always 0.0.0.0. */
function reply(code: number): Buffer {
  return Buffer.from([VERSION, code, 0, 1, 0, 0, 0, 0, 0, 0])
}

function replyTo(error: unknown): number {
  if (error instanceof HostDeniedError) return REPLY.denied
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ECONNREFUSED') return REPLY.refused
  return code === undefined ? REPLY.failed : REPLY.unreachable
}
