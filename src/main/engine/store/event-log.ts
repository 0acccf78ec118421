import type { RecordedEvent } from '../../../shared/events/event'
import type { visibleRanges } from '../../../shared/model/session/checkpoint'
import type { Database } from './database/database'

/** Maximum size of a window, in bytes of events: a session full of images must open quickly too. */
const WINDOW_BYTES = 16 * 1024 * 1024
/** Number of history events read at a time. */
const HISTORY_CHUNK = 64

const STARTS = "type IN ('turn.started', 'step.started')"
const HISTORY = "type IN ('turn.started', 'turn.steered', 'step.finished', 'tool.finished')"

interface EventRow {
  seq: number
  at: number
  body: string
}

type Ranges = ReturnType<typeof visibleRanges>

/** The reading side of the log. */
export interface EventLog {
  since(sessionId: string, since: number, limit?: number): RecordedEvent[]
  /** The latest events of the visible ranges, oldest first. `ranges`: newest first. */
  window(
    sessionId: string,
    ranges: Ranges,
    options: { before?: number; limit: number },
  ): { events: RecordedEvent[]; hasMore: boolean }
  historyBackwards(sessionId: string, ranges: Ranges): Generator<RecordedEvent, void>
  ofTypes(sessionId: string, types: readonly string[], since: number): RecordedEvent[]
}

export function createEventLog(db: Database): EventLog {
  const range = db.prepare<[string, number, number, number], EventRow>(
    'SELECT seq, at, body FROM event INDEXED BY event_order WHERE session_id = ? ' +
      'AND seq >= ? AND seq < ? ORDER BY seq LIMIT ?',
  )
  // octet_length reads only the row's header, so large bodies are not loaded to get their size.
  const sizes = db.prepare<[string, number, number], { seq: number; type: string; bytes: number }>(
    `SELECT seq, type, octet_length(body) AS bytes FROM event INDEXED BY event_order
     WHERE session_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
  )
  const startBefore = db
    .prepare<[string, number], number>(
      'SELECT seq FROM event INDEXED BY event_start WHERE session_id = ? ' +
        `AND seq < ? AND ${STARTS} ORDER BY seq DESC LIMIT 1`,
    )
    .pluck()
  const history = db.prepare<[string, number, number], EventRow>(
    `SELECT seq, at, body FROM event INDEXED BY event_history
     WHERE session_id = ? AND seq >= ? AND seq < ? AND ${HISTORY} ORDER BY seq DESC LIMIT ${HISTORY_CHUNK}`,
  )
  const typed = db.prepare<[string, number, string], EventRow>(
    `SELECT seq, at, body FROM event INDEXED BY event_order
     WHERE session_id = ? AND seq > ? AND type IN (SELECT value FROM json_each(?)) ORDER BY seq`,
  )

  const read = (sessionId: string, from: number, to: number, limit: number): RecordedEvent[] =>
    range.all(sessionId, from, to, limit).map((row) => eventOf(sessionId, row))

  /** The seq at which a window that ends before `before` starts. */
  const startOf = (sessionId: string, before: number, limit: number): number => {
    let start = before
    let seen = before
    let count = 0
    let bytes = 0
    let nextIsStep = false
    // One more than the limit: `turn.started` right before a turn's first step belongs to that step.
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
    // A single step exceeds the window: return the whole step, because part of a step cannot be shown.
    return start < before ? start : (startBefore.get(sessionId, seen + 1) ?? 1)
  }

  return {
    since: (sessionId, since, limit = -1) => read(sessionId, since + 1, Number.MAX_SAFE_INTEGER, limit),
    window(sessionId, ranges, { before = Number.MAX_SAFE_INTEGER, limit }) {
      let events: RecordedEvent[] = []
      let start = 1
      for (const range of ranges) {
        const to = Math.min(before, range.to + 1)
        if (to <= range.from) continue
        // A range starts at a valid start of a window.
        start = Math.max(range.from, startOf(sessionId, to, Math.max(1, limit - events.length)))
        events = [...read(sessionId, start, to, -1), ...events]
        if (start > range.from || events.length >= limit) break
      }
      return { events, hasMore: start > 1 }
    },
    *historyBackwards(sessionId, ranges) {
      for (const { from, to } of ranges) {
        let before = to + 1
        for (;;) {
          const rows = history.all(sessionId, from, before)
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
