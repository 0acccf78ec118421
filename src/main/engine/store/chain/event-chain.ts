import { hash } from 'node:crypto'

/**
 * The hash chain of a session's history. Each event has a hash of the previous hash and a digest of what was recorded,
 * so any change alters every hash after it. docs/events.md describes it for other programs.
 */

/** The parts of an event that the chain covers. `body`: its JSON text exactly as it was recorded. */
export interface ChainedEvent {
  seq: number
  at: number
  type: string
  body: string
}

/** The hash before the first event: it differs per session, so events cannot be moved between sessions. */
export function firstHash(sessionId: string): string {
  return hash('sha256', `trestle history 1\n${sessionId}`, 'hex')
}

/** The digest of one event. A file that omits an event has this instead. */
export function eventDigest({ seq, at, type, body }: ChainedEvent): string {
  return hash('sha256', `${seq}\n${at}\n${type}\n${body}`, 'hex')
}

/** The hash of an event, from the previous hash and its digest. */
export function nextHash(previous: string, digest: string): string {
  return hash('sha256', `${previous}\n${digest}`, 'hex')
}
