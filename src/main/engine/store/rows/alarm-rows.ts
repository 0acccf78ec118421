import type { Alarm, AlarmStatus } from '../../../../shared/model/assistant/notification'
import type { Database } from '../database/database'

interface AlarmRow {
  id: string
  label: string
  at: number
  status: AlarmStatus
  created_at: number
  session_id: string | null
}

/** The alarms of a home. Processes share the table; each change of status succeeds in exactly one of them. */
export interface AlarmRows {
  add(alarm: Omit<Alarm, 'status' | 'ringsHere'>): void
  get(id: string): Alarm | undefined
  /** `active`: only those that ring or will ring, next first; otherwise all, latest first. */
  list(active: boolean, limit: number): Alarm[]
  countActive(): number
  /** When the next pending alarm rings; undefined if none is pending. */
  nextAt(): number | undefined
  /** Sets status and time if the status is one of `from`; returns whether it was. */
  change(id: string, from: readonly AlarmStatus[], to: { status: AlarmStatus; at?: number }): boolean
  /**
   * Takes every pending alarm that is due, and every one that has been ringing since before `unnoticed`. The latter,
   * and those due before `late`, are missed; the others ring.
   */
  takeDue(times: { now: number; late: number; unnoticed: number }): { ringing: Alarm[]; missed: Alarm[] }
  /** Permanently deletes ended alarms that were due before a time. */
  purge(before: number): void
}

export function createAlarmRows(db: Database): AlarmRows {
  const insert = db.prepare(
    'INSERT INTO alarm (id, label, at, status, created_at, ' +
      "session_id) VALUES (@id, @label, @at, 'pending', @createdAt, @sessionId)",
  )
  const get = db.prepare<[string], AlarmRow>('SELECT * FROM alarm WHERE id = ?')
  const active = db.prepare<[number], AlarmRow>(
    "SELECT * FROM alarm WHERE status IN ('pending', 'ringing') ORDER BY at, id LIMIT ?",
  )
  const all = db.prepare<[number], AlarmRow>('SELECT * FROM alarm ORDER BY at DESC, id LIMIT ?')
  const count = db.prepare<[], number>("SELECT count(*) FROM alarm WHERE status IN ('pending', 'ringing')").pluck()
  const nextAt = db.prepare<[], number | null>("SELECT min(at) FROM alarm WHERE status = 'pending'").pluck()
  const change = db.prepare(
    'UPDATE alarm SET status = @status, at = coalesce(@at, ' +
      'at) WHERE id = @id AND status IN (SELECT value FROM json_each(@from))',
  )
  const isDue = db
    .prepare<[{ now: number; unnoticed: number }], number>(
      "SELECT 1 FROM alarm WHERE (status = 'pending' AND at <= " +
        "@now) OR (status = 'ringing' AND at < @unnoticed) LIMIT 1",
    )
    .pluck()
  const takeMissed = db.prepare<[{ late: number; unnoticed: number }], AlarmRow>(
    "UPDATE alarm SET status = 'missed' WHERE (status = 'pending' AND " +
      "at < @late) OR (status = 'ringing' AND at < @unnoticed) RETURNING *",
  )
  const takeRinging = db.prepare<[{ now: number }], AlarmRow>(
    "UPDATE alarm SET status = 'ringing' WHERE status = 'pending' AND at <= @now RETURNING *",
  )
  const purge = db.prepare<[number]>("DELETE FROM alarm WHERE status NOT IN ('pending', 'ringing') AND at < ?")

  return {
    add: ({ sessionId, ...alarm }) => void insert.run({ ...alarm, sessionId: sessionId ?? null }),
    get(id) {
      const row = get.get(id)
      return row && alarmOf(row)
    },
    list: (onlyActive, limit) => (onlyActive ? active : all).all(limit).map(alarmOf),
    countActive: () => count.get() ?? 0,
    nextAt: () => nextAt.get() ?? undefined,
    change: (id, from, { status, at }) =>
      change.run({ id, from: JSON.stringify(from), status, at: at ?? null }).changes > 0,
    takeDue: (times) => {
      // Only reads while nothing is due, which is nearly always.
      if (isDue.get(times) === undefined) return { ringing: [], missed: [] }
      return db
        .transaction(() => ({
          missed: takeMissed.all(times).map(alarmOf),
          ringing: takeRinging.all(times).map(alarmOf),
        }))
        .immediate()
    },
    purge: (before) => void purge.run(before),
  }
}

function alarmOf({ id, label, at, status, created_at, session_id }: AlarmRow): Alarm {
  return { id, label, at, status, createdAt: created_at, ...(session_id !== null && { sessionId: session_id }) }
}
