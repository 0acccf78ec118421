import { execFile } from 'node:child_process'
import type { ListeningPort } from './listening-ports'

/** Which of these processes listen on which TCP ports, where there is no /proc. */
export function portsByLsof(pids: readonly number[]): Promise<Map<number, ListeningPort[]>> {
  if (pids.length === 0) return Promise.resolve(new Map())
  return new Promise((resolve) => {
    // It fails when one of many processes has none; what it printed counts.
    execFile('lsof', ['-nP', '-w', '-a', '-iTCP', '-sTCP:LISTEN', '-p', pids.join(','), '-Fpn'], (_error, stdout) =>
      resolve(portsIn(stdout)),
    )
  })
}

/** Lines `p<pid>` and, for each of its sockets, `n<address>:<port>`. */
export function portsIn(listing: string): Map<number, ListeningPort[]> {
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
