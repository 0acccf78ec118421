import type { FileChange, FileState } from '../../../shared/model/checkpoint'
import { sameState } from './file-state'

/** What became of one path over several changes. */
export interface PathHistory {
  path: string
  /** Before the first of them. */
  before: FileState
  /** After the last of them: what should be there now. */
  after: FileState
  /** Somebody else changed it in between: these are contents (hashes) of theirs. Absent: nobody did. */
  foreign?: readonly string[]
}

/** Sums up changes, oldest first, by path. */
export function pathHistories(changes: Iterable<FileChange>): Map<string, PathHistory> {
  const histories = new Map<string, PathHistory>()
  for (const { path, before, after } of changes) {
    const known = histories.get(path)
    if (!known) histories.set(path, { path, before, after })
    else if (sameState(known.after, before)) histories.set(path, { ...known, after })
    else histories.set(path, { ...known, after, foreign: [...(known.foreign ?? []), ...(before.kind === 'file' ? [before.hash] : [])] })
  }
  return histories
}
