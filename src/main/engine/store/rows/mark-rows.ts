import {
  parseMarks,
  withMarks,
  type SessionMarks,
  type SessionMarksChange,
} from '../../../../shared/model/session/session'
import type { Database } from '../database/database'

/** Which sessions the user has read and pinned. */
export interface MarkRows {
  view(): SessionMarks
  /** Returns false when it changed nothing. */
  change(change: SessionMarksChange): boolean
}

/** What clients can do with the marks. */
export interface MarkActions {
  view(): SessionMarks
  change(change: SessionMarksChange): void
}

/** Name of the entry in `meta`. */
const KEY = 'session_marks'

/** The marks of a home. Sessions that end after the marks were first used count as unread. */
export function createMarkRows(db: Database, now: () => number): MarkRows {
  const read = db.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck()
  const write = db.prepare<[string, string]>(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  )
  const change = db.transaction((wanted: SessionMarksChange): boolean => {
    const before = read.get(KEY)
    const after = JSON.stringify(withMarks(parseMarks(before, now()), wanted))
    if (after === before) return false
    write.run(KEY, after)
    return true
  }).immediate
  return {
    view() {
      if (read.get(KEY) === undefined) change({})
      return parseMarks(read.get(KEY), now())
    },
    change,
  }
}
