import { shellQuote } from '../../process/shell-process'

/** Where the two protocols are found inside a sandbox, on 127.0.0.1. */
export const PROXY_PORTS = { http: 3128, socks: 1080 } as const

export interface ForwarderOptions {
  /** The sockets of the proxy outside, by the paths they have inside the sandbox. */
  httpSocket: string
  socksSocket: string
  /** Default: `PROXY_PORTS`. */
  httpPort?: number
  socksPort?: number
  /** Ports of this machine's own 127.0.0.1 that are listed (`localhost:5432`): the same ports inside lead there. */
  localPorts?: readonly number[]
  /** Path of `socat`, which listens after about 3 ms. */
  socat?: string
  /** Path of Node, for machines without `socat`; it takes about 40 ms. One of the two is needed. */
  node?: string
}

/** What the start of a sandbox ends with when its forwarder does not listen in time. */
export const FORWARDER_FAILED = 125
/** Looks without a pause before the first wait: `socat` is there by then, on an idle machine. */
const FAST_POLLS = 200
const MAX_WAITS = 500
const WAIT_SECONDS = 0.02

/**
 * The program of the forwarder for Node: pairs of a port and where it leads, which is a socket's path, or
 * `path>host:port` for what CONNECT opens. Both ends may end their direction first; when one breaks, so does the other.
 */
const NODE_PROGRAM = `
const net = require('node:net')
const [, ...args] = process.argv
for (let i = 0; i < args.length; i += 2) {
  const [path, target] = args[i + 1].split('>')
  net.createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (client) => {
    const proxy = net.connect({ path, allowHalfOpen: true })
    for (const [from, to] of [[client, proxy], [proxy, client]])
      from.on('error', () => to.destroy()).on('close', () => (from.readableEnded && from.writableFinished) || to.destroy())
    const join = () => { client.pipe(proxy); proxy.pipe(client) }
    if (target === undefined) return join()
    let head = ''
    proxy.write('CONNECT ' + target + ' HTTP/1.1\\r\\n\\r\\n')
    proxy.on('data', function answer(bytes) {
      head += bytes.toString('latin1')
      const end = head.indexOf('\\r\\n\\r\\n')
      if (end === -1) return
      proxy.off('data', answer).pause()
      if (!head.startsWith('HTTP/1.1 200 ')) return client.destroy()
      proxy.unshift(Buffer.from(head.slice(end + 4), 'latin1'))
      join()
    })
  }).listen(+args[i], '127.0.0.1')
}
`

/** The programs that forward the proxy's ports inside a sandbox to its sockets; each runs until the sandbox ends. */
export function forwarderCommands(options: ForwarderOptions): string[][] {
  const {
    httpSocket,
    socksSocket,
    httpPort = PROXY_PORTS.http,
    socksPort = PROXY_PORTS.socks,
    localPorts = [],
    socat,
    node,
  } = options
  const sockets: [number, string][] = [
    [httpPort, httpSocket],
    [socksPort, socksSocket],
  ]
  if (socat !== undefined) {
    // After the end of one direction socat would wait half a second for the other: a server may think longer than that.
    const forward = (port: number, to: string): string[] => [
      socat,
      '-t900',
      `TCP-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr,nodelay,backlog=256`,
      to,
    ]
    return [
      ...sockets.map(([port, path]) => forward(port, `UNIX-CONNECT:${escapedForSocat(path)}`)),
      ...localPorts.map((port) => forward(port, `PROXY:127.0.0.1:localhost:${port},proxyport=${httpPort}`)),
    ]
  }
  if (node === undefined) throw new Error('The network of a sandbox needs socat or Node')
  const local = localPorts.flatMap((port) => [String(port), `${httpSocket}>localhost:${port}`])
  return [[node, '-e', NODE_PROGRAM, '--', ...sockets.flatMap(([port, path]) => [String(port), path]), ...local]]
}

/**
 * A script for `sh -c SCRIPT sh COMMAND ARGUMENTS…`, to be run inside the sandbox: it starts the forwarders, waits
 * until all their ports listen, and becomes the command. The sandbox needs a pid namespace of its own (its end is
 * theirs), `/proc` (where it counts the sockets that listen), and a network namespace in which nothing else listens
 * yet.
 *
 * In a terminal the forwarders get a session of their own, so that Ctrl-C for the command does not end them. They have
 * none of its files. `NODE_OPTIONS` is not theirs.
 */
export function forwarderScript(options: ForwarderOptions): string {
  const { localPorts = [] } = options
  return [
    // Ctrl-C reaches every process of a terminal; without one, there is nothing to keep away from.
    'trestle_own=; true 2>/dev/null </dev/tty && command -v setsid >/dev/null 2>&1 && trestle_own=setsid',
    'trestle_pids=',
    ...forwarderCommands(options).map(
      (argv) =>
        `NODE_OPTIONS= $trestle_own ${argv.map(shellQuote).join(' ')} ` +
        '</dev/null >/dev/null 2>&1 & trestle_pids="$trestle_pids $!"',
    ),
    'trestle_tries=0',
    'while :; do',
    // In a network of its own, every TCP socket that is in use is a listening one of ours. /proc/net/tcp says which
    // ports, and takes 70 times as long.
    '  while read -r trestle_kind trestle_x trestle_found trestle_x; do',
    '    [ "$trestle_kind" = TCP: ] && break',
    '  done </proc/net/sockstat',
    `  [ "$trestle_found" -ge ${2 + localPorts.length} ] && break`,
    '  trestle_tries=$((trestle_tries + 1))',
    `  if [ "$trestle_tries" -gt ${FAST_POLLS} ]; then`,
    `    sleep ${WAIT_SECONDS}`,
    '    for trestle_x in $trestle_pids; ' +
      `do kill -0 "$trestle_x" 2>/dev/null || trestle_tries=${FAST_POLLS + MAX_WAITS}; done`,
    `    [ "$trestle_tries" -ge ${FAST_POLLS + MAX_WAITS} ] && { echo 'The network ` +
      `filter of the sandbox did not start.' >&2; exit ${FORWARDER_FAILED}; }`,
    '  fi',
    'done',
    'unset trestle_own trestle_pids trestle_tries trestle_found trestle_kind trestle_x',
    'exec "$@"',
  ].join('\n')
}

/** In an address of socat, these characters separate, group or quote. */
function escapedForSocat(path: string): string {
  let escaped = ''
  for (const char of path) escaped += '\\,:!"\'{[('.includes(char) ? `\\${char}` : char
  return escaped
}
