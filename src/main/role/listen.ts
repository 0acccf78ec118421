import { createServer, type Server, type Socket } from 'node:net'
import { MAX_WIRE_LINE_BYTES, WIRE_PROTOCOL } from '../../shared/contract/stdio-wire'
import { claimEndpoint } from '../engine/process/home-endpoint'
import { createLineWriter, readLines } from '../wire/json-lines'
import { createWireServer, type WireMethod } from '../wire/serve-wire'
import { engineEndpoint } from './engine-endpoint'
import { greetClient } from './handshake'

/** The methods of the contract by name, on one engine. */
type Methods = ReadonlyMap<string, WireMethod>

export interface ClaimOptions {
  /** Real path. */
  home: string
  version: string
  limits?: Partial<ClientLimits>
  log(message: string): void
}

export interface ClientLimits {
  /** Maximum connections; more are closed immediately. */
  clients: number
  /** A client that does not read pending data for this long is disconnected. */
  stuckMs: number
  /** How long requests of a client that has ended its side can take. */
  endMs: number
}

const CLIENT_LIMITS: ClientLimits = { clients: 256, stuckMs: 60_000, endMs: 1000 }

/** The role of this process: it listens for the clients of a home. */
export interface ClaimedRole {
  /** Where it listens. */
  path: string
  /** The key that this process shares with its clients. */
  key: string
  /** Connected clients. */
  clients(): number
  /** Called when a client connects or disconnects. */
  onClients(listener: () => void): void
  /** Serves these methods; earlier clients have waited for this. */
  serve(methods: Methods): void
  /** Releases the role, which another process can then claim immediately. Clients are disconnected. */
  close(): Promise<void>
}

/**
 * Claims the role of a home's engine: when several processes try simultaneously, exactly one gets it. Resolves with the
 * socket path of the other process if that has the role.
 */
export async function claimRole(options: ClaimOptions): Promise<ClaimedRole | { heldAt: string }> {
  const { home, version, log } = options
  const limits = { ...CLIENT_LIMITS, ...options.limits }
  const endpoint = engineEndpoint(home)
  const { promise: ready, resolve: serve } = Promise.withResolvers<Methods>()
  const sockets = new Set<Socket>()
  const clients = new Set<Socket>()
  const listeners = new Set<() => void>()
  const changed = (): void => listeners.forEach((listener) => listener())

  async function welcome(socket: Socket): Promise<void> {
    if (!(await greetClient(socket, { key: endpoint.token, version, pid: process.pid }))) {
      socket.end()
      return
    }
    clients.add(socket)
    changed()
    await serveClient(socket, await ready, { version, limits, log })
  }

  // A client that has ended its side still gets its responses.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    if (sockets.size >= limits.clients) {
      socket.destroy()
      return
    }
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      if (clients.delete(socket)) changed()
    })
    welcome(socket).catch(() => socket.destroy())
  })
  const heldAt = await claimEndpoint(endpoint, server)
  if (heldAt !== undefined) return { heldAt }
  return {
    path: endpoint.newest()?.path ?? endpoint.pathOf(1),
    key: endpoint.token,
    clients: () => clients.size,
    onClients: (listener) => void listeners.add(listener),
    serve,
    close: () => closeServer(server, sockets),
  }
}

async function serveClient(
  socket: Socket,
  methods: Methods,
  { version, limits, log }: { version: string; limits: ClientLimits; log(message: string): void },
): Promise<void> {
  const writer = createLineWriter(socket)
  const server = createWireServer(methods, writer)
  const stopWatching = disconnectWhenStuck(socket, limits.stuckMs, log)
  try {
    await writer.write({ hello: { protocol: WIRE_PROTOCOL, version, mostLineBytes: MAX_WIRE_LINE_BYTES } })
    for await (const line of readLines(socket.iterator({ destroyOnReturn: false }), MAX_WIRE_LINE_BYTES))
      await server.receive(line)
  } catch {
    // The connection broke; running requests continue.
  } finally {
    server.endSubscriptions()
    await withinLimit(server.answered(), limits.endMs)
    await withinLimit(writer.flushed(), limits.endMs)
    stopWatching()
    socket.destroy()
  }
}

/** Disconnects a client that does not read pending data. Returns a function that stops watching. */
function disconnectWhenStuck(socket: Socket, limitMs: number, log: (message: string) => void): () => void {
  let written = socket.bytesWritten
  let since = performance.now()
  const timer = setInterval(() => {
    // Node counts queued bytes as written; these are the bytes that the system has accepted.
    const sent = socket.bytesWritten - socket.writableLength
    if (socket.writableLength === 0 || sent !== written) {
      written = sent
      since = performance.now()
    } else if (performance.now() - since >= limitMs) {
      log('a client that read nothing was disconnected')
      socket.destroy()
    }
  }, limitMs / 4).unref()
  return () => clearInterval(timer)
}

async function withinLimit(done: Promise<void>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  await Promise.race([done, new Promise<void>((resolve) => (timer = setTimeout(resolve, limitMs)))])
  clearTimeout(timer)
}

async function closeServer(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  for (const socket of sockets) socket.destroySoon()
  const timer = setTimeout(() => sockets.forEach((socket) => socket.destroy()), CLIENT_LIMITS.endMs)
  await closed
  clearTimeout(timer)
}
