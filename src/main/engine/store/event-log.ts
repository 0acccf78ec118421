import type { RecordedEvent } from '../../../shared/events/event'
import type { visibleRanges } from '../../../shared/model/checkpoint'
import type { Database } from './database'

/** A window stops growing at this many bytes of events, however few they are: a session full of pictures must open quickly too. */
const WINDOW_BYTES = 16 * 1024 * 1024
/** How many events of the history are read at a time. */
const HISTORY_CHUNK = 64

const STARTS = "type IN ('turn.started', 'step.started')"
const HISTORY = "type IN ('turn.started', 'turn.steered', 'step.finished', 'tool.finished')"

interface EventRow {
  seq: number
  at: number
  body: string
}

type Stretches = ReturnType<typeof visibleRanges>

/** The reading side of the log. */
export interface EventLog {
  since(sessionId: string, since: number, limit?: number): RecordedEvent[]
  /** Of the stretches only, newest first. */
  window(
    sessionId: string,
    stretches: Stretches,
    options: { before?: number; limit: number },
  ): { events: RecordedEvent[]; hasMore: boolean }
  historyBackwards(sessionId: string, stretches: Stretches): Generator<RecordedEvent, void>
  ofTypes(sessionId: string, types: readonly string[], since: number): RecordedEvent[]
}

export function createEventLog(db: Database): EventLog {
  const range = db.prepare<[string, number, number, number], EventRow>(
    'SELECT seq, at, body FROM event INDEXED BY event_order WHERE session_id = ? AND seq >= ? AND seq < ? ORDER BY seq LIMIT ?',
  )
  // octet_length reads the row's header only: no large body is loaded to know its size.
  const sizes = db.prepare<[string, number, number], { seq: number; type: string; bytes: number }>(
    `SELECT seq, type, octet_length(body) AS bytes FROM event INDEXED BY event_order
     WHERE session_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
  )
  const startBefore = db
    .prepare<[string, number], number>(
      `SELECT seq FROM event INDEXED BY event_start WHERE session_id = ? AND seq < ? AND ${STARTS} ORDER BY seq DESC LIMIT 1`,
    )
    .pluck()
  const history = db.prepare<[string, number, number, number], EventRow>(
    `SELECT seq, at, body FROM event INDEXED BY event_history
     WHERE session_id = ? AND seq >= ? AND seq < ? AND ${HISTORY} ORDER BY seq DESC LIMIT ?`,
  )
  const typed = db.prepare<[string, number, string], EventRow>(
    `SELECT seq, at, body FROM event INDEXED BY event_order
     WHERE session_id = ? AND seq > ? AND type IN (SELECT value FROM json_each(?)) ORDER BY seq`,
  )

  const read = (sessionId: string, from: number, to: number, limit: number): RecordedEvent[] =>
    range.all(sessionId, from, to, limit).map((row) => eventOf(sessionId, row))

  /** Where a window that ends before `before` begins. */
  const startOf = (sessionId: string, before: number, limit: number): number => {
    let start = before
    let seen = before
    let count = 0
    let bytes = 0
    let nextIsStep = false
    // One more than the limit: a turn's beginning right before its first step belongs to it.
    for (const row of sizes.all(sessionId, before, limit + 1)) {
      count += 1
      bytes += row.bytes
      seen = row.seq
      const opensTurn = row.type === 'turn.started'
      if ((count > limit || bytes > WINDOW_BYTES) && !(opensTurn && nextIsStep)) break
      nextIsStep = row.type === 'step.started'
      if (opensTurn || nextIsStep) start = row.seq
      if (row.seq === 1) return 1
    }
    // A step alone is larger than the window: the whole step, as a part of it could not be shown.
    return start < before ? start : (startBefore.get(sessionId, seen + 1) ?? 1)
  }

  return {
    since: (sessionId, since, limit = -1) => read(sessionId, since + 1, Number.MAX_SAFE_INTEGER, limit),
    window(sessionId, stretches, { before = Number.MAX_SAFE_INTEGER, limit }) {
      let events: RecordedEvent[] = []
      let start = 1
      for (const stretch of stretches) {
        const to = Math.min(before, stretch.to + 1)
        if (to <= stretch.from) continue
        // A stretch begins where a window may.
        start = Math.max(stretch.from, startOf(sessionId, to, Math.max(1, limit - events.length)))
        events = [...read(sessionId, start, to, -1), ...events]
        if (start > stretch.from || events.length >= limit) break
      }
      return { events, hasMore: start > 1 }
    },
    *historyBackwards(sessionId, stretches) {
      for (const { from, to } of stretches) {
        let before = to + 1
        for (;;) {
          const rows = history.all(sessionId, from, before, HISTORY_CHUNK)
          for (const row of rows) yield eventOf(sessionId, row)
          const last = rows.at(-1)
          if (!last || rows.length < HISTORY_CHUNK) break
          before = last.seq
        }
      }
    },
    ofTypes: (sessionId, types, since) =>
      typed.all(sessionId, since, JSON.stringify(types)).map((row) => eventOf(sessionId, row)),
  }
}

function eventOf(sessionId: string, { seq, at, body }: EventRow): RecordedEvent {
  return Object.assign(JSON.parse(body), { sessionId, seq, at })
}
