import { closeSync, openSync, readSync } from 'node:fs'
import { execFile } from 'node:child_process'
import { readLink, namesIn, type ProcessEntry } from '../../process/proc-files'

export interface ListeningPort {
  port: number
  address: string
}

type Owners = Map<string, { pid: number; started: number } | undefined>

/** State of a listening socket in /proc/net/tcp. */
const LISTEN = '0A'
const CHUNK = 64 * 1024

/**
 * Which of a set of processes listen on which TCP ports, on Linux. The kernel lists sockets without their owner, which
 * is found by checking the open files of the given processes, once for each new socket.
 */
export class ListeningPorts {
  /** Owners by inode of the socket; undefined if none of the given processes has it open. */
  #owners: Owners = new Map()

  /** `sockets` must have been listed before `processes`, or the owner of a new one could be missed permanently. */
  of(processes: readonly ProcessEntry[], sockets: ReadonlyMap<string, ListeningPort>): Map<number, ListeningPort[]> {
    const living = new Map(processes.map((entry) => [entry.pid, entry]))
    const owners: Owners = new Map()
    const wanted = new Set<string>()
    for (const socket of sockets.keys()) {
      const owner = this.#owners.get(socket)
      if (owner && living.get(owner.pid)?.started === owner.started) owners.set(socket, owner)
      // Its owner has ended, but another process may have inherited it.
      else if (owner || !this.#owners.has(socket)) wanted.add(socket)
      else owners.set(socket, undefined)
    }
    if (wanted.size > 0) {
      for (const { pid, started } of processes) {
        for (const socket of openSockets(pid))
          if (wanted.has(socket) && !owners.has(socket)) owners.set(socket, { pid, started })
      }
      for (const socket of wanted) if (!owners.has(socket)) owners.set(socket, undefined)
    }
    this.#owners = owners
    const byPid = new Map<number, ListeningPort[]>()
    for (const [socket, port] of sockets) {
      const pid = owners.get(socket)?.pid
      if (pid !== undefined) byPid.set(pid, [...(byPid.get(pid) ?? []), port])
    }
    return byPid
  }
}

/** All listening TCP sockets in the network of a process, by inode. */
export function listeningSockets(pid: number | 'self' = 'self'): Map<string, ListeningPort> {
  return new Map([...socketsIn(`/proc/${pid}/net/tcp`), ...socketsIn(`/proc/${pid}/net/tcp6`)])
}

function* socketsIn(path: string): Generator<[string, ListeningPort]> {
  for (const line of linesWhile(path, (line) => stateOf(line) === LISTEN)) {
    const fields = line.trim().split(/\s+/)
    const [address, port] = fields[1]!.split(':')
    yield [fields[9]!, { port: Number.parseInt(port!, 16), address: addressOf(address!) }]
  }
}

function stateOf(line: string): string | undefined {
  return /^\s*\d+: \S+ \S+ (\w\w) /.exec(line)?.[1]
}

/**
 * Lines after the first, as long as they are `wanted`: listening sockets come first, and there may be thousands of
 * others.
 */
function linesWhile(path: string, wanted: (line: string) => boolean): string[] {
  const lines: string[] = []
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    const buffer = Buffer.allocUnsafe(CHUNK)
    let rest = ''
    let isFirst = true
    for (let count = readSync(file, buffer); count > 0; count = readSync(file, buffer)) {
      const pieces = (rest + buffer.toString('latin1', 0, count)).split('\n')
      rest = pieces.pop() ?? ''
      for (const line of isFirst ? pieces.slice(1) : pieces) {
        if (!wanted(line)) return lines
        lines.push(line)
      }
      isFirst &&= pieces.length === 0
    }
  } catch {
    // A system without IPv6 has no such file.
  } finally {
    if (file !== undefined) closeSync(file)
  }
  return lines
}

/** Inodes of the sockets that a process has open. */
function openSockets(pid: number): string[] {
  return namesIn(`/proc/${pid}/fd`).flatMap(
    (name) => /^socket:\[(\d+)\]$/.exec(readLink(`/proc/${pid}/fd/${name}`))?.[1] ?? [],
  )
}

/** The address, stored as groups of four bytes, each in the byte order of this machine. */
export function addressOf(hex: string): string {
  const bytes = Buffer.from(hex, 'hex')
  // Every machine that Trestle runs on is little-endian.
  bytes.swap32()
  if (bytes.length === 4) return [...bytes].join('.')
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2))
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) return [...bytes.subarray(12)].join('.')
  const text = groups.map((group) => group.toString(16)).join(':')
  // The longest run of zeros, written as "::".
  const zeros = [...text.matchAll(/(?:^|:)0(?::0)+(?=:|$)/g)].toSorted((a, b) => b[0].length - a[0].length)[0]
  if (!zeros) return text
  return `${text.slice(0, zeros.index)}::${text.slice(zeros.index + zeros[0].length + 1)}`
}

/** The address at which a published server is opened. */
const PUBLISHED_AT = '127.0.0.1'

/**
 * Ports of servers in sandboxes. They listen in a network of their own, which this machine's list of sockets does not
 * show; this process publishes them at the same port of 127.0.0.1 (see PublishedPorts). A server that is not published
 * because the port is taken is omitted: a link to it would open the wrong page.
 */
export class SandboxedPorts {
  readonly #owners = new ListeningPorts()
  /** A process in each network but this machine's, as of the last scan. */
  #members: number[] = []

  /** Listening sockets in the networks of the last scan. Must be listed before the processes: see ListeningPorts. */
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

/** '' if the process has ended or cannot be inspected. */
function networkOf(pid: number): string {
  return readLink(`/proc/${pid}/ns/net`)
}

/** Which of these processes listen on which TCP ports, on systems without /proc. */
export function portsByLsof(pids: readonly number[]): Promise<Map<number, ListeningPort[]>> {
  if (pids.length === 0) return Promise.resolve(new Map())
  return new Promise((resolve) => {
    // lsof fails if one of the processes has no socket; its output is still valid.
    execFile('lsof', ['-nP', '-w', '-a', '-iTCP', '-sTCP:LISTEN', '-p', pids.join(','), '-Fpn'], (_error, stdout) =>
      resolve(parseLsof(stdout)),
    )
  })
}

/** Parses lines `p<pid>` and, for each of its sockets, `n<address>:<port>`. */
export function parseLsof(listing: string): Map<number, ListeningPort[]> {
  const byPid = new Map<number, ListeningPort[]>()
  let pid = 0
  for (const line of listing.split('\n')) {
    if (line.startsWith('p')) pid = Number(line.slice(1))
    const name = /^n(?<address>.+):(?<port>\d+)$/.exec(line)?.groups
    if (!name) continue
    const address = name['address'] === '*' ? '0.0.0.0' : name['address']!.replaceAll(/[[\]]/g, '')
    byPid.set(pid, [...(byPid.get(pid) ?? []), { port: Number(name['port']), address }])
  }
  return byPid
}

/** Which processes listen on which TCP ports, on Windows. */
export function portsByNetstat(): Promise<Map<number, ListeningPort[]>> {
  return new Promise((resolve) => {
    execFile('netstat', ['-ano', '-p', 'TCP'], { windowsHide: true, maxBuffer: 16 * 1024 * 1024 }, (_error, v4) => {
      execFile('netstat', ['-ano', '-p', 'TCPv6'], { windowsHide: true, maxBuffer: 16 * 1024 * 1024 }, (_failure, v6) =>
        resolve(parseNetstat(`${v4}\n${v6}`)),
      )
    })
  })
}

/**
 * Parses lines of protocol, local address, remote address, state and pid. A listening socket has no remote address; the
 * name of the state depends on the display language.
 */
export function parseNetstat(listing: string): Map<number, ListeningPort[]> {
  const byPid = new Map<number, ListeningPort[]>()
  for (const line of listing.split(/\r?\n/)) {
    const found = /^\s*TCP\s+(?<address>\S+):(?<port>\d+)\s+(?:0\.0\.0\.0|\[::\]):0\s+\S+\s+(?<pid>\d+)\s*$/i.exec(
      line,
    )?.groups
    if (!found) continue
    const pid = Number(found['pid'])
    const address = found['address']!.replaceAll(/[[\]]/g, '')
    byPid.set(pid, [...(byPid.get(pid) ?? []), { port: Number(found['port']), address }])
  }
  return byPid
}
