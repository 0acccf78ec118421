import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** A tunnel on which nothing moves for this long is given up; a long wait for a server's answer must fit. */
const IDLE_MS = 15 * 60_000

/**
 * Passes bytes between two sockets, in both directions and no faster than the slower side takes them. One side may end its direction and still read the
 * other's; when one side breaks, both are closed.
 */
export function joinSockets(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on('error', () => to.destroy())
    // After a regular end the other side still has bytes to send; after any other, nobody waits for them.
    from.once('close', () => (from.readableEnded && from.writableFinished) || to.destroy())
    if (from instanceof Socket) from.setTimeout(IDLE_MS, () => from.destroy())
    from.pipe(to)
  }
}
