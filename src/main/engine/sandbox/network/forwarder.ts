import { shellQuote } from '../../process/shell-process'

/** Ports of the two proxies inside a sandbox, on 127.0.0.1. */
export const PROXY_PORTS = { http: 3128, socks: 1080 } as const

export interface ForwarderOptions {
  /** Paths inside the sandbox of the proxy's sockets. */
  httpSocket: string
  socksSocket: string
  /** Default: `PROXY_PORTS`. */
  httpPort?: number
  socksPort?: number
  /**
   * Ports of this machine's own 127.0.0.1 that are listed (`localhost:5432`): the same ports inside are forwarded to
   * them.
   */
  localPorts?: readonly number[]
  /** Path of `socat`, which listens after about 3 ms. */
  socat?: string
  /** Path of Node, for machines without `socat`; it takes about 40 ms. One of the two is needed. */
  node?: string
}

/** Exit code when the forwarder does not listen in time. */
export const FORWARDER_FAILED = 125
/** Checks without a pause before the first wait; on an idle machine `socat` listens by then. */
const FAST_POLLS = 200
const MAX_WAITS = 500
const WAIT_SECONDS = 0.02

/**
 * The program of the forwarder for Node: its arguments are pairs of a port and a target, which is a socket's path, or
 * `path>host:port` for a CONNECT through it. Either end can close its direction first; when one breaks, the other is
 * closed.
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
    // By default, socat waits only half a second for one direction after the other has ended; a server may take longer.
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
 * until all their ports listen, and becomes the command. The sandbox needs its own pid namespace (the forwarders end
 * with it), `/proc` (to count listening sockets), and a network namespace in which nothing else listens yet.
 *
 * In a terminal the forwarders get their own session, so that Ctrl-C for the command does not end them. They inherit
 * neither its files nor its `NODE_OPTIONS`.
 */
export function forwarderScript(options: ForwarderOptions): string {
  const { localPorts = [] } = options
  return [
    // Ctrl-C reaches every process of a terminal; without a terminal, no session is needed.
    'trestle_own=; true 2>/dev/null </dev/tty && command -v setsid >/dev/null 2>&1 && trestle_own=setsid',
    'trestle_pids=',
    ...forwarderCommands(options).map(
      (argv) =>
        `NODE_OPTIONS= $trestle_own ${argv.map(shellQuote).join(' ')} ` +
        '</dev/null >/dev/null 2>&1 & trestle_pids="$trestle_pids $!"',
    ),
    'trestle_tries=0',
    'while :; do',
    // In a new network namespace, every TCP socket in use is one of our listeners. /proc/net/tcp would list the ports,
    // but takes 70 times as long.
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

/** These characters separate, group or quote in socat's addresses. */
function escapedForSocat(path: string): string {
  let escaped = ''
  for (const char of path) escaped += '\\,:!"\'{[('.includes(char) ? `\\${char}` : char
  return escaped
}
