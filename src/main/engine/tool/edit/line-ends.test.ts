import { expect, it } from 'vitest'
import { withEndsOf } from './line-ends'

it('keeps the line endings of the original in an edited text', () => {
  expect(withEndsOf('a\nnew\nb\n', 'a\nb\n')).toBe('a\nnew\nb\n')
  expect(withEndsOf('a\nnew\nb\n', 'a\r\nb\r\n')).toBe('a\r\nnew\r\nb\r\n')
  expect(withEndsOf('a', 'a\r\nb')).toBe('a')
})

it('keeps the endings of unchanged lines in a mixed text, and gives new lines the usual one', () => {
  expect(withEndsOf('a\nb\nnew\nc\nd\n', 'a\r\nb\nc\r\nd\r\n')).toBe('a\r\nb\nnew\r\nc\r\nd\r\n')
  expect(withEndsOf('a\nb\n', 'a\r\nb\n')).toBe('a\r\nb\n')
})
