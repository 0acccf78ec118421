import { expect, test } from 'vitest'
import { maxConcurrent, parseOpenFileLimit } from './file-descriptors'

test('reads the limit on open files from /proc; an unknown limit counts as none', () => {
  expect(
    parseOpenFileLimit(
      'Limit                     Soft Limit           Hard Limit           Units\n' +
        'Max open files            200                  4096                 files\n',
    ),
  ).toBe(200)
  expect(parseOpenFileLimit('Max open files            unlimited            unlimited            files\n')).toBe(
    Number.POSITIVE_INFINITY,
  )
  expect(parseOpenFileLimit('')).toBe(Number.POSITIVE_INFINITY)
})

test('a low limit on descriptors reduces concurrency, to one at least', () => {
  expect(
    [10, 48, 64, 96, 128, 256, 1024, Number.POSITIVE_INFINITY].map((limit) => maxConcurrent(14, 64, limit)),
  ).toEqual([1, 1, 1, 3, 5, 14, 64, 64])
})
