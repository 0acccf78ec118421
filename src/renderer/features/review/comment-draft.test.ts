import { expect, it } from 'vitest'
import { isSameComment, storedCommentDraft } from './comment-draft'

const draft = { path: '/a.ts', side: 'new' as const, line: 3, endLine: 5, at: 5, text: 'why?' }

it('reads the draft of a new or an edited comment', () => {
  expect(storedCommentDraft(JSON.stringify(draft))).toEqual(draft)
  expect(storedCommentDraft(JSON.stringify({ ...draft, id: 'c1', more: 1 }))).toEqual({ ...draft, id: 'c1' })
})

it('ignores damaged drafts and those of other versions, so that the review opens', () => {
  const damaged = [undefined, '', '{', 'null', '3', '[]', '{}']
  const changed = [
    { side: 'left' },
    { line: 0 },
    { line: '3' },
    { at: null },
    { text: 5 },
    { id: 7 },
    { path: undefined },
  ]
  for (const stored of [...damaged, ...changed.map((one) => JSON.stringify({ ...draft, ...one }))])
    expect(storedCommentDraft(stored)).toBeUndefined()
})

it('distinguishes another comment from more text in the same comment', () => {
  expect(isSameComment({ ...draft, text: 'why? And more' }, draft)).toBe(true)
  for (const other of [{ line: 4 }, { side: 'old' as const }, { path: '/b.ts' }, { id: 'c1' }])
    expect(isSameComment({ ...draft, ...other }, draft)).toBe(false)
  expect(isSameComment(undefined, draft)).toBe(false)
})
