import { ListeningPorts, listeningSockets, openSockets, type ListeningPort } from './listening-ports'
import { linkOf } from './proc-files'
import type { ProcessEntry } from './process-entry'

/** What a published server is opened at. */
const PUBLISHED_AT = '127.0.0.1'

/**
 * Ports of servers in sandboxes. They listen in a network of their own, which this machine's list of sockets does not show; this process makes them reachable at the same
 * port of 127.0.0.1 (see PublishedPorts). One that is not reachable, because something else has that port, is left out: a link to it would open the wrong page.
 */
export class SandboxedPorts {
  readonly #owners = new ListeningPorts()
  /** A process in each network but this machine's, as of the last look. */
  #members: number[] = []

  /** Sockets that listen in the networks of the last look. To be listed before the processes: see ListeningPorts. */
  sockets(): Map<string, ListeningPort> {
    return new Map(this.#members.flatMap((pid) => [...listeningSockets(pid)]))
  }

  /** By process. `outside`: the sockets of this machine. */
  of(
    processes: readonly ProcessEntry[],
    sockets: ReadonlyMap<string, ListeningPort>,
    outside: ReadonlyMap<string, ListeningPort>,
  ): Map<number, ListeningPort[]> {
    const own = networkOf(process.pid)
    const members = new Map(processes.map(({ pid }) => [networkOf(pid), pid]))
    for (const network of ['', own]) members.delete(network)
    this.#members = [...members.values()]
    if (sockets.size === 0) return new Map()
    const published = publishedPorts(outside)
    const found = [...this.#owners.of(processes, sockets)].map(([pid, ports]): [number, ListeningPort[]] => [
      pid,
      ports.filter(({ port }) => published.has(port)).map(({ port }) => ({ port, address: PUBLISHED_AT })),
    ])
    return new Map(found)
  }
}

/** Ports of this machine that this process listens on. */
function publishedPorts(outside: ReadonlyMap<string, ListeningPort>): Set<number> {
  const ports = openSockets(process.pid).flatMap((socket) => outside.get(socket) ?? [])
  return new Set(ports.flatMap(({ port, address }) => (address === PUBLISHED_AT ? [port] : [])))
}

/** '' when the process is gone, or not ours to look into. */
function networkOf(pid: number): string {
  return linkOf(`/proc/${pid}/ns/net`)
}
