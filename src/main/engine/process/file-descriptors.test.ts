import { expect, test } from 'vitest'
import { maxConcurrent, parseOpenFileLimit } from './file-descriptors'

test('the limit of open files is read from what the system says, and unknown means no limit', () => {
  expect(
    parseOpenFileLimit(
      'Limit                     Soft Limit           Hard Limit           Units\nMax open files            200                  4096                 files\n',
    ),
  ).toBe(200)
  expect(parseOpenFileLimit('Max open files            unlimited            unlimited            files\n')).toBe(
    Number.POSITIVE_INFINITY,
  )
  expect(parseOpenFileLimit('')).toBe(Number.POSITIVE_INFINITY)
})

test('fewer descriptors mean less work at once, but never none', () => {
  expect(
    [10, 48, 64, 96, 128, 256, 1024, Number.POSITIVE_INFINITY].map((limit) => maxConcurrent(14, 64, limit)),
  ).toEqual([1, 1, 1, 3, 5, 14, 64, 64])
})
