import type { Database } from '../database/database'
import { eventDigest, firstHash, nextHash, type ChainedEvent } from './event-chain'

/** The `meta` key of the highest event id that may lack a hash because it was recorded before hashes existed. */
export const UNHASHED_UP_TO = 'events_without_hash'
/** Number of events read at a time. */
const CHUNK = 64

/** Adds the columns of the hash chain. Existing events get no hash; see `ChainHeads`. */
export function addChainColumns(db: Database): void {
  db.exec('ALTER TABLE event ADD COLUMN hash TEXT; ALTER TABLE session ADD COLUMN head TEXT')
  keepUnhashedLimit(db)
}

/** Stores the highest event id that may lack a hash. Call it after copying in events without a hash. */
export function keepUnhashedLimit(db: Database): void {
  db.prepare<[string]>(
    `INSERT INTO meta (key, value) SELECT ?, coalesce(max(id), 0) FROM main.event WHERE hash IS NULL
     ON CONFLICT (key) DO UPDATE SET value = max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER))`,
  ).run(UNHASHED_UP_TO)
}

/** The latest hash of each session. */
export interface ChainHeads {
  /**
   * The hash that the next event follows. Sessions from before hashes existed have none stored: it is computed once
   * from all their events, which the next event's hash then covers.
   */
  get(sessionId: string): string
  /** The same, computed from the events, after some were inserted elsewhere. */
  last(sessionId: string): string
}

export function createChainHeads(db: Database): ChainHeads {
  const stored = db.prepare<[string], string | null>('SELECT head FROM session WHERE id = ?').pluck()
  const rows = db.prepare<[string, number], ChainedEvent & { hash: string | null }>(
    `SELECT seq, at, type, body, hash FROM event INDEXED BY event_order
     WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ${CHUNK}`,
  )
  const last = (sessionId: string): string => {
    let head = firstHash(sessionId)
    let seq = 0
    for (;;) {
      const chunk = rows.all(sessionId, seq)
      for (const row of chunk) head = row.hash ?? nextHash(head, eventDigest(row))
      if (chunk.length < CHUNK) return head
      seq = chunk.at(-1)!.seq
    }
  }
  return { get: (sessionId) => stored.get(sessionId) ?? last(sessionId), last }
}
