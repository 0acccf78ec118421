import { expect, it } from 'vitest'
import { plural } from './plural'

it('is singular for exactly one', () => {
  expect([0, 1, 2, 1.5].map((count) => plural(count, 'more line'))).toEqual([
    'more lines',
    'more line',
    'more lines',
    'more lines',
  ])
  expect([1, 2].map((count) => plural(count, 'entry', 'entries'))).toEqual(['entry', 'entries'])
})
