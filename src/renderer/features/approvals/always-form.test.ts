import { expect, it } from 'vitest'
import { comparePast } from './always-form'

it('lists changed decisions first, and a repeated command once', () => {
  const test = { command: 'npm test', before: 'ask', after: 'allow' } as const
  const push = { command: 'git push', before: 'ask', after: 'ask' } as const
  const { changed, alike, summary } = comparePast([push, test, test, { ...test, before: 'allow' }])
  expect(changed).toEqual([test])
  expect(alike).toEqual([push, { ...test, before: 'allow' }])
  expect(summary).toBe('Would have changed 1 of 3 earlier decisions.')
})

it('claims no comparison without earlier commands', () => {
  expect(comparePast([]).summary).toMatch(/No earlier commands/)
})
