import { recordsOf, type PageRecord, type Value } from './page-records'
import { openPages } from './store-pages'
import { REMOVED } from '../session-writer'

export interface EventRow {
  id: number
  sessionId: string
  seq: number
  at: number
  type: string
  body: string
  /** Null in events recorded before hashes existed. */
  hash: string | null
}

/** A row of the session table. */
export interface SessionRow {
  sessionId: string
  seq: number
  createdAt: number
  updatedAt: number
  folder: string
  title: string
  model: string | null
  removed: boolean
}

/** The rows that a file still contains, recognized by their shape, because the table definitions may be lost. */
export interface StoreRows {
  /** Visits everything recorded about sessions and about events that should exist. */
  known(visit: RowVisitor): void
  events(): Generator<EventRow>
  close(): void
}

export interface RowVisitor {
  session(row: SessionRow): void
  header(sessionId: string, fold: number, json: string): void
  /** An index lists this event. */
  listed(sessionId: string, seq: number): void
  /** The session was removed by the user. */
  removed(sessionId: string): void
}
/** Rows from before the hash chain have one column less. */
const EVENT_COLUMNS = [6, 7]
const SESSION_COLUMNS = [12, 13]

/**
 * Opens a store file, intact or damaged, with its log. Expects the columns in `migrations.ts`, which every version has,
 * except for the hashes.
 */
export function openStoreRows(file: string): StoreRows {
  const pages = openPages(file)
  function* records(wanted: (kind: PageRecord['kind'], columns: number) => boolean): Generator<PageRecord> {
    for (let n = 2; n <= pages.count; n += 1) if (!pages.free.has(n)) yield* recordsOf(pages, n, wanted)
  }
  return {
    known(visit) {
      for (const { kind, values } of records((kind, columns) =>
        kind === 'row' ? columns === 3 : [2, 3, ...SESSION_COLUMNS].includes(columns),
      ))
        if (kind === 'row') visitHeader(values, visit)
        else visitEntry(values, visit)
    },
    *events() {
      for (const { rowid, values } of records((kind, columns) => kind === 'row' && EVENT_COLUMNS.includes(columns))) {
        const event = eventOf(rowid, values)
        if (event) yield event
      }
    },
    close: pages.close,
  }
}

function eventOf(id: number, [key, sessionId, seq, at, type, body, hash]: Value[]): EventRow | undefined {
  if (key !== null || !isText(sessionId) || !isCount(seq) || typeof at !== 'number' || !isText(type) || !isText(body))
    return undefined
  const parsed = objectOf(body)
  return parsed?.['type'] === type
    ? { id, sessionId, seq, at, type, body, hash: isText(hash) ? hash : null }
    : undefined
}

function visitHeader([sessionId, fold, header]: Value[], visit: RowVisitor): void {
  if (isText(sessionId) && typeof fold === 'number' && isText(header) && objectOf(header))
    visit.header(sessionId, fold, header)
}

function visitEntry(values: Value[], visit: RowVisitor): void {
  const [first, second, third] = values
  if (!isText(first)) return
  if (values.length === 2) {
    if (first.startsWith(REMOVED) && isText(second)) visit.removed(first.slice(REMOVED.length))
  } else if (values.length === 3) {
    if (isCount(second) && isCount(third)) visit.listed(first, second)
  } else visitSession(values, visit)
}

function visitSession(values: Value[], visit: RowVisitor): void {
  const [sessionId, seq, createdAt, updatedAt, folder, title, model, status, waiting, archived, , removed] = values
  if (!isText(sessionId) || !isCount(seq) || typeof createdAt !== 'number' || typeof updatedAt !== 'number') return
  if (typeof folder !== 'string' || typeof title !== 'string' || typeof status !== 'string') return
  if (typeof waiting !== 'number' || typeof archived !== 'number' || typeof removed !== 'number') return
  visit.session({
    sessionId,
    seq,
    createdAt,
    updatedAt,
    folder,
    title,
    model: typeof model === 'string' ? model : null,
    removed: removed !== 0,
  })
}

function isText(value: Value): value is string {
  return typeof value === 'string' && value !== ''
}

function isCount(value: Value): value is number {
  return typeof value === 'number' && value >= 1
}

function objectOf(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
