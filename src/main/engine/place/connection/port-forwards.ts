import { createServer, type Server, type Socket } from 'node:net'
import { CodedError } from '../../../../shared/errors'
import type { Channel, Launcher } from '../launcher/launcher'

/** Maximum number of ports of one place that are open here at the same time. */
const MAX_FORWARDS = 100
/** Maximum number of connections through each of them. */
const MAX_CONNECTIONS = 256

/** Ports of a place that are forwarded to this machine, on loopback only. */
export class PortForwards {
  readonly #launcher: Launcher
  readonly #open = new Map<number, Promise<{ server: Server; port: number }>>()
  readonly #channels = new Set<Channel>()

  constructor(launcher: Launcher) {
    this.#launcher = launcher
  }

  /** Forwards a port of the place; returns the local port, which has the same number if that is free. */
  async open(port: number): Promise<number> {
    const { connect } = this.#launcher
    if (!connect) throw new CodedError('place.unsupported', 'Ports of this kind of place cannot be opened here.')
    if (!this.#open.has(port) && this.#open.size >= MAX_FORWARDS)
      throw new CodedError('request.invalid', `At most ${MAX_FORWARDS} ports of a place can be open at the same time.`)
    const opening = this.#open.get(port) ?? this.#listen(port)
    this.#open.set(port, opening)
    try {
      return (await opening).port
    } catch (error) {
      this.#open.delete(port)
      throw error
    }
  }

  /** Closes all forwards and their connections. */
  close(): void {
    for (const opening of this.#open.values())
      void opening.then(
        ({ server }) => server.close(),
        () => undefined,
      )
    this.#open.clear()
    for (const channel of this.#channels) channel.kill()
    this.#channels.clear()
  }

  async #listen(port: number): Promise<{ server: Server; port: number }> {
    const server = createServer({ allowHalfOpen: true }, (socket) => this.#pass(socket, port))
    server.maxConnections = MAX_CONNECTIONS
    // Ports below 1024 require root, and another program may use the same port.
    const local = (port < 1024 ? undefined : await listens(server, port)) ?? (await listens(server, 0))
    if (local === undefined) throw new CodedError('place.unreachable', 'No port of this machine could be opened.')
    server.unref()
    return { server, port: local }
  }

  #pass(socket: Socket, port: number): void {
    socket.on('error', () => socket.destroy())
    let channel: Channel
    try {
      channel = this.#launcher.connect!(port)
    } catch {
      // The place cannot relay it.
      socket.destroy()
      return
    }
    this.#channels.add(channel)
    socket.pipe(channel.input)
    channel.output.pipe(socket)
    socket.once('close', () => channel.kill())
    // Data that has arrived is still passed on.
    void channel.ended.then(() => this.#channels.delete(channel) && socket.end())
  }
}

/** Listens on a port of loopback; undefined if it is taken. */
function listens(server: Server, port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const failed = (): void => {
      server.removeListener('listening', listening)
      resolve(undefined)
    }
    const listening = (): void => {
      server.removeListener('error', failed)
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : undefined)
    }
    server.once('error', failed)
    server.once('listening', listening)
    server.listen({ port, host: '127.0.0.1', exclusive: true })
  })
}
