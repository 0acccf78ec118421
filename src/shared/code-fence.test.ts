import { expect, it } from 'vitest'
import { fenceFor } from './code-fence'

it('is longer than any run of backticks in the text, and at least three', () => {
  expect(fenceFor('')).toBe('```')
  expect(fenceFor('`a` and ``b``')).toBe('```')
  expect(fenceFor('+```ts\n+`````')).toBe('``````')
})

it('stays fast and correct for text with many backticks', () => {
  expect(fenceFor('` '.repeat(300_000))).toBe('```')
})
