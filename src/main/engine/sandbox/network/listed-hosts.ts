import { readFileSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { forwarderScript, PROXY_PORTS } from './forwarder'
import { hostAllowed, parseHostEntry } from '../../network/host-list'
import { plainNode } from '../../runtime/plain-node'
import { makePipeFolder } from '../pipe-folder'
import { removeQuietly } from '../safe-fs'
import { createSandboxProxy, type DeniedHost, type SandboxProxy } from './sandbox-proxy'

/** The network access of a namespace with listed hosts. The list can grow while commands run. */
export class ListedHosts {
  hosts: readonly string[]
  /** Shell script for the namespace: starts the forwarders, then executes the command that follows it. */
  readonly script: string
  /** Maximum number of ports it listens on inside the sandbox. */
  readonly forwarders: number
  private readonly folder: string
  private readonly proxy: Promise<SandboxProxy | undefined>
  private readonly refused: DeniedHost[] = []

  constructor(hosts: readonly string[], socat: string | undefined) {
    this.hosts = hosts
    // A short path, because socket paths are limited to 107 bytes.
    this.folder = makePipeFolder(tmpdir())
    const localPorts = hosts.flatMap((text) => {
      const entry = parseHostEntry(text)
      return entry?.host === 'localhost' && entry.port !== undefined ? [entry.port] : []
    })
    this.forwarders = Object.keys(PROXY_PORTS).length + localPorts.length
    this.script = forwarderScript({
      httpSocket: join(this.folder, 'http.sock'),
      socksSocket: join(this.folder, 'socks.sock'),
      localPorts,
      ...(socat === undefined ? { node: plainNode() } : { socat }),
    })
    this.proxy = createSandboxProxy({
      folder: this.folder,
      allows: (host, port) => hostAllowed(this.hosts, host, port),
      onDenied: (denied) => this.refused.push(denied),
    }).catch(() => undefined)
  }

  denied(since: number): { host: string; port: number }[] {
    return this.refused.filter(({ at }) => at >= since).map(({ host, port }) => ({ host, port }))
  }

  close(): void {
    // Immediately: the process may be about to exit.
    removeQuietly(this.folder)
    void this.proxy.then((proxy) => proxy?.close()).finally(() => removeQuietly(this.folder))
  }
}

/** Interval of looking for servers that commands have started. */
const LOOK_MS = 500
/** Each needs a process. */
const MAX_PUBLISHED = 32
const LISTENING = '0A'

/**
 * Makes servers that sandboxed commands start reachable from this machine, at the same port of 127.0.0.1, as if they
 * ran outside, so that the user can open them in a browser. Ports already in use on this machine are left alone.
 */
export class PublishedPorts {
  private readonly pid: () => number | undefined
  private readonly forwarders: number
  private readonly folder: string
  private readonly forward: (port: number, socket: string) => void
  private readonly servers = new Map<number, Server>()
  private readonly timer: NodeJS.Timeout

  /**
   * `pid`: a process in the network of the commands, once there is one. `forward` starts a forwarder in it, from a new
   * unix socket to a port. `forwarders`: the number of forwarders to the proxy that listen there.
   */
  constructor(pid: () => number | undefined, forward: (port: number, socket: string) => void, forwarders: number) {
    this.pid = pid
    this.forwarders = forwarders
    this.forward = forward
    this.folder = makePipeFolder(tmpdir())
    this.timer = setInterval(() => this.look(), LOOK_MS).unref()
  }

  close(): void {
    clearInterval(this.timer)
    for (const server of this.servers.values()) server.close()
    this.servers.clear()
    removeQuietly(this.folder)
  }

  private look(): void {
    const pid = this.pid()
    if (pid === undefined) return
    const ports = listeningPorts(pid, this.forwarders)
    for (const [port, server] of this.servers) {
      if (ports.has(port)) continue
      server.close()
      this.servers.delete(port)
    }
    for (const port of ports) if (!this.servers.has(port) && this.servers.size < MAX_PUBLISHED) this.publish(port)
  }

  private publish(port: number): void {
    const path = join(this.folder, String(port))
    this.forward(port, path)
    const server = createServer((client) => {
      const inside = connect(path)
      client.on('error', () => inside.destroy())
      inside.on('error', () => client.destroy())
      client.pipe(inside).pipe(client)
    })
    this.servers.set(port, server)
    server.on('error', () => {})
    server.unref()
    server.listen(port, '127.0.0.1')
  }
}

/**
 * TCP ports on which something listens in the network of a process, except the forwarders to the proxy. `forwarders`:
 * the number of those. To list sockets, the kernel searches those of all networks, which takes milliseconds; the number
 * in one network is available immediately, so it is checked first.
 */
export function listeningPorts(pid: number, forwarders: number): Set<number> {
  const ports = new Set<number>()
  const tables = [
    { table: 'tcp', isEmpty: socketsInUse(pid, 'sockstat') <= forwarders },
    { table: 'tcp6', isEmpty: socketsInUse(pid, 'sockstat6') === 0 },
  ]
  for (const { table, isEmpty } of tables) {
    if (isEmpty) continue
    for (const line of read(`/proc/${pid}/net/${table}`).split('\n').slice(1)) {
      const [, local = '', , state] = line.trim().split(/\s+/)
      if (state === LISTENING) ports.add(Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16))
    }
  }
  for (const port of Object.values(PROXY_PORTS)) ports.delete(port)
  return ports
}

function socketsInUse(pid: number, table: 'sockstat' | 'sockstat6'): number {
  return Number(/^TCP6?: inuse (\d+)/m.exec(read(`/proc/${pid}/net/${table}`))?.[1] ?? Infinity)
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
