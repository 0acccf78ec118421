import type { EngineFoundation } from './engine-foundation'
import { createMarkRows, type MarkActions, type MarkRows } from './store/mark-rows'

/** The marks of an engine, read when they are first looked at. */
export function createEngineMarks({
  database,
  now,
  notify,
}: Pick<EngineFoundation, 'database' | 'now' | 'notify'>): MarkActions {
  let rows: MarkRows | undefined
  const marks = (): MarkRows => (rows ??= createMarkRows(database, now))
  return {
    view: () => marks().view(),
    change(change) {
      if (marks().change(change)) notify({ kind: 'marks' })
    },
  }
}
