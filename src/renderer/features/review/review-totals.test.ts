import { describe, expect, it } from 'vitest'
import type { ReviewFile } from '../../../shared/model/session/review'
import type { ShownDiff } from './diff/review-rows'
import { reviewTotals } from './review-totals'

const file = (path: string): ReviewFile => ({ path, name: path, status: 'changed', key: 'k' })
const diff = (path: string, added: number, removed: number, secret?: string): ShownDiff => ({
  path,
  key: 'k',
  added,
  removed,
  hunks: [],
  oldLines: 9,
  newLines: 9,
  notes: [],
  ...(secret !== undefined && { secret }),
})

describe('the totals of a review', () => {
  it('count files with hidden lines separately from files without lines', () => {
    const files = ['/a', '/.env', '/picture.png', '/later'].map(file)
    const diffs = new Map(
      [diff('/a', 3, 1), diff('/.env', 0, 0, 'keys'), diff('/picture.png', 0, 0)].map((d) => [d.path, d]),
    )
    expect(reviewTotals(files, diffs)).toEqual({ added: 3, removed: 1, hidden: 1, counted: 2 })
  })

  it('omit files that are no longer listed', () => {
    expect(reviewTotals([], new Map([['/a', diff('/a', 3, 1)]]))).toEqual({
      added: 0,
      removed: 0,
      hidden: 0,
      counted: 0,
    })
  })
})
