import type { EventBody } from '../../../shared/events/event'
import type { SearchHit } from '../../../shared/model/session'
import type { Database } from './database'
import { matchExpression, parseQuery, snippetOf, indexable } from './search-query'

/**
 * How much of a message is searchable, in UTF-16 units: indexing a long one (a pasted log) must not slow down the
 * append.
 */
const MAX_TEXT_CHARS = 256 * 1024

/** The searchable text of an event: what the user wrote and what the model answered; empty for all others. */
export function searchText(event: EventBody): string {
  if (
    event.type !== 'turn.started' &&
    event.type !== 'step.finished' &&
    !(event.type === 'turn.steered' && event.by === 'user')
  )
    return ''
  if (event.type === 'turn.started' && event.news) return ''
  let text = ''
  for (const part of event.parts) if (part.type === 'text') text += text === '' ? part.text : `\n${part.text}`
  return text.slice(0, MAX_TEXT_CHARS)
}

/** The search index. It is filled inside the transaction of the append, so it always matches the log. */
export interface TextIndex {
  add(eventId: number | bigint, body: EventBody): void
  /** `isLeftOut`: whether a restore removed the event from its conversation; such hits are skipped. */
  search(
    query: string,
    limit: number,
    isLeftOut: (sessionId: string, seq: number) => boolean,
    sessionId?: string | null,
  ): SearchHit[]
}

interface HitRow {
  id: number
  sessionId: string
  title: string
  folder: string
  seq: number
  at: number
  body: string
}

export function createTextIndex(db: Database): TextIndex {
  const insert = insertion(db)
  // Newest first needs no ranking of all matches: reading stops at the limit.
  const find = db.prepare<[{ match: string; before: number; limit: number; sessionId: string | null }], HitRow>(`
    SELECT e.id, s.id AS sessionId, s.title, s.folder, e.seq, e.at, e.body
    FROM search JOIN event e ON e.id = search.rowid JOIN session s ON s.id = e.session_id AND s.removed = 0
    WHERE search MATCH @match AND search.rowid < @before AND (@sessionId IS NULL OR e.session_id = @sessionId)
    ORDER BY search.rowid DESC LIMIT @limit`)
  return {
    add(eventId, body) {
      const text = searchText(body)
      if (text !== '') insert.run(eventId, indexable(text))
    },
    search(query, limit, isLeftOut, sessionId = null) {
      const phrases = parseQuery(query)
      if (phrases.length === 0) return []
      const rows: HitRow[] = []
      for (let before = Number.MAX_SAFE_INTEGER; rows.length < limit;) {
        const next = find.all({ match: matchExpression(phrases), before, limit, sessionId })
        rows.push(...next.filter((hit) => !isLeftOut(hit.sessionId, hit.seq)))
        if (next.length < limit) break
        before = next.at(-1)!.id
      }
      return rows.slice(0, limit).map(({ body, id: _id, ...hit }) => {
        const event: EventBody = JSON.parse(body)
        return { ...hit, snippet: snippetOf(searchText(event), phrases) }
      })
    },
  }
}

/** Fills an empty index from the log, for the migration that adds the index. */
export function indexEvents(db: Database): void {
  const insert = insertion(db)
  const next = db.prepare<[number], { id: number; body: string }>(
    "SELECT id, body FROM event WHERE id > ? AND type IN ('turn.started', 'turn.steered', 'step.finished') ORDER BY id LIMIT 200",
  )
  let last = 0
  for (;;) {
    const rows = next.all(last)
    for (const { id, body } of rows) {
      const text = searchText(JSON.parse(body))
      if (text !== '') insert.run(id, indexable(text))
      last = id
    }
    if (rows.length === 0) return
  }
}

function insertion(db: Database) {
  return db.prepare<[number | bigint, string]>('INSERT INTO search (rowid, text) VALUES (?, ?)')
}
