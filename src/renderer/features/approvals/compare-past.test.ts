import { expect, it } from 'vitest'
import { comparePast } from './compare-past'

it('puts what the rule changes before what it leaves, and counts a repeated command once (a list of 40 equal lines says nothing)', () => {
  const test = { command: 'npm test', before: 'ask', after: 'allow' } as const
  const push = { command: 'git push', before: 'ask', after: 'ask' } as const
  const { changed, alike, summary } = comparePast([push, test, test, { ...test, before: 'allow' }])
  expect(changed).toEqual([test])
  expect(alike).toEqual([push, { ...test, before: 'allow' }])
  expect(summary).toBe('Of 3 past commands of this session, one would have been judged differently.')
})

it('does not claim a comparison where there is nothing to compare', () => {
  expect(comparePast([]).summary).toMatch(/nothing before/)
})
