import type { Database } from '../database/database'
import { UNHASHED_UP_TO } from './chain-rows'
import type { ChainedEvent } from './event-chain'

/** Number of events read at a time. */
const CHUNK = 64

/** An event as it is stored. */
export interface HistoryRow extends ChainedEvent {
  /** Null in events recorded before hashes existed. */
  hash: string | null
  /** Its position in the index, which all other code reads by. */
  place: number
  /** Whether it may lack a hash. */
  mayLackHash: boolean
}

/** Reads stored histories to verify them. Reads the rows themselves, since an index may differ. */
export interface HistoryRows {
  /** All sessions, including those with only events left. */
  ids(): string[]
  /** The session's own row; `last`: the highest event number. */
  end(sessionId: string): { seq: number; head: string | null; last: number } | undefined
  /** Events after the place `after`, in order. `seq` is undefined for a row that is in the index but missing. */
  chunk(sessionId: string, after: number): (HistoryRow | { place: number; seq?: undefined })[]
  /** Events of the session among the next rows after the row `from`; `next` is undefined at the end. */
  count(sessionId: string, from: number): { events: number; next?: number }
}

/** Number of rows counted at a time. */
const COUNTED = 20_000

export function createHistoryRows(db: Database): HistoryRows {
  const ids = db
    .prepare<[], string>(
      `SELECT id FROM session WHERE removed = 0
       UNION SELECT DISTINCT session_id FROM event WHERE session_id NOT IN (SELECT id FROM session) ORDER BY 1`,
    )
    .pluck()
  const end = db.prepare<[string], { seq: number; head: string | null; last: number }>(
    `SELECT seq, head, (SELECT coalesce(max(seq), 0) FROM event WHERE session_id = session.id) AS last
     FROM session WHERE id = ? AND removed = 0`,
  )
  const places = db.prepare<[string, number, number], { id: number; place: number }>(
    `SELECT id, seq AS place FROM event INDEXED BY event_order WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
  )
  const row = db.prepare<[number], ChainedEvent & { sessionId: string; hash: string | null }>(
    'SELECT session_id AS sessionId, seq, at, type, body, hash FROM event WHERE id = ?',
  )
  const limit = db.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck()
  const lastId = db.prepare<[], number | null>('SELECT max(id) FROM event').pluck()
  const counted = db
    .prepare<[number, number, string], number>(
      'SELECT count(*) FROM event NOT INDEXED WHERE id > ? AND id <= ? AND session_id = ?',
    )
    .pluck()
  return {
    ids: () => ids.all(),
    end: (sessionId) => end.get(sessionId),
    chunk(sessionId, after) {
      const unhashed = Number(limit.get(UNHASHED_UP_TO) ?? 0)
      return places.all(sessionId, after, CHUNK).map(({ id, place }) => {
        const found = row.get(id)
        if (found?.sessionId !== sessionId) return { place }
        const { seq, at, type, body, hash } = found
        return { seq, at, type, body, hash, place, mayLackHash: id <= unhashed }
      })
    },
    count(sessionId, from) {
      const to = from + COUNTED
      const events = counted.get(from, to, sessionId) ?? 0
      return { events, ...((lastId.get() ?? 0) > to && { next: to }) }
    },
  }
}
