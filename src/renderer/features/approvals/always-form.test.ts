import { expect, it } from 'vitest'
import { comparePast } from './always-form'

it('puts what the rule changes before what it leaves, and counts a repeated command once (a list of 40 equal lines says nothing)', () => {
  const test = { command: 'npm test', before: 'ask', after: 'allow' } as const
  const push = { command: 'git push', before: 'ask', after: 'ask' } as const
  const { changed, alike, summary } = comparePast([push, test, test, { ...test, before: 'allow' }])
  expect(changed).toEqual([test])
  expect(alike).toEqual([push, { ...test, before: 'allow' }])
  expect(summary).toBe('Would have changed 1 of 3 earlier decisions.')
})

it('does not claim a comparison where there is nothing to compare', () => {
  expect(comparePast([]).summary).toMatch(/No earlier commands/)
})
