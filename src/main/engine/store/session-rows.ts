import type { RecordedEvent } from '../../../shared/events/event'
import { applyHeader, emptyHeader } from '../../../shared/events/fold-header'
import {
  statusOf,
  type SessionHeader,
  type SessionStatus,
  type SessionSummary,
} from '../../../shared/model/session/session'
import type { Database } from './database/database'
import { AGENT_ID, familyPrefix } from '../../../shared/model/session/agent'
import type { Store } from './store'
import type { Leases } from './lease'

/** Raise it when `applyHeader` keeps something new: stored headers are then folded again from their events. */
export const FOLD_VERSION = 2

/**
 * The session headers: `session` holds what lists and leases need, `session_header` the rest as JSON (in a separate
 * table, because it can be large with images in the queue, and `seq` changes with every event).
 */
export interface HeaderRows {
  /** The current header, or undefined. Cached until another process appends. */
  get(sessionId: string): SessionHeader | undefined
  insert(header: SessionHeader): void
  /**
   * Stores what differs, and the hash of the latest event. Must be called inside a transaction; update the cache with
   * `keep` afterwards.
   */
  save(before: SessionHeader, after: SessionHeader, head: string): void
  /** Caches a header whose transaction was committed. */
  keep(header: SessionHeader): void
  forget(sessionId: string): void
}

export function createHeaderRows(db: Database, allEvents: (sessionId: string) => RecordedEvent[]): HeaderRows {
  const cache = new Map<string, SessionHeader>()
  const seqOf = db.prepare<[string], number>('SELECT seq FROM session WHERE id = ? AND removed = 0').pluck()
  const stored = db.prepare<[string], { seq: number; updatedAt: number; fold: number; header: string }>(
    'SELECT s.seq, s.updated_at AS updatedAt, h.fold, ' +
      'h.header FROM session s JOIN session_header h ON h.session_id = s.id WHERE s.id = ?',
  )
  const insertSession = db.prepare<
    [string, number, number, number, string, string, string | null, string, number, number, string | null]
  >(
    `INSERT INTO session (id, seq, created_at, updated_at, folder, title, model, status, waiting, archived, turn_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const insertHeader = db.prepare<[string, number, string]>(
    'INSERT INTO session_header (session_id, fold, header) VALUES (?, ?, ?)',
  )
  const touch = db.prepare<[number, number, string, string]>(
    'UPDATE session SET seq = ?, updated_at = ?, head = ? WHERE id = ?',
  )
  const updateSession = db.prepare<
    [number, number, string, string, string | null, string, number, number, string | null, string | null, string]
  >(
    `UPDATE session SET seq = ?, updated_at = ?, folder = ?, title = ?, model = ?, status = ?, waiting = ?, archived = ?,
       turn_id = ?,
       head = coalesce(?, head)
     WHERE id = ?`,
  )
  const updateHeader = db.prepare<[number, string, string]>(
    'UPDATE session_header SET fold = ?, header = ? WHERE session_id = ?',
  )

  const write = (header: SessionHeader, head?: string): void => {
    const { sessionId, seq, updatedAt, folder, title, model = null, archived, approvals, turnId = null } = header
    const status = statusOf(header)
    updateSession.run(
      seq,
      updatedAt,
      folder,
      title,
      model,
      status,
      approvals.length,
      Number(archived),
      turnId,
      head ?? null,
      sessionId,
    )
    updateHeader.run(FOLD_VERSION, jsonOf(header), sessionId)
  }

  const load = (sessionId: string): SessionHeader | undefined => {
    const row = stored.get(sessionId)
    if (!row) return undefined
    const parsed = row.fold === FOLD_VERSION ? parse(row.header) : undefined
    if (parsed) return { ...parsed, sessionId, seq: row.seq, updatedAt: row.updatedAt }
    return refold(sessionId)
  }

  const refold = db.transaction((sessionId: string): SessionHeader => {
    const folded = allEvents(sessionId).reduce(applyHeader, emptyHeader(sessionId))
    write(folded)
    return folded
  }).immediate

  return {
    get(sessionId) {
      const seq = seqOf.get(sessionId)
      if (seq === undefined) {
        cache.delete(sessionId)
        return undefined
      }
      const cached = cache.get(sessionId)
      return cached?.seq === seq ? cached : load(sessionId)
    },
    insert(header) {
      const { sessionId, seq, createdAt, updatedAt, folder, title, model = null, archived, turnId = null } = header
      insertSession.run(
        sessionId,
        seq,
        createdAt,
        updatedAt,
        folder,
        title,
        model,
        statusOf(header),
        0,
        Number(archived),
        turnId,
      )
      insertHeader.run(sessionId, FOLD_VERSION, jsonOf(header))
    },
    save(before, after, head) {
      if (differs(before, after)) write(after, head)
      else touch.run(after.seq, after.updatedAt, head, after.sessionId)
    },
    keep: (header) => void cache.set(header.sessionId, header),
    forget: (sessionId) => void cache.delete(sessionId),
  }
}

/** `seq` and `updatedAt` have columns of their own: most events change nothing else. */
function jsonOf(header: SessionHeader): string {
  const { seq: _seq, updatedAt: _updatedAt, ...rest } = header
  return JSON.stringify(rest)
}

function parse(json: string): Omit<SessionHeader, 'seq' | 'updatedAt'> | undefined {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** The fold creates a new value for everything it changes, so comparing by identity suffices. */
function differs(before: SessionHeader, after: SessionHeader): boolean {
  const keys = [...Object.keys(before), ...Object.keys(after)] as (keyof SessionHeader)[]
  return keys.some((key) => key !== 'seq' && key !== 'updatedAt' && before[key] !== after[key])
}

/**
 * Lists over all sessions, from columns alone: parses no JSON and accesses no project folder (it may be deleted or not
 * mounted).
 */
export function createSessionList(
  db: Database,
  leases: Leases,
): Pick<Store, 'list' | 'interrupted' | 'waiting' | 'owedNews'> & {
  agents(filter: Parameters<Store['agents']>[0]): string[]
} {
  const rows = db
    .prepare<
      [{ folder: string | null; archived: number | null; limit: number }],
      [string, string, string, SessionStatus, number, number, number, string | null, string | null]
    >(
      `SELECT id, folder, title, status, waiting, updated_at, archived, model,
         (SELECT schedule_id FROM schedule_run WHERE session_id = session.id) FROM session
       WHERE removed = 0 AND NOT (id >= '${AGENT_ID}' AND id < '${AGENT_ID}~') AND (@folder IS NULL OR folder = @folder)
         AND (@archived IS NULL OR archived = @archived)
       ORDER BY updated_at DESC, id DESC LIMIT @limit`,
    )
    .raw()
  // Only sessions with an open turn can wait, so the index of open turns finds them quickly.
  const waiting = db
    .prepare<[], [string, number]>(
      'SELECT id, seq FROM session INDEXED BY session_open WHERE turn_id IS NOT NULL AND waiting > 0 AND removed = 0',
    )
    .raw()
  const open = db.prepare<[], string>('SELECT id FROM session WHERE turn_id IS NOT NULL AND removed = 0').pluck()
  // The form that `JSON.stringify` writes; inside a string the quotes would be escaped. Headers from before
  // notifications existed never match.
  const owed = db
    .prepare<[], string>(
      `SELECT s.id FROM session s JOIN session_header h ON h.session_id = s.id
       WHERE s.removed = 0 AND s.archived = 0 AND instr(h.header, '"news":[{') > 0`,
    )
    .pluck()

  // No limit in the statement: SQLite recompiles a statement with a limit parameter at every use, and a session's
  // agents are listed at every command.
  const agents = db
    .prepare<[{ prefix: string; active: number }], string>(
      `SELECT id FROM session WHERE id >= @prefix AND id < @prefix || '~' AND removed = 0
         AND (@active = 0 OR status IN ('running', 'waiting'))
       ORDER BY updated_at DESC, id DESC`,
    )
    .pluck()

  return {
    agents: ({ rootId, activeOnly = false, limit }) =>
      agents
        .all({ prefix: rootId === undefined ? AGENT_ID : familyPrefix(rootId), active: Number(activeOnly) })
        .slice(0, limit),
    list({ folder, archived, limit = -1 } = {}) {
      const elsewhere = leases.allElsewhere()
      const held = leases.held()
      const filter = { folder: folder ?? null, archived: archived === undefined ? null : Number(archived), limit }
      return rows
        .all(filter)
        .map(
          ([
            sessionId,
            itsFolder,
            title,
            status,
            waiting,
            updatedAt,
            isArchived,
            model,
            scheduleId,
          ]): SessionSummary => {
            const where = elsewhere.get(sessionId)
            // A turn that waits for the user outlives its process.
            const dead = status === 'running' && where === undefined && !held.has(sessionId)
            return {
              sessionId,
              folder: itsFolder,
              title,
              status: dead ? 'interrupted' : status,
              waiting,
              updatedAt,
              archived: isArchived === 1,
              ...(model !== null && { model }),
              ...(scheduleId !== null && { scheduleId }),
              ...(where !== undefined && { elsewhere: where }),
            }
          },
        )
    },
    owedNews: () => owed.all(),
    waiting() {
      const found = waiting.all()
      if (found.length === 0) return []
      const elsewhere = leases.allElsewhere()
      return found.map(([sessionId, seq]) => {
        const where = elsewhere.get(sessionId)
        return { sessionId, seq, ...(where !== undefined && { elsewhere: where }) }
      })
    },
    interrupted() {
      const elsewhere = leases.allElsewhere()
      const held = leases.held()
      return open.all().filter((sessionId) => !elsewhere.has(sessionId) && !held.has(sessionId))
    },
  }
}
