import { expect, test } from 'vitest'
import { rangesOf } from './d-mail'

test.each([
  [[], ''],
  [[3], '3'],
  [[1, 2], '1 to 2'],
  [[1, 3, 4, 5, 7], '1, 3 to 5, 7'],
])('the numbers %j are formatted as %j', (numbers, text) => expect(rangesOf(numbers)).toBe(text))
