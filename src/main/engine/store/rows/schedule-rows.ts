import {
  type Schedule,
  type ScheduleRun,
  type ScheduleRunStatus,
  type ScheduleSpec,
  MAX_FAILURES,
} from '../../../../shared/model/assistant/schedule'
import { DAMAGED_SPEC, readScheduleBody, type ScheduleBody } from './schedule-body'
import { addMail, giveBackMail, startMailAnew, takeMail, type FoundMail, type MailState } from './schedule-mail'
import type { Database } from '../database/database'

/** Number of runs kept per schedule. */
const KEPT_RUNS = 500

/** A run that a process claims. */
export interface ClaimedRun {
  id: string
  scheduleId: string
  dueAt: number
  startedAt: number
  missed: number
  /** The process that runs it, see `Duties`. */
  owner: string
}

/** An open run, with the process that started it. */
export type OpenRun = ScheduleRun & { owner: string }

/** The schedule after one of its runs has ended. */
export interface EndedRun {
  schedule: Schedule
}

/** How a run ended. */
export interface RunEnd {
  at: number
  status: Exclude<ScheduleRunStatus, 'running'>
  note?: string
  /** Whether its agent received the prompt. */
  hasBegun: boolean
}

/** The rows of schedules and their runs. Times are ms since the epoch. */
export interface ScheduleRows {
  list(deleted: boolean): Schedule[]
  /** Includes deleted ones. */
  get(id: string): Schedule | undefined
  count(): number
  insert(
    id: string,
    spec: ScheduleSpec,
    change: { at: number; nextAt: number | undefined; createdIn?: string },
  ): Schedule
  /** Also resets the count of failures, because the change may have fixed their cause. */
  update(id: string, spec: ScheduleSpec, change: { at: number; nextAt: number | undefined }): Schedule
  setPaused(id: string, isPaused: boolean, change: { at: number; nextAt: number | undefined }): Schedule
  setNext(id: string, nextAt: number | undefined): void
  remove(id: string, at: number): Schedule
  restore(id: string, change: { at: number; nextAt: number | undefined }): Schedule
  /** Permanently deletes those deleted before a time, with their runs. */
  purge(deletedBefore: number): number
  /** Schedules that are due and have no open run, longest overdue first. */
  due(now: number): Schedule[]
  /** The next due time of a schedule without an open run. */
  nextWake(): number | undefined
  /**
   * Starts a run and sets the next due time in one transaction, so that no other process starts the same run. False
   * when a run is open, or the schedule is damaged, was deleted or paused, or has another due time. Without
   * `expected.nextAt`, neither a pause nor the due time matters.
   */
  claim(run: ClaimedRun, expected: { nextAt?: number }, nextAt: number | undefined): boolean
  setSession(runId: string, sessionId: string): void
  /**
   * Ends a run and counts its failure; undefined if it had already ended. If it never started, its mail waits for the
   * next run; if it was interrupted before that, its mail or its only time is due again.
   */
  endRun(runId: string, end: RunEnd): EndedRun | undefined
  /** Schedules that are started by mail. */
  waitingForMail(): Schedule[]
  /** The mail a schedule has seen, what waits for its next run, and what its open run received. */
  mailState(id: string): MailState
  /**
   * Records how far mail was checked and a message for the next run, which is then due. False if already known, or if
   * the schedule no longer waits for it.
   */
  addMail(schedule: Pick<Schedule, 'id' | 'time'>, found: FoundMail): boolean
  openRuns(): OpenRun[]
  run(runId: string): ScheduleRun | undefined
  /** Newest first. */
  history(scheduleId: string, offset: number, limit: number): { runs: ScheduleRun[]; total: number }
  /** Takes the sessions of silent runs, except the newest `keep`, out of their runs. */
  takeSilentSessions(scheduleId: string, keep: number): string[]
  /** A value that differs after every change by any process. */
  stamp(): string
}

interface ScheduleRow {
  id: string
  name: string
  body: string
  next_at: number | null
  paused: number
  failures: number
  created_at: number
  updated_at: number
  deleted_at: number | null
}

interface RunRow {
  id: string
  schedule_id: string
  due_at: number
  started_at: number
  ended_at: number | null
  status: ScheduleRunStatus
  missed: number
  session_id: string | null
  owner: string | null
  reason: string | null
}

interface Change {
  at: number
  nextAt: number | undefined
}

const NO_OPEN_RUN =
  'NOT EXISTS (SELECT 1 FROM schedule_run WHERE schedule_run.schedule_id ' +
  '= schedule.id AND schedule_run.ended_at IS NULL)'

export function createScheduleRows(db: Database): ScheduleRows {
  const get = db.prepare<[string], ScheduleRow>('SELECT * FROM schedule WHERE id = ?')
  const active = db.prepare<[], ScheduleRow>(
    'SELECT * FROM schedule WHERE deleted_at IS NULL ORDER BY name COLLATE NOCASE, id',
  )
  const deleted = db.prepare<[], ScheduleRow>(
    'SELECT * FROM schedule WHERE deleted_at IS NOT NULL ORDER BY deleted_at DESC, id',
  )
  const count = db.prepare<[], number>('SELECT count(*) FROM schedule WHERE deleted_at IS NULL').pluck()
  const lastRun = db.prepare<[string], RunRow>(
    'SELECT * FROM schedule_run WHERE schedule_id = ? ORDER BY rowid DESC LIMIT 1',
  )
  const insert = db.prepare<[string, string, string, number | null, number, number]>(
    'INSERT INTO schedule (id, name, body, next_at, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const update = db.prepare<[string, string, number | null, number, string]>(
    'UPDATE schedule SET name = ?, body = ?, next_at = ?, updated_at = ?, failures = 0 WHERE id = ?',
  )
  const setPaused = db.prepare<[number, number | null, number, string]>(
    'UPDATE schedule SET paused = ?, next_at = ?, updated_at = ?, failures = 0 WHERE id = ?',
  )
  const setNext = db.prepare<[number | null, string]>('UPDATE schedule SET next_at = ? WHERE id = ?')
  const setDeleted = db.prepare<[number | null, number, string]>(
    'UPDATE schedule SET deleted_at = ?, updated_at = ? WHERE id = ?',
  )
  const due = db.prepare<[number], ScheduleRow>(
    'SELECT * FROM schedule WHERE next_at <= ? ' +
      `AND deleted_at IS NULL AND paused = 0 AND ${NO_OPEN_RUN} ORDER BY next_at, id`,
  )
  const nextWake = db
    .prepare<[], number | null>(
      'SELECT min(next_at) FROM schedule WHERE next_at IS NOT NULL ' +
        `AND deleted_at IS NULL AND paused = 0 AND ${NO_OPEN_RUN}`,
    )
    .pluck()
  const waiting = db.prepare<[], ScheduleRow>(
    `SELECT * FROM schedule WHERE deleted_at IS NULL AND paused = 0
     AND CASE WHEN json_valid(body) THEN json_extract(body, '$.time.kind') = 'mail' END`,
  )
  const setBody = db.prepare<[string, string]>('UPDATE schedule SET body = ? WHERE id = ?')
  const isOpen = db
    .prepare<[string], number>('SELECT 1 FROM schedule_run WHERE schedule_id = ? AND ended_at IS NULL')
    .pluck()
  const addRun = db.prepare<[string, string, number, number, number, string]>(
    'INSERT INTO schedule_run (id, schedule_id, due_at, started_at, ' +
      "status, missed, owner) VALUES (?, ?, ?, ?, 'running', ?, ?)",
  )
  const setSession = db.prepare<[string, string]>('UPDATE schedule_run SET session_id = ? WHERE id = ?')
  const endRun = db.prepare<[number, string, string | null, string]>(
    'UPDATE schedule_run SET ended_at = ?, status = ?, reason = ? WHERE id = ? AND ended_at IS NULL',
  )
  const setFailures = db.prepare<[number, number, string]>('UPDATE schedule SET failures = ?, paused = ? WHERE id = ?')
  const getRun = db.prepare<[string], RunRow>('SELECT * FROM schedule_run WHERE id = ?')
  const openRuns = db.prepare<[], RunRow>('SELECT * FROM schedule_run WHERE ended_at IS NULL')
  const history = db.prepare<[string, number, number], RunRow>(
    'SELECT * FROM schedule_run WHERE schedule_id = ? ORDER BY rowid DESC LIMIT ? OFFSET ?',
  )
  const countRuns = db.prepare<[string], number>('SELECT count(*) FROM schedule_run WHERE schedule_id = ?').pluck()
  const dropRuns = db.prepare<[string, string, number]>(
    `DELETE FROM schedule_run WHERE schedule_id = ? AND ended_at IS NOT NULL AND id NOT IN (
       SELECT id FROM schedule_run WHERE schedule_id = ? ORDER BY rowid DESC LIMIT ?)`,
  )
  const silent = db.prepare<[string, number], { id: string; session_id: string }>(
    `SELECT id, session_id FROM schedule_run WHERE schedule_id = ? AND status = 'silent' AND session_id IS NOT NULL
     ORDER BY rowid DESC LIMIT -1 OFFSET ?`,
  )
  const dropSession = db.prepare<[string]>('UPDATE schedule_run SET session_id = NULL WHERE id = ?')
  const stamp = db
    .prepare<[], string>(
      // Sums instead of maximums: the clock may have been set back, or two changes may have the same time.
      `SELECT json_array((SELECT count(*) || '/' || total(updated_at) || '/' || total(next_at) || '/' || total(paused) FROM schedule),
         (SELECT count(*) || '/' || count(session_id) || '/' || total(started_at) || '/' || total(ended_at) FROM schedule_run))`,
    )
    .pluck()

  function scheduleOf(row: ScheduleRow): Schedule {
    const last = lastRun.get(row.id)
    const stored: typeof DAMAGED_SPEC = readScheduleBody(row.body) ?? DAMAGED_SPEC
    const { mail: _, ...body } = stored
    const isPaused = row.paused === 1 || body.isDamaged === true
    return {
      id: row.id,
      name: row.name,
      ...body,
      ...(row.next_at !== null && !isPaused && { nextAt: row.next_at }),
      isPaused,
      failures: row.failures,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      ...(row.deleted_at !== null && { deletedAt: row.deleted_at }),
      ...(last && { lastRun: runOf(last) }),
    }
  }

  function required(id: string): Schedule {
    const row = get.get(id)
    if (!row) throw new Error(`There is no schedule ${id}.`)
    return scheduleOf(row)
  }

  function mailState(id: string): MailState {
    const row = get.get(id)
    return (row && readScheduleBody(row.body)?.mail) ?? { positions: {}, pending: [] }
  }

  function setMail(id: string, mail: MailState): void {
    const body = readScheduleBody(get.get(id)!.body)
    if (body) setBody.run(JSON.stringify({ ...body, mail }), id)
  }

  /** Ignores mail received while the schedule did not wait for it; mail already waiting for a run makes it due. */
  function watchAnew(id: string, at: number): void {
    const row = get.get(id)
    if (!row || readScheduleBody(row.body)?.time.kind !== 'mail') return
    const mail = startMailAnew(mailState(id))
    setMail(id, mail)
    setNext.run(mail.pending.length > 0 ? at : null, id)
  }

  return {
    list: (isDeleted) => (isDeleted ? deleted : active).all().map(scheduleOf),
    get(id) {
      const row = get.get(id)
      return row && scheduleOf(row)
    },
    count: () => count.get() ?? 0,
    insert(id, { name, ...spec }, { at, nextAt, createdIn }) {
      const body: ScheduleBody = { ...spec, ...(createdIn !== undefined && { createdIn }) }
      insert.run(id, name, JSON.stringify(body), nextAt ?? null, at, at)
      return required(id)
    },
    update: db.transaction((id: string, { name, ...spec }: ScheduleSpec, { at, nextAt }: Change): Schedule => {
      const { createdIn, time } = required(id)
      const isSame = spec.time.kind === 'mail' && JSON.stringify(spec.time) === JSON.stringify(time)
      const mail = isSame ? mailState(id) : undefined
      const body: ScheduleBody = { ...spec, ...(createdIn !== undefined && { createdIn }), ...(mail && { mail }) }
      const due = mail && mail.pending.length > 0 ? at : nextAt
      update.run(name, JSON.stringify(body), due ?? null, at, id)
      return required(id)
    }).immediate,
    setPaused: db.transaction((id: string, isPaused: boolean, { at, nextAt }: Change): Schedule => {
      setPaused.run(Number(isPaused), nextAt ?? null, at, id)
      if (!isPaused) watchAnew(id, at)
      return required(id)
    }).immediate,
    setNext: (id, nextAt) => void setNext.run(nextAt ?? null, id),
    remove(id, at) {
      setDeleted.run(at, at, id)
      return required(id)
    },
    restore: db.transaction((id: string, { at, nextAt }: Change): Schedule => {
      setDeleted.run(null, at, id)
      setNext.run(nextAt ?? null, id)
      watchAnew(id, at)
      return required(id)
    }).immediate,
    purge: (before) => db.prepare<[number]>('DELETE FROM schedule WHERE deleted_at < ?').run(before).changes,
    due: (now) => due.all(now).map(scheduleOf),
    nextWake: () => nextWake.get() ?? undefined,
    claim: db.transaction((run: ClaimedRun, expected: { nextAt?: number }, nextAt: number | undefined): boolean => {
      const row = get.get(run.scheduleId)
      const body = row && readScheduleBody(row.body)
      if (!body || row.deleted_at !== null || isOpen.get(run.scheduleId) !== undefined) return false
      if (expected.nextAt !== undefined && (row.next_at !== expected.nextAt || row.paused === 1)) return false
      addRun.run(run.id, run.scheduleId, run.dueAt, run.startedAt, run.missed, run.owner)
      if (body.time.kind !== 'mail') setNext.run(nextAt ?? null, run.scheduleId)
      else {
        const mail = takeMail(mailState(run.scheduleId))
        setMail(run.scheduleId, mail)
        setNext.run(mail.pending.length > 0 ? run.startedAt : null, run.scheduleId)
      }
      return true
    }).immediate,
    setSession: (runId, sessionId) => void setSession.run(sessionId, runId),
    endRun: db.transaction((runId: string, { at, status, note, hasBegun }: RunEnd): EndedRun | undefined => {
      if (endRun.run(at, status, note ?? null, runId).changes === 0) return undefined
      const scheduleId = getRun.get(runId)!.schedule_id
      const { failures: before, isPaused } = required(scheduleId)
      const failures = status === 'failed' ? before + 1 : status === 'done' || status === 'silent' ? 0 : before
      const hasPaused = !isPaused && status === 'failed' && failures >= MAX_FAILURES
      setFailures.run(failures, Number(isPaused || hasPaused), scheduleId)
      const { taken, ...mail } = mailState(scheduleId)
      if (taken) setMail(scheduleId, hasBegun ? mail : giveBackMail({ ...mail, taken }))
      const { body, next_at: nextAt } = get.get(scheduleId)!
      const hasOnlyThis = taken !== undefined || (nextAt === null && readScheduleBody(body)?.time.kind === 'once')
      // A run that could not start for a lasting reason is retried only with the next message or manually.
      if (hasOnlyThis && !hasBegun && status === 'interrupted') setNext.run(at, scheduleId)
      dropRuns.run(scheduleId, scheduleId, KEPT_RUNS)
      return { schedule: required(scheduleId) }
    }).immediate,
    waitingForMail: () => waiting.all().map(scheduleOf),
    mailState,
    addMail: db.transaction(({ id, time }: Pick<Schedule, 'id' | 'time'>, found: FoundMail): boolean => {
      const row = get.get(id)
      if (!row || row.deleted_at !== null || row.paused === 1) return false
      // Another process has changed which mail it waits for.
      if (JSON.stringify(readScheduleBody(row.body)?.time) !== JSON.stringify(time)) return false
      const mail = addMail(mailState(id), found)
      if (!mail) return false
      setMail(id, mail)
      if (found.id !== undefined && row.next_at === null) setNext.run(found.at, id)
      return true
    }).immediate,
    openRuns: () => openRuns.all().map((row) => ({ ...runOf(row), owner: row.owner ?? '' })),
    run(runId) {
      const row = getRun.get(runId)
      return row && runOf(row)
    },
    history: (scheduleId, offset, limit) => ({
      runs: history.all(scheduleId, limit, offset).map(runOf),
      total: countRuns.get(scheduleId) ?? 0,
    }),
    takeSilentSessions(scheduleId, keep) {
      const found = silent.all(scheduleId, keep)
      for (const { id } of found) dropSession.run(id)
      return found.map((row) => row.session_id)
    },
    stamp: () => stamp.get() ?? '',
  }
}

function runOf(row: RunRow): ScheduleRun {
  return {
    id: row.id,
    scheduleId: row.schedule_id,
    dueAt: row.due_at,
    startedAt: row.started_at,
    status: row.status,
    missed: row.missed,
    ...(row.ended_at !== null && { endedAt: row.ended_at }),
    ...(row.session_id !== null && { sessionId: row.session_id }),
    ...(row.reason !== null && { note: row.reason }),
  }
}
