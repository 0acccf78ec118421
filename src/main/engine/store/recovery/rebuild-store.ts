import { homedir } from 'node:os'
import { isAgentId } from '../../../../shared/model/session/agent'
import type { EventBody, RecordedEvent } from '../../../../shared/events/event'
import { applyHeader, emptyHeader } from '../../../../shared/events/fold-header'
import type { SessionHeader } from '../../../../shared/model/session/session'
import { openScratchFile, type Database } from '../database/database'
import { createChainHeads, keepUnhashedLimit } from '../chain/chain-rows'
import { createEventLog } from '../event-log'
import { createHeaderRows, FOLD_VERSION } from '../session-rows'
import { MIGRATIONS } from '../migrations'
import { addRecordedSpending } from '../rows/spending-rows'
import { indexEvents } from '../text-index'
import { type StoreRows, type RowVisitor, type SessionRow } from './store-rows'
import { removedKey } from '../session-writer'

/** What could be read, and what could not. `sessions` excludes subagents; `events` includes their events. */
export interface RebuildReport {
  sessions: number
  events: number
  /** Sessions that are still referenced, but have no events. */
  lostSessions: number
  /** Missing events, of recovered and lost sessions. */
  lostEvents: number
}

/** Number of events folded at a time. */
const CHUNK = 500

/**
 * Builds a new store from several files. An event in more than one is taken from the first. Sessions the user removed
 * are left out unless `withRemoved` is set; so are the sessions in `removed`. Headers and the search index are derived
 * from the events.
 */
export function rebuildStore(
  file: string,
  sources: readonly StoreRows[],
  { withRemoved = false, removed = new Set() }: { withRemoved?: boolean; removed?: ReadonlySet<string> } = {},
): RebuildReport {
  const db = openScratchFile(file)
  try {
    db.exec('BEGIN')
    for (const { up } of MIGRATIONS) up(db)
    db.pragma(`user_version = ${MIGRATIONS.at(-1)?.version ?? 0}`)
    const known = createKnownSessions()
    const keepHeader = db.prepare<[string, number, string]>(
      'INSERT OR IGNORE INTO session_header (session_id, fold, header) VALUES (?, ?, ?)',
    )
    for (const source of sources) known.read(source, (...header) => void keepHeader.run(...header))
    const isUnwanted = (sessionId: string): boolean =>
      removed.has(sessionId) || (!withRemoved && known.get(sessionId)?.removed === true)
    for (const source of sources) copyEvents(db, source, isUnwanted)
    keepUnhashedLimit(db)
    const found = makeSessions(db, known, isUnwanted)
    db.exec('DELETE FROM session_header WHERE session_id NOT IN (SELECT id FROM session)')
    if (!withRemoved) keepRemovals(db, known)
    indexEvents(db)
    addRecordedSpending(db)
    db.exec('COMMIT')
    return found
  } finally {
    db.close()
  }
}

function copyEvents(db: Database, source: StoreRows, isUnwanted: (sessionId: string) => boolean): void {
  const columns = 'session_id, seq, at, type, body, hash'
  const sameId = db.prepare<[number, string, number, number, string, string, string | null]>(
    `INSERT OR IGNORE INTO event (id, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const otherId = db.prepare<[string, number, number, string, string, string | null]>(
    `INSERT OR IGNORE INTO event (${columns}) VALUES (?, ?, ?, ?, ?, ?)`,
  )
  for (const { id, sessionId, seq, at, type, body, hash } of source.events()) {
    if (isUnwanted(sessionId)) continue
    // Keep the id if it is free, because search orders by it.
    if (sameId.run(id, sessionId, seq, at, type, body, hash).changes === 0)
      otherId.run(sessionId, seq, at, type, body, hash)
  }
}

function makeSessions(db: Database, known: KnownSessions, isUnwanted: (sessionId: string) => boolean): RebuildReport {
  const found: RebuildReport = { sessions: 0, events: 0, lostSessions: 0, lostEvents: 0 }
  const log = createEventLog(db)
  const headers = createHeaderRows(db, () => [])
  const heads = createChainHeads(db)
  const storedHeader = db.prepare<[string], { fold: number; header: string }>(
    'SELECT fold, header FROM session_header WHERE session_id = ?',
  )
  const dropHeader = db.prepare<[string]>('DELETE FROM session_header WHERE session_id = ?')
  const begin = db.prepare<[string, number, string]>(
    "INSERT INTO event (session_id, seq, at, type, body) VALUES (?, 1, ?, 'session.created', ?)",
  )
  const counts = db.prepare<[], { sessionId: string; count: number; first: number; last: number }>(
    'SELECT session_id AS sessionId, count(*) AS count, ' +
      'min(seq) AS first, max(seq) AS last FROM event GROUP BY session_id',
  )
  const present = counts.all()
  for (const { sessionId, count, first, last } of present) {
    const { row, lastSeq = 0 } = known.get(sessionId) ?? {}
    if (!isAgentId(sessionId)) found.sessions += 1
    found.events += count
    found.lostEvents += Math.max(lastSeq, last) - count
    // Without its first event, a session has no folder and no title.
    if (first > 1) begin.run(sessionId, row?.createdAt ?? 0, JSON.stringify(beginningOf(row)))
    const stored = storedHeader.get(sessionId)
    // If events are missing, the stored header, folded from all of them, is better than one folded from the rest.
    const isStoredBetter = count < last && row?.seq === last && stored?.fold === FOLD_VERSION
    const header: SessionHeader = isStoredBetter
      ? { ...JSON.parse(stored.header), sessionId, seq: last, updatedAt: row.updatedAt }
      : foldHeader(sessionId, log.since)
    dropHeader.run(sessionId)
    headers.insert(header)
    headers.save(emptyHeader(sessionId), header, heads.last(sessionId))
  }
  const ids = new Set(present.map(({ sessionId }) => sessionId))
  for (const [sessionId, { lastSeq }] of known.all()) {
    if (ids.has(sessionId) || isUnwanted(sessionId)) continue
    if (!isAgentId(sessionId)) found.lostSessions += 1
    found.lostEvents += lastSeq
  }
  return found
}

function beginningOf(row: { folder: string; title: string; model: string | null } | undefined): EventBody {
  return {
    type: 'session.created',
    folder: row?.folder ?? homedir(),
    title: row?.title ?? 'Recovered session',
    mode: 'ask',
    addedFolders: [],
    ...(row && row.model !== null && { model: row.model }),
  }
}

/** The header, folded from the log. */
export function foldHeader(
  sessionId: string,
  since: (sessionId: string, since: number, limit: number) => RecordedEvent[],
): SessionHeader {
  let header = emptyHeader(sessionId)
  for (;;) {
    const events = since(sessionId, header.seq, CHUNK)
    for (const event of events) header = applyHeader(header, event)
    if (events.length < CHUNK) return header
  }
}

function keepRemovals(db: Database, known: KnownSessions): void {
  const keep = db.prepare<[string, string]>('INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)')
  for (const [sessionId, { removed }] of known.all()) if (removed) keep.run(removedKey(sessionId), '1')
}

/** What the sources know about one session, apart from its events. */
interface KnownSession {
  row?: SessionRow
  /** The highest number of an event that it had. */
  lastSeq: number
  removed: boolean
}

/** What the files record about their sessions: which events should exist, and which sessions the user removed. */
interface KnownSessions {
  /** Reads a source. Earlier sources take precedence. */
  read(source: StoreRows, header: RowVisitor['header']): void
  get(sessionId: string): KnownSession | undefined
  all(): ReadonlyMap<string, KnownSession>
}

function createKnownSessions(): KnownSessions {
  const sessions = new Map<string, KnownSession>()
  const at = (sessionId: string): KnownSession => {
    const found = sessions.get(sessionId) ?? { lastSeq: 0, removed: false }
    sessions.set(sessionId, found)
    return found
  }
  const listed = (sessionId: string, seq: number): void => {
    const session = at(sessionId)
    session.lastSeq = Math.max(session.lastSeq, seq)
  }
  return {
    read(source, header) {
      source.known({
        header,
        listed,
        session(row) {
          const session = at(row.sessionId)
          session.row ??= row
          session.removed ||= row.removed
          listed(row.sessionId, row.seq)
        },
        removed: (sessionId) => void (at(sessionId).removed = true),
      })
    },
    get: (sessionId) => sessions.get(sessionId),
    all: () => sessions,
  }
}
