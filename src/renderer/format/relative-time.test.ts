import { describe, expect, it } from 'vitest'
import { duration, relativeTime } from './relative-time'

const NOW = new Date(2026, 10, 20, 12).getTime()
const MIN = 60_000
const HOUR = 60 * MIN

describe('shortAgo', () => {
  it.each([
    [0, 'now'],
    [-5000, 'now'],
    [5 * MIN, '5 min'],
    [2 * HOUR, '2 h'],
  ])('would catch an age of %d ms being told wrongly', (age, text) => {
    expect(relativeTime(NOW - age, NOW)).toBe(text)
  })

  it('would catch last week being told as a weekday of this week', () => {
    expect(relativeTime(NOW - 7 * 24 * HOUR, NOW)).toMatch(/13/)
  })

  it('would catch a date of another year without its year', () => {
    expect(relativeTime(new Date(2024, 0, 3).getTime(), NOW)).toMatch(/2024/)
  })
})

it.each([
  [412, '412 ms'],
  [1400, '1.4 s'],
  [61_000, '1 min 1 s'],
])('would catch %d ms being told wrongly', (ms, text) => {
  expect(duration(ms)).toBe(text)
})
