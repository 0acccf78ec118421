import type { Engine } from '../../src/main/engine/engine-api'
import type { EngineChange } from '../../src/main/engine/foundation/engine-options'
import { withMarks, type SessionMarks } from '../../src/shared/model/session/session'

/** Marks of sessions in memory. */
export function memoryMarks(changed: (change: EngineChange) => void): Engine['marks'] {
  let marks: SessionMarks = { since: 0, seen: [], pinned: [] }
  return {
    view: () => marks,
    change(change) {
      marks = withMarks(marks, change)
      changed({ kind: 'marks' })
    },
  }
}
