import { execFile } from 'node:child_process'
import type { ListeningPort } from '../watch/listening-ports'

/** Which processes listen on which TCP ports, on Windows. */
export function portsByNetstat(): Promise<Map<number, ListeningPort[]>> {
  return new Promise((resolve) => {
    execFile('netstat', ['-ano', '-p', 'TCP'], { windowsHide: true, maxBuffer: 16 * 1024 * 1024 }, (_error, v4) => {
      execFile('netstat', ['-ano', '-p', 'TCPv6'], { windowsHide: true, maxBuffer: 16 * 1024 * 1024 }, (_failure, v6) =>
        resolve(listeningIn(`${v4}\n${v6}`)),
      )
    })
  })
}

/** Lines of protocol, own address, other address, state and process. Who listens has no other address; the name of the state depends on the language of Windows. */
export function listeningIn(listing: string): Map<number, ListeningPort[]> {
  const byPid = new Map<number, ListeningPort[]>()
  for (const line of listing.split(/\r?\n/)) {
    const found = /^\s*TCP\s+(?<address>\S+):(?<port>\d+)\s+(?:0\.0\.0\.0|\[::\]):0\s+\S+\s+(?<pid>\d+)\s*$/i.exec(line)?.groups
    if (!found) continue
    const pid = Number(found['pid'])
    const address = found['address']!.replaceAll(/[[\]]/g, '')
    byPid.set(pid, [...(byPid.get(pid) ?? []), { port: Number(found['port']), address }])
  }
  return byPid
}
