import { hash } from 'node:crypto'

/**
 * The hash chain of a session's history. Each event has a hash made of the hash before it and a digest of what was
 * recorded, so a change anywhere changes every hash after it. docs/events.md describes it for other programs.
 */

/** What of an event is part of the chain. `body`: its JSON text exactly as it was recorded. */
export interface ChainedEvent {
  seq: number
  at: number
  type: string
  body: string
}

/** The hash before the first event: it differs for each session, so events cannot change places between sessions. */
export function firstHash(sessionId: string): string {
  return hash('sha256', `trestle history 1\n${sessionId}`, 'hex')
}

/** The digest of one event. A file that leaves an event out has this in its place. */
export function eventDigest({ seq, at, type, body }: ChainedEvent): string {
  return hash('sha256', `${seq}\n${at}\n${type}\n${body}`, 'hex')
}

/** The hash of an event, after the hash before it. */
export function nextHash(previous: string, digest: string): string {
  return hash('sha256', `${previous}\n${digest}`, 'hex')
}
