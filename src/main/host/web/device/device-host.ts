import { X509Certificate } from 'node:crypto'
import { watch, type FSWatcher } from 'node:fs'
import type { Server } from 'node:https'
import { isIP, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { WebSocket } from 'ws'
import { createRpcServer, type RpcServer } from '../../../api/server/rpc-server'
import type { LogBug } from '../../../api/implementer'
import type { Engine } from '../../../engine/engine-api'
import type { PairedDevices } from '../../../engine/pairing/paired-devices'
import type { DeviceAccess, PairedDevice } from '../../../../shared/model/place/paired-device'
import type { JoinedEngine } from '../../../role/joined-engine'
import { certificateHosts, type Certificate } from './certificate'
import { hostNamed, inUrl } from '../server/host-header'
import { createPageServer, refuse, SERVER_LIMITS } from '../server/page-server'
import { createPairRequests } from './pair-request'
import { logToStderr, routerOf } from '../server/web-host'
import { serveSocket, SOCKET_LIMITS, type SocketLimits } from '../server/web-socket'

export interface DeviceHostOptions {
  engine: Engine | JoinedEngine
  /** The built interface (out/renderer). */
  rendererDir: string
  devices: PairedDevices
  /** An address of this machine, or `0.0.0.0` or `::` for all of them. */
  address: string
  /** 0: any free port. */
  port: number
  certificate: Certificate
  /** Other names with ports under which it can be reached, such as `box.tailnet.ts.net:443`. */
  names?: readonly string[]
  /** Default: stderr. */
  logBug?: LogBug
  socketLimits?: Partial<SocketLimits>
  now?: () => number
}

export interface DeviceHost {
  /** The best one first. */
  urls: string[]
  port: number
  fingerprint: string
  /** Disconnects every device and frees the port. */
  close(): Promise<void>
}

/** Maximum connections: in total, and per network address; a browser needs about ten for a page. */
const MAX_CONNECTIONS = { all: 300, address: 60 }
/** Maximum sockets of one device: its tabs. */
const MAX_SOCKETS = 10
/** How often the devices are checked, in addition to watching the file, in ms. */
const CHECK_MS = 2000
const TOKEN = /^token\.([0-9a-f]{16}-[0-9a-f]{64})$/

/**
 * Serves paired devices over TLS on an address of this machine. The token of the loopback host does not work here:
 * every client is a paired device, which can be revoked. The rules are in ../README.md.
 */
export async function startDeviceHost(options: DeviceHostOptions): Promise<DeviceHost> {
  const { engine, devices, certificate, address, logBug = logToStderr } = options
  const limits: SocketLimits = { ...SOCKET_LIMITS, ...options.socketLimits }
  const servers = new Map<DeviceAccess, RpcServer>()
  const serverFor = (access: DeviceAccess): RpcServer => {
    const known = servers.get(access)
    if (known) return known
    // No files, editors or previews, because the user is not at this machine.
    const host = { kind: 'web', access, chooseFolder: async () => null, openExternal: async () => false } as const
    const made = createRpcServer(routerOf(engine, host, logBug), logBug)
    servers.set(access, made)
    return made
  }
  const open = new Map<WebSocket, { device: PairedDevice; address: string | undefined }>()
  const isAllowed = (socket: WebSocket): boolean => {
    const client = open.get(socket)
    return client !== undefined && devices.isPaired(client.device)
  }
  const signOut = (socket: WebSocket): void => {
    open.delete(socket)
    refuse(socket)
  }
  const check = (): void => {
    for (const [socket, { device, address: from }] of open)
      if (isAllowed(socket)) devices.markSeen(device.deviceId, from)
      else signOut(socket)
  }
  const names = new Set(
    [...certificateHosts(certificate.cert)].filter((name) => !name.includes('*')).map((name) => inUrl(name)),
  )
  const isOurHost = (header: string | undefined, port: number): boolean => {
    if (header === undefined) return false
    const named = hostNamed(header, 443)
    return (
      options.names?.includes(named) === true ||
      [...names, ...addressesOf(address).map(inUrl)].some((name) => named === `${name.toLowerCase()}:${port}`)
    )
  }
  const server = process.getBuiltinModule('node:https').createServer({
    ...SERVER_LIMITS,
    key: certificate.key,
    cert: certificate.cert,
    minVersion: 'TLSv1.2',
    handshakeTimeout: 10_000,
  })
  limitConnections(server)
  const pair = createPairRequests({ devices, logBug, ...(options.now && { now: options.now }) })
  const pages = createPageServer({
    server,
    scheme: 'https',
    rendererDir: options.rendererDir,
    appearance: () => engine.settings.appearance(),
    logBug,
    isOurHost,
    refusal: 'Trestle does not answer to this name.',
    frames: '',
    post: pair,
    admit(protocols, request) {
      const token = protocols.flatMap((offered) => TOKEN.exec(offered)?.[1] ?? [])[0]
      const device = token === undefined ? undefined : devices.authenticate(token)
      if (!device || [...open.values()].filter((one) => one.device.deviceId === device.deviceId).length >= MAX_SOCKETS)
        return undefined
      const from = request.socket.remoteAddress
      return (socket) => {
        open.set(socket, { device, address: from })
        socket.on('close', () => open.delete(socket))
        devices.markSeen(device.deviceId, from)
        serveSocket(serverFor(device.access), socket, {
          ...limits,
          mayContinue: () => isAllowed(socket),
          end: () => signOut(socket),
        })
      }
    },
  })
  await pages.listen(options.port, address)
  const watcher = watchFolder(devices.folder, check)
  const timer = setInterval(check, CHECK_MS)
  timer.unref()
  const port = pages.port()
  const shownPort = port === 443 ? '' : `:${port}`
  return {
    urls: [
      ...new Set([...addressesOf(address), ...names].map((name) => `https://${inUrl(unbracketed(name))}${shownPort}`)),
    ],
    port,
    fingerprint: new X509Certificate(certificate.cert).fingerprint256,
    async close() {
      clearInterval(timer)
      watcher?.close()
      await pages.close()
    },
  }
}

function unbracketed(name: string): string {
  return name.replace(/^\[(.*)\]$/, '$1')
}

/**
 * The addresses at which a server on `address` can be reached: for `::`, all addresses of the machine except link-local
 * IPv6 ones, and for `0.0.0.0` its IPv4 addresses.
 */
export function addressesOf(address: string): string[] {
  if (address !== '0.0.0.0' && address !== '::') return [address]
  const all = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
  return all
    .filter(({ address: one, family }) => !one.startsWith('fe80:') && (address === '::' || family === 'IPv4'))
    .toSorted((one, other) => Number(one.internal) - Number(other.internal) || isIP(one.address) - isIP(other.address))
    .map(({ address: one }) => one)
}

/** Rejects more connections from an address that has many, so that one client cannot lock out the others. */
function limitConnections(server: Server): void {
  const perAddress = new Map<string, number>()
  server.maxConnections = MAX_CONNECTIONS.all
  server.on('connection', (socket: Socket) => {
    const from = socket.remoteAddress ?? ''
    const count = (perAddress.get(from) ?? 0) + 1
    if (count > MAX_CONNECTIONS.address) {
      socket.destroy()
      return
    }
    perAddress.set(from, count)
    socket.on('close', () => {
      const left = (perAddress.get(from) ?? 1) - 1
      if (left > 0) perAddress.set(from, left)
      else perAddress.delete(from)
    })
  })
}

/** Undefined if the system has no more watches; the timer remains. */
function watchFolder(folder: string, changed: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, changed)
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    return undefined
  }
}
