import type { ReviewFile } from '../../../shared/model/session/review'
import type { ShownDiff } from './diff/review-rows'

/** The totals of a review, for lines that are loaded and shown. */
export interface ReviewTotals {
  added: number
  removed: number
  /** Files whose lines are not counted, because they may contain secrets. */
  hidden: number
  /** Files whose lines are counted. */
  counted: number
}

/** Adds up the lines of the listed files. */
export function reviewTotals(files: readonly ReviewFile[], diffs: ReadonlyMap<string, ShownDiff>): ReviewTotals {
  const totals = { added: 0, removed: 0, hidden: 0, counted: 0 }
  for (const { path } of files) {
    const diff = diffs.get(path)
    if (!diff) continue
    if (diff.secret !== undefined && diff.hunks.length === 0) totals.hidden += 1
    else totals.counted += 1
    totals.added += diff.added
    totals.removed += diff.removed
  }
  return totals
}
