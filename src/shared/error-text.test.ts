import { expect, test } from 'vitest'
import { sentence } from './error-text'

test.each([
  ['bad key (HTTP 401)', 'bad key (HTTP 401).'],
  ['It answered "no"', 'It answered "no".'],
  ['The disk is full.', 'The disk is full.'],
  ['Really?', 'Really?'],
  ['It said "No."', 'It said "No."'],
])('ends a text without punctuation with a period: %j', (text, expected) => {
  expect(sentence(text)).toBe(expected)
})
