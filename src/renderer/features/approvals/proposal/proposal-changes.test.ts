import fc from 'fast-check'
import { expect, it } from 'vitest'
import { proposalParts, textWith, type ProposedChange } from './proposal-changes'

const changes = async (before: string, after: string): Promise<ProposedChange[]> =>
  (await proposalParts(before, after)).flatMap((part) => ('change' in part ? [part.change] : []))

it('changes are numbered by the lines of the current text', async () => {
  const found = await changes('a\nb\nc\nd\n', 'a\nB\nc\nd\ne\n')
  expect(found).toEqual([
    { line: 2, old: ['b\n'], new: ['B\n'] },
    { line: 5, old: [], new: ['e\n'] },
  ])
})

it('accepting all changes gives the proposal, and accepting no change gives the current text', async () => {
  const text = fc.array(fc.constantFrom('a\n', 'b\n', '\n', 'end'), { maxLength: 20 }).map((lines) => lines.join(''))
  await fc.assert(
    fc.asyncProperty(text, text, async (before, after) => {
      const parts = await proposalParts(before, after)
      const count = parts.filter((part) => 'change' in part).length
      expect(textWith(parts, new Set(Array.from({ length: count }, (_, n) => n)))).toBe(after)
      expect(textWith(parts, new Set())).toBe(before)
    }),
  )
})

it('one change of several can be accepted alone', async () => {
  const parts = await proposalParts('a\nb\nc\n', 'A\nb\nC\n')
  expect(textWith(parts, new Set([1]))).toBe('a\nb\nC\n')
})
