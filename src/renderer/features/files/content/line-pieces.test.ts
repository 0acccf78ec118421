import { expect, it } from 'vitest'
import { linePieces, matchRanges } from './line-pieces'

it('marks matches across colors, and the current one', () => {
  const tokens = [
    { text: 'const ', kind: 'keyword' },
    { text: 'name', kind: 'constant' },
  ]
  const [first, second] = [
    { line: 1, at: 4, bytes: 4 },
    { line: 1, at: 9, bytes: 1 },
  ]
  const ranges = matchRanges('const name', [first, second], second)
  expect(linePieces('const name', tokens, ranges)).toEqual([
    { text: 'cons', kind: 'keyword' },
    { text: 't ', kind: 'keyword', match: 'match' },
    { text: 'na', kind: 'constant', match: 'match' },
    { text: 'm', kind: 'constant' },
    { text: 'e', kind: 'constant', match: 'current' },
  ])
})

it('counts in characters when a line is not ASCII', () => {
  // ü has two bytes, 👋 has four and counts as two characters.
  const match = { line: 1, at: 7, bytes: 3 }
  const line = 'ü👋 foo'
  const [range] = matchRanges(line, [match], undefined)
  expect(line.slice(range?.from, range?.to)).toBe('foo')
})
