import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { HostActions } from '../../src/main/api/implementer'
import { directClient, createRouter } from '../../src/main/api/server/router'
import { createRpcServer, servePort } from '../../src/main/api/server/rpc-server'
import type { Engine } from '../../src/main/engine/engine-api'
import { startWebHost } from '../../src/main/host/web/server/web-host'
import { type ConnectOptions, connect } from '../../src/renderer/client/connect'
import { type Connection, directConnection } from '../../src/renderer/client/connection'
import { type ClientPort, portTransport, webSocketTransport } from '../../src/renderer/client/transports'
import { nodeSockets } from './node-socket'

/** An engine served in one of the three ways. */
export interface Served {
  connect(): Connection
  /** Breaks every wire from outside, now. Does nothing for direct calls. */
  breakWires(): void
  /** The bugs that were logged. */
  bugs: unknown[]
  stop(): Promise<void>
}

const FAST: ConnectOptions = { timing: { backoff: [5, 50] } }

const actions = (kind: HostActions['kind']): HostActions => ({
  kind,
  chooseFolder: async () => '/chosen',
  openExternal: async () => true,
})

/** Node's port with the browser's events. */
export function asClientPort(port: MessagePort): ClientPort {
  return {
    postMessage: (message) => port.postMessage(message),
    addEventListener(type: 'message' | 'close', listener: ((event: { data: unknown }) => void) | (() => void)) {
      if (type === 'message') port.on('message', (data: unknown) => listener({ data }))
      else port.on('close', () => listener({ data: undefined }))
    },
    start: () => port.start(),
    close: () => port.close(),
  }
}

export const WAYS: Readonly<Record<'direct' | 'MessagePort' | 'WebSocket', (engine: Engine) => Promise<Served>>> = {
  async direct(engine) {
    const bugs: unknown[] = []
    const client = directClient(
      createRouter({ engine, host: actions('electron'), logBug: (_message, error) => bugs.push(error) }),
    )
    return { connect: () => directConnection(client), breakWires: () => {}, bugs, stop: async () => {} }
  },

  async MessagePort(engine) {
    const bugs: unknown[] = []
    const logBug = (_message: string, error: unknown): number => bugs.push(error)
    const server = createRpcServer(createRouter({ engine, host: actions('electron'), logBug }), logBug)
    const hangUps = new Set<() => void>()
    const connections: Connection[] = []
    return {
      connect() {
        const connection = connect(
          portTransport(async () => {
            const { port1, port2 } = new MessageChannel()
            const hangUp = servePort(server, port1, { onClose: () => hangUps.delete(hangUp) })
            hangUps.add(hangUp)
            return asClientPort(port2)
          }),
          FAST,
        )
        connections.push(connection)
        return connection
      },
      breakWires: () => {
        for (const hangUp of hangUps) hangUp()
      },
      bugs,
      async stop() {
        for (const connection of connections) connection.close()
        for (const hangUp of hangUps) hangUp()
      },
    }
  },

  async WebSocket(engine) {
    const bugs: unknown[] = []
    const rendererDir = await mkdtemp(join(tmpdir(), 'trestle-page-'))
    await writeFile(join(rendererDir, 'index.html'), '<!doctype html>')
    const host = await startWebHost({ engine, rendererDir, logBug: (_message, error) => bugs.push(error) })
    const { open, sockets } = nodeSockets()
    const { origin, hash } = new URL(host.url)
    const connections: Connection[] = []
    return {
      connect() {
        const connection = connect(
          webSocketTransport(open, `${origin.replace('http', 'ws')}/socket`, hash.slice('#token='.length)),
          FAST,
        )
        connections.push(connection)
        return connection
      },
      breakWires: () => {
        for (const socket of sockets.splice(0)) socket.terminate()
      },
      bugs,
      async stop() {
        for (const connection of connections) connection.close()
        await host.close()
        await rm(rendererDir, { recursive: true })
      },
    }
  },
}
