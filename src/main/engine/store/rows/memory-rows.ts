import { createHash } from 'node:crypto'
import type {
  MemoryAuthor,
  MemoryContent,
  MemoryEntry,
  MemoryFilter,
  MemoryOverview,
  MemoryPage,
  MemoryVersion,
} from '../../../../shared/model/assistant/memory'
import type { Database } from '../database/database'
import { contentColumns, entryOf, versionOf, type EntryRow, type VersionRow } from './memory-columns'

/** The words of an entry for the search: the stems of its key, category and text, and all words as written. */
export interface MemoryWords {
  stems: string
  words: string
}

/** A search term, as expressions for both indexes. */
export interface WordMatch {
  stems: string
  words: string
}

/** Who changes an entry, when, and in which session. */
export interface MemoryOrigin {
  at: number
  author: MemoryAuthor
  sessionId?: string
  seq?: number
}

/** The rows of the memory. Entries without a `folder` apply everywhere. */
export interface MemoryRows {
  find(folder: string | undefined, key: string): MemoryEntry | undefined
  findDeleted(folder: string | undefined, key: string): MemoryEntry | undefined
  get(id: number): MemoryEntry | undefined
  insert(content: MemoryContent, words: MemoryWords, origin: MemoryOrigin): MemoryEntry
  /** Changes an entry, or restores a deleted one. */
  write(
    id: number,
    content: MemoryContent,
    words: MemoryWords,
    origin: MemoryOrigin,
    change: 'changed' | 'restored',
  ): MemoryEntry
  remove(id: number, origin: MemoryOrigin): MemoryEntry
  /** Permanently deletes entries, with their history: those deleted before a time, or one. */
  purge(which: { deletedBefore: number } | { id: number }): number
  versions(id: number, limit: number): MemoryVersion[]
  version(versionId: number): (MemoryVersion & { entryId: number }) | undefined
  /** `match`: FTS5 expressions for the stems and for the words as written; each must match in one of the two. */
  list(filter: MemoryFilter, match: readonly WordMatch[], offset: number, limit: number): MemoryPage
  overview(): Omit<MemoryOverview, 'budgetBytes'>
  count(): number
  /** The keys in use in these folders, to suggest to the model. */
  keys(folders: readonly (string | undefined)[], limit: number): string[]
  /** Ids of entries whose stems match an FTS5 expression, newest first. */
  matching(expression: string, limit: number): number[]
  byIds(ids: readonly number[]): MemoryEntry[]
  byKeys(folder: string | undefined, keys: readonly string[]): MemoryEntry[]
  /** A folder's most reinforced or most recently active entries. */
  leading(folder: string | undefined, by: 'uses' | 'recency', limit: number): MemoryEntry[]
  /** Counts a use. `reinforced`: by the agent; `shown`: it matched a prompt; `found`: by a search. */
  used(ids: readonly number[], at: number, how: 'reinforced' | 'shown' | 'found'): void
  transaction<Result>(work: () => Result): Result
}

/** Maximum number of versions kept per entry. */
const MAX_VERSIONS = 50

/** The word for a folder in the search index. */
export function placeWord(folder: string | undefined): string {
  return folder === undefined ? 'in0everywhere' : `in0${createHash('sha256').update(folder).digest('hex').slice(0, 20)}`
}

export function createMemoryRows(db: Database): MemoryRows {
  const get = db.prepare<[number | bigint], EntryRow>('SELECT * FROM memory WHERE id = ?')
  const find = db.prepare<[string, string], EntryRow>(
    'SELECT * FROM memory WHERE folder = ? AND key = ? AND deleted_at IS NULL',
  )
  const findDeleted = db.prepare<[string, string], EntryRow>(
    'SELECT * FROM memory WHERE deleted_at IS NOT NULL AND folder = ? ' +
      'AND key = ? ORDER BY deleted_at DESC, id DESC LIMIT 1',
  )
  const insert = db.prepare(
    `INSERT INTO memory (key, text, category, folder, author, created_at, updated_at, active_at, session_id, seq)
     VALUES (@key, @text, @category, @folder, @author, @at, @at, @at, @sessionId, @seq)`,
  )
  const update = db.prepare(
    `UPDATE memory SET key = @key, text = @text, category = @category, folder = @folder, author = @author,
       updated_at = @at,
     active_at = @at, session_id = @sessionId, seq = @seq, deleted_at = NULL WHERE id = @id`,
  )
  const remove = db.prepare<[number, number]>('UPDATE memory SET deleted_at = ? WHERE id = ?')
  const addVersion = db.prepare(
    `INSERT INTO memory_version (memory_id, at, change, author, key, text, category, folder, session_id)
     VALUES (@id, @at, @change, @author, @key, @text, @category, @folder, @sessionId)`,
  )
  const dropVersions = db.prepare<[number, number, number]>(
    `DELETE FROM memory_version WHERE memory_id = ? AND id <= (
       SELECT id FROM memory_version WHERE memory_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`,
  )
  const indexStems = db.prepare<[number, string]>('INSERT INTO memory_search (rowid, stems) VALUES (?, ?)')
  const indexWords = db.prepare<[number, string]>('INSERT INTO memory_words (rowid, words) VALUES (?, ?)')
  const unindexStems = db.prepare<[number]>('DELETE FROM memory_search WHERE rowid = ?')
  const unindexWords = db.prepare<[number]>('DELETE FROM memory_words WHERE rowid = ?')
  const matching = db
    .prepare<[string, number], number>(
      'SELECT rowid FROM memory_search WHERE memory_search MATCH ? ORDER BY rowid DESC LIMIT ?',
    )
    .pluck()
  const byIds = db.prepare<[string], EntryRow>(
    'SELECT * FROM memory WHERE id IN (SELECT value FROM json_each(?)) AND deleted_at IS NULL',
  )
  const byKeys = db.prepare<[string, string], EntryRow>(
    'SELECT * FROM memory WHERE folder = ? AND key IN (SELECT value FROM json_each(?)) AND deleted_at IS NULL',
  )
  const leading = {
    uses: db.prepare<[string, number], EntryRow>(
      'SELECT * FROM memory WHERE folder = ? ' +
        'AND deleted_at IS NULL AND uses > 0 ORDER BY uses DESC, active_at DESC LIMIT ?',
    ),
    recency: db.prepare<[string, number], EntryRow>(
      'SELECT * FROM memory WHERE folder = ? AND deleted_at IS NULL ORDER BY active_at DESC LIMIT ?',
    ),
  }
  const count = db.prepare<[], number>('SELECT count(*) FROM memory WHERE deleted_at IS NULL').pluck()
  const uses = {
    reinforced: db.prepare<[{ at: number; ids: string }]>(usedSql('uses = uses + 1,')),
    shown: db.prepare<[{ at: number; ids: string }]>(usedSql('shown = shown + 1,')),
    found: db.prepare<[{ at: number; ids: string }]>(usedSql('')),
  }

  function record(entry: MemoryContent & { id: number }, origin: MemoryOrigin, change: MemoryVersion['change']): void {
    const { at, author, sessionId = null } = origin
    addVersion.run({ ...contentColumns(entry), id: entry.id, at, author, change, sessionId })
    dropVersions.run(entry.id, entry.id, MAX_VERSIONS)
  }

  function index(id: number, { folder }: MemoryContent, { stems, words }: MemoryWords): void {
    indexStems.run(id, `${placeWord(folder)} ${stems}`)
    indexWords.run(id, words)
  }

  function unindex(id: number): void {
    unindexStems.run(id)
    unindexWords.run(id)
  }

  function required(id: number | bigint): MemoryEntry {
    const row = get.get(id)
    if (!row) throw new Error(`There is no memory ${id}.`)
    return entryOf(row)
  }

  const rows: MemoryRows = {
    find: (folder, key) => optional(find.get(folder ?? '', key)),
    findDeleted: (folder, key) => optional(findDeleted.get(folder ?? '', key)),
    get: (id) => optional(get.get(id)),
    insert(content, words, origin) {
      const { at, author, sessionId = null, seq = null } = origin
      const { lastInsertRowid } = insert.run({ ...contentColumns(content), at, author, sessionId, seq })
      const entry = required(lastInsertRowid)
      index(entry.id, entry, words)
      record(entry, origin, 'created')
      return entry
    },
    write(id, content, words, origin, change) {
      const { at, author, sessionId = null, seq = null } = origin
      update.run({ ...contentColumns(content), id, at, author, sessionId, seq })
      unindex(id)
      index(id, content, words)
      record({ ...content, id }, origin, change)
      return required(id)
    },
    remove(id, origin) {
      remove.run(origin.at, id)
      unindex(id)
      record(required(id), origin, 'deleted')
      return required(id)
    },
    purge(which) {
      return 'id' in which
        ? db.prepare<[number]>('DELETE FROM memory WHERE id = ? AND deleted_at IS NOT NULL').run(which.id).changes
        : db.prepare<[number]>('DELETE FROM memory WHERE deleted_at < ?').run(which.deletedBefore).changes
    },
    versions: (id, limit) =>
      db
        .prepare<[number, number], VersionRow>(
          'SELECT * FROM memory_version WHERE memory_id = ? ORDER BY id DESC LIMIT ?',
        )
        .all(id, limit)
        .map(versionOf),
    version(versionId) {
      const row = db.prepare<[number], VersionRow>('SELECT * FROM memory_version WHERE id = ?').get(versionId)
      return row && { ...versionOf(row), entryId: row.memory_id }
    },
    list: (filter, match, offset, limit) => listRows(db, filter, match, offset, limit),
    overview: () => overviewOf(db, count.get() ?? 0),
    count: () => count.get() ?? 0,
    keys: (folders, limit) =>
      db
        .prepare<[string, number], string>(
          'SELECT key FROM memory WHERE folder IN (SELECT value FROM json_each(?)) AND deleted_at IS NULL LIMIT ?',
        )
        .pluck()
        .all(JSON.stringify(folders.map((folder) => folder ?? '')), limit),
    matching: (expression, limit) => matching.all(expression, limit),
    byIds: (ids) => byIds.all(JSON.stringify(ids)).map(entryOf),
    byKeys: (folder, keys) => byKeys.all(folder ?? '', JSON.stringify(keys)).map(entryOf),
    leading: (folder, by, limit) => leading[by].all(folder ?? '', limit).map(entryOf),
    used(ids, at, how) {
      if (ids.length > 0) uses[how].run({ at, ids: JSON.stringify(ids) })
    },
    transaction: (work) => db.transaction(work).immediate(),
  }
  return rows
}

function usedSql(counter: string): string {
  return (
    `UPDATE memory SET ${counter} used_at = @at, active_at = max(active_at, ` +
    '@at) WHERE id IN (SELECT value FROM json_each(@ids))'
  )
}

function optional(row: EntryRow | undefined): MemoryEntry | undefined {
  return row && entryOf(row)
}

const ORDERS = {
  recent: 'updated_at DESC, id DESC',
  used: 'used_at IS NULL, used_at DESC, id DESC',
  key: 'key COLLATE NOCASE, id',
} as const

function listRows(
  db: Database,
  { query, scope, category, deleted = false, order = 'recent' }: MemoryFilter,
  match: readonly WordMatch[],
  offset: number,
  limit: number,
): MemoryPage {
  const where = [deleted ? 'deleted_at IS NOT NULL' : 'deleted_at IS NULL']
  const values: Record<string, string | number> = {}
  const add = (condition: string, name: string, value: string): void => {
    where.push(condition)
    values[name] = value
  }
  if (scope !== undefined) add('folder = @folder', 'folder', scope === 'everywhere' ? '' : scope)
  if (category !== undefined) add('category = @category', 'category', category)
  // Deleted entries are not in the index.
  if (deleted && query !== undefined)
    add("(key || ' ' || text) LIKE @like ESCAPE '\\'", 'like', `%${query.replaceAll(/[\\%_]/g, '\\$&')}%`)
  else
    for (const [at, { stems, words }] of match.entries()) {
      values[`words${at}`] = words
      add(
        `(id IN (SELECT rowid FROM memory_search WHERE memory_search MATCH @stems${at}) OR
          id IN (SELECT rowid FROM memory_words WHERE memory_words MATCH @words${at}))`,
        `stems${at}`,
        stems,
      )
    }
  const from = `FROM memory WHERE ${where.join(' AND ')}`
  const total = db.prepare<[typeof values], number>(`SELECT count(*) ${from}`).pluck().get(values) ?? 0
  const found = db
    .prepare<[typeof values], EntryRow>(
      `SELECT * ${from} ORDER BY ${deleted ? 'deleted_at DESC, id DESC' : ORDERS[order]} LIMIT @limit OFFSET @offset`,
    )
    .all({ ...values, limit, offset })
  return { entries: found.map(entryOf), total }
}

function overviewOf(db: Database, entries: number): Omit<MemoryOverview, 'budgetBytes'> {
  const projects = db
    .prepare<[], { folder: string; entries: number }>(
      'SELECT folder, ' +
        'count(*) AS entries FROM memory WHERE deleted_at IS NULL GROUP BY folder ORDER BY entries DESC, folder',
    )
    .all()
  return {
    entries,
    deleted: db.prepare<[], number>('SELECT count(*) FROM memory WHERE deleted_at IS NOT NULL').pluck().get() ?? 0,
    everywhere: projects.find(({ folder }) => folder === '')?.entries ?? 0,
    projects: projects.filter(({ folder }) => folder !== ''),
    categories: db
      .prepare<[], { category: string; entries: number }>(
        'SELECT category, count(*) AS entries FROM memory WHERE deleted_at IS NULL AND ' +
          'category IS NOT NULL GROUP BY category ORDER BY entries DESC, category LIMIT 200',
      )
      .all(),
  }
}
