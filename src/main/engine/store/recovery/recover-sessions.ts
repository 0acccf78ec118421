import { existsSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { CodedError } from '../../../../shared/errors'
import { backupsOf } from '../backup/backup-files'
import type { Database } from '../database/database'
import type { Leases } from '../lease'
import { rebuildStore, type RebuildReport, foldHeader } from './rebuild-store'
import { openStoreRows, type EventRow } from './store-rows'
import type { EventBody } from '../../../../shared/events/event'
import { emptyHeader } from '../../../../shared/events/fold-header'
import { createChainHeads, keepUnhashedLimit } from '../chain/chain-rows'
import { createEventLog } from '../event-log'
import { createHeaderRows, type HeaderRows } from '../session-rows'
import { createTextIndex, type TextIndex } from '../text-index'
import { removedIds, removedKey } from '../session-writer'

/** What `trestle session recover` did. */
export interface RecoveryReport {
  /** The files that were read, in order of precedence. */
  files: string[]
  /** What was found in all of them together. */
  found: RebuildReport
  merged: MergeReport
}

/**
 * Merges sessions of a damaged store or a backup into the open store, without changing existing events. With `file`:
 * everything in it, including sessions removed since. Without it: every damaged file kept in this home and the newest
 * backup, except removed sessions.
 */
export function recoverSessions(
  db: Database,
  { home, file, leases }: { home: string; file?: string; leases: Leases },
): RecoveryReport {
  const files = file === undefined ? keptFiles(home) : [givenFile(home, file)]
  const rebuilt = join(home, `trestle.db.recovering-${process.pid}`)
  const sources = files.map((source) => openStoreRows(source))
  try {
    rmSync(rebuilt, { force: true })
    const removed = file === undefined ? removedIds(db) : new Set<string>()
    const found = rebuildStore(rebuilt, sources, { withRemoved: file !== undefined, removed })
    return { files, found, merged: mergeStore(db, rebuilt, leases) }
  } finally {
    for (const source of sources) source.close()
    for (const ending of ['', '-journal']) rmSync(rebuilt + ending, { force: true })
  }
}

/** Newest first: their names end with a time. */
function keptFiles(home: string): string[] {
  const damaged = readdirSync(home)
    .filter((name) => /^trestle\.db\.damaged-[^-]+(-\d+)?$/.test(name))
    .toSorted()
    .toReversed()
    .map((name) => join(home, name))
  const files = [
    ...damaged,
    ...backupsOf(home, Date.now())
      .slice(0, 1)
      .map((backup) => backup.file),
  ]
  if (files.length === 0)
    throw new CodedError(
      'request.invalid',
      `There is no damaged store and no backup in ${home}. Name a file to recover from.`,
    )
  return files
}

function givenFile(home: string, file: string): string {
  if (!existsSync(file))
    throw new CodedError('request.invalid', `There is no file ${file}. Backups are in ${join(home, 'backups')}.`)
  const real = realpathSync(file)
  if (real === realpathSync(join(home, 'trestle.db')))
    throw new CodedError('request.invalid', `${file} is the store that is in use.`)
  return real
}

/** What was merged from another store, by session id. */
interface MergeReport {
  /** Sessions that did not exist before, and those that got missing events. */
  added: string[]
  completed: string[]
  /** Number of events added to both. */
  events: number
  /** Sessions that already had everything. */
  unchanged: number
  /** Sessions that were not changed, with the reason. */
  kept: { sessionId: string; why: 'changed' | 'in use' }[]
}

/**
 * Adds to the open store what the store `file` has and this one does not. Existing events are never changed: a session
 * that has diverged since is left as it is. One transaction per session, so that other processes are not blocked for
 * long.
 */
function mergeStore(db: Database, file: string, leases: Pick<Leases, 'elsewhere'>): MergeReport {
  db.prepare('ATTACH ? AS other').run(file)
  try {
    const merged: MergeReport = { added: [], completed: [], events: 0, unchanged: 0, kept: [] }
    const sessions = db.prepare<[], string>('SELECT id FROM other.session ORDER BY created_at, id').pluck().all()
    const merge = sessionMerger(db)
    for (const sessionId of sessions) {
      if (leases.elsewhere(sessionId) !== undefined) {
        merged.kept.push({ sessionId, why: 'in use' })
        continue
      }
      const found = merge(sessionId)
      if (found === 'changed') merged.kept.push({ sessionId, why: 'changed' })
      else if (found.events === 0 && !found.isNew) merged.unchanged += 1
      else merged[found.isNew ? 'added' : 'completed'].push(sessionId)
      if (found !== 'changed') merged.events += found.events
    }
    return merged
  } finally {
    db.exec('DETACH other')
  }
}

function sessionMerger(db: Database): (sessionId: string) => 'changed' | { isNew: boolean; events: number } {
  const log = createEventLog(db)
  const headers = createHeaderRows(db, (sessionId) => log.since(sessionId, 0))
  const texts = createTextIndex(db)
  const heads = createChainHeads(db)
  const present = db.prepare<[string], { removed: number }>('SELECT removed FROM main.session WHERE id = ?')
  // Ignores the first event: a session recovered without it has a synthetic one.
  const differs = db.prepare<[string]>(
    `SELECT 1 FROM other.event o JOIN main.event m ON m.session_id = o.session_id AND m.seq = o.seq
     WHERE o.session_id = ? AND o.seq > 1 AND (m.at <> o.at OR m.body <> o.body) LIMIT 1`,
  )
  const missing = db.prepare<[string], EventRow>(
    `SELECT o.id, o.session_id AS sessionId, o.seq, o.at, o.type, o.body, o.hash FROM other.event o
     WHERE o.session_id = ?
       AND NOT EXISTS (SELECT 1 FROM main.event m WHERE m.session_id = o.session_id AND m.seq = o.seq)
     ORDER BY o.seq`,
  )
  const isFree = db.prepare<[number]>('SELECT 1 FROM main.event WHERE id = ?')
  const insert = db.prepare<[number | null, string, number, number, string, string, string | null]>(
    'INSERT INTO main.event (id, session_id, seq, at, type, body, hash) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const otherHeader = db.prepare<[string], { seq: number; updatedAt: number; header: string }>(
    'SELECT s.seq, s.updated_at AS updatedAt, ' +
      'h.header FROM other.session s JOIN other.session_header h ON h.session_id = s.id WHERE s.id = ?',
  )
  const forgetRemoval = db.prepare<[string]>('DELETE FROM main.meta WHERE key = ?')

  const add = (rows: readonly EventRow[], index: TextIndex): void => {
    for (const { id, sessionId, seq, at, type, body, hash } of rows) {
      // Keep the id if it is free, because search orders by it.
      const freeId = isFree.get(id) === undefined ? id : null
      const { lastInsertRowid } = insert.run(freeId, sessionId, seq, at, type, body, hash)
      index.add(lastInsertRowid, JSON.parse(body) as EventBody)
    }
  }
  const store = (sessionId: string, isNew: boolean, save: HeaderRows['save']): void => {
    const other = isNew ? otherHeader.get(sessionId) : undefined
    const header = other
      ? { ...JSON.parse(other.header), sessionId, seq: other.seq, updatedAt: other.updatedAt }
      : foldHeader(sessionId, log.since)
    save(emptyHeader(sessionId), header, heads.last(sessionId))
  }
  return db.transaction((sessionId: string) => {
    const mine = present.get(sessionId)
    if (mine && (mine.removed === 1 || differs.get(sessionId) !== undefined)) return 'changed'
    const rows = missing.all(sessionId)
    if (mine && rows.length === 0) return { isNew: false, events: 0 }
    if (!mine) headers.insert(emptyHeader(sessionId))
    add(rows, texts)
    keepUnhashedLimit(db)
    store(sessionId, !mine, headers.save)
    forgetRemoval.run(removedKey(sessionId))
    return { isNew: !mine, events: rows.length }
  }).immediate
}
