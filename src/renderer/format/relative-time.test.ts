import { afterEach, describe, expect, it } from 'vitest'
import { setSpoken } from '../../shared/language/speak'
import { duration, relativeTime } from './relative-time'

const NOW = new Date(2026, 10, 20, 12).getTime()
const MIN = 60_000
const HOUR = 60 * MIN

describe('relativeTime', () => {
  it.each([
    [0, 'now'],
    [-5000, 'now'],
    [5 * MIN, '5 min'],
    [2 * HOUR, '2 h'],
  ])('formats an age of %d ms', (age, text) => {
    expect(relativeTime(NOW - age, NOW)).toBe(text)
  })

  it('shows a date, not a weekday, from a week ago on', () => {
    expect(relativeTime(NOW - 7 * 24 * HOUR, NOW)).toMatch(/13/)
  })

  afterEach(() => void setSpoken({ language: 'en', formats: 'system' }))

  it('follows the chosen format', () => {
    setSpoken({ language: 'en', formats: 'de-DE' })
    expect(relativeTime(new Date(2024, 0, 3).getTime(), NOW)).toBe('3. Jan. 2024')
  })

  it('includes the year of a date in another year', () => {
    expect(relativeTime(new Date(2024, 0, 3).getTime(), NOW)).toMatch(/2024/)
  })
})

it.each([
  [412, '412 ms'],
  [1400, '1.4 s'],
  [61_000, '1 min 1 s'],
])('formats a duration of %d ms', (ms, text) => {
  expect(duration(ms)).toBe(text)
})
