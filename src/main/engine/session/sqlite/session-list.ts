import { AGENT_ID, familyPrefix } from '../../../../shared/model/agent'
import type { SessionStatus, SessionSummary } from '../../../../shared/model/session'
import type { Store } from '../store'
import type { Database } from './database'
import type { Leases } from './lease'

/** The lists over all sessions: from columns alone, no JSON is parsed and no folder is looked at (it may be gone or not mounted). */
export function createSessionList(
  db: Database,
  leases: Leases,
): Pick<Store, 'list' | 'interrupted' | 'waiting' | 'owedNews'> & {
  agents(filter: Parameters<Store['agents']>[0]): string[]
} {
  const rows = db
    .prepare<
      [{ folder: string | null; archived: number | null; limit: number }],
      [string, string, string, SessionStatus, number, number, number, string | null]
    >(
      `SELECT id, folder, title, status, waiting, updated_at, archived, model FROM session
       WHERE removed = 0 AND NOT (id >= '${AGENT_ID}' AND id < '${AGENT_ID}~') AND (@folder IS NULL OR folder = @folder) AND (@archived IS NULL OR archived = @archived)
       ORDER BY updated_at DESC, id DESC LIMIT @limit`,
    )
    .raw()
  // Only a turn can wait, so the index of open turns leads to the few that do.
  const waiting = db
    .prepare<[], [string, number]>(
      'SELECT id, seq FROM session INDEXED BY session_open WHERE turn_id IS NOT NULL AND waiting > 0 AND removed = 0',
    )
    .raw()
  const open = db.prepare<[], string>('SELECT id FROM session WHERE turn_id IS NOT NULL AND removed = 0').pluck()
  // As `JSON.stringify` writes it; inside a string its quotes would be escaped. Headers folded before there was news owe none.
  const owed = db
    .prepare<[], string>(
      `SELECT s.id FROM session s JOIN session_header h ON h.session_id = s.id
       WHERE s.removed = 0 AND s.archived = 0 AND instr(h.header, '"news":[{') > 0`,
    )
    .pluck()

  const agents = db
    .prepare<[{ prefix: string; active: number; limit: number }], string>(
      `SELECT id FROM session WHERE id >= @prefix AND id < @prefix || '~' AND removed = 0 AND (@active = 0 OR status IN ('running', 'waiting'))
       ORDER BY updated_at DESC, id DESC LIMIT @limit`,
    )
    .pluck()

  return {
    agents: ({ rootId, activeOnly = false, limit = -1 }) =>
      agents.all({ prefix: rootId === undefined ? AGENT_ID : familyPrefix(rootId), active: Number(activeOnly), limit }),
    list({ folder, archived, limit = -1 } = {}) {
      const elsewhere = leases.allElsewhere()
      const held = leases.held()
      const filter = { folder: folder ?? null, archived: archived === undefined ? null : Number(archived), limit }
      return rows.all(filter).map(([sessionId, itsFolder, title, status, waiting, updatedAt, isArchived, model]): SessionSummary => {
        const where = elsewhere.get(sessionId)
        // A turn that waits for a person outlives its process.
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
          ...(where !== undefined && { elsewhere: where }),
        }
      })
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
