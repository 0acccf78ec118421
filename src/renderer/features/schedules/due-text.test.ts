import { describe, expect, it } from 'vitest'
import { addDays, dayText, dueText, startOfDay } from './due-text'

const at = (year: number, month: number, day: number, hour = 12, minute = 0): number =>
  new Date(year, month - 1, day, hour, minute).getTime()

describe('the day of a run', () => {
  const now = at(2026, 3, 27, 23, 59)

  it('changes at midnight, not after 24 hours', () => {
    expect(dayText(new Date(at(2026, 3, 27, 0, 0)), now)).toBe('Today')
    expect(dayText(new Date(at(2026, 3, 28, 0, 0)), now)).toBe('Tomorrow')
    expect(dayText(new Date(at(2026, 3, 26, 23, 59)), now)).toBe('Yesterday')
  })

  it('is correct on and around the days when the clocks change', () => {
    // In most of Europe and America one of these days has 23 or 25 hours.
    for (const [month, day] of [
      [3, 8],
      [3, 29],
      [10, 25],
      [11, 1],
    ] as const) {
      for (const hour of [0, 1, 3, 23]) {
        const today = at(2026, month, day, hour)
        expect(dayText(new Date(at(2026, month, day + 1, 0, 0)), today)).toBe('Tomorrow')
        expect(dayText(new Date(at(2026, month, day - 1, 23, 59)), today)).toBe('Yesterday')
        expect(dayText(new Date(at(2026, month, day, 23, 59)), today)).toBe('Today')
      }
    }
  })

  it('is a weekday within a week, then a date, with the year if it differs', () => {
    expect(dayText(new Date(at(2026, 4, 2)), now)).toBe(
      new Date(at(2026, 4, 2)).toLocaleDateString(undefined, { weekday: 'short' }),
    )
    expect(dayText(new Date(at(2026, 4, 3)), now)).toMatch(/3/)
    expect(dayText(new Date(at(2026, 4, 3)), now)).not.toMatch(/2026/)
    expect(dayText(new Date(at(2027, 1, 1)), now)).toMatch(/2027/)
  })

  it('comes before the time', () => {
    expect(dueText(at(2026, 3, 28, 14, 5), now)).toMatch(/^Tomorrow 0?(?:14|2)[:.]05/)
  })
})

describe('days', () => {
  it('start at midnight, also when the clocks change', () => {
    for (const start of [at(2026, 3, 1, 0), at(2026, 10, 1, 0)])
      for (let days = 0; days < 45; days += 1) {
        const day = addDays(start, days)
        expect(startOfDay(day)).toBe(day)
        expect(new Date(day).getHours()).toBe(0)
        expect(addDays(day, -days)).toBe(start)
      }
  })
})
