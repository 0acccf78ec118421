import { describe, expect, it } from 'vitest'
import { distanceFromEnd, followsEnd } from './scroll-owner'

const at = (top: number, height = 2000, viewport = 800) => ({ top, height, viewport })
const END = at(1200)

describe('following the end of a conversation', () => {
  it('continues when rows grow, shrink or are measured, whatever the last input was', () => {
    expect(followsEnd(true, END, at(1200, 2300), false)).toBe(true)
    expect(followsEnd(true, END, at(1200, 2300), true)).toBe(true)
    expect(followsEnd(true, END, at(1000, 1800), true)).toBe(true)
    expect(followsEnd(true, END, at(700, 2300), false)).toBe(true)
  })

  it('continues when the window or the dock below changes its height', () => {
    expect(followsEnd(true, END, at(1200, 2000, 500), true)).toBe(true)
    expect(followsEnd(true, END, at(1000, 2000, 1000), true)).toBe(true)
  })

  it('stops when the user scrolls up, including find in page, which sends no input', () => {
    expect(followsEnd(true, END, at(1190), true)).toBe(false)
    expect(followsEnd(true, END, at(900), false)).toBe(false)
    expect(followsEnd(true, END, at(1100, 2300), true)).toBe(false)
  })

  it('stays stopped while a slow wheel scrolls up pixel by pixel near the end', () => {
    expect(followsEnd(false, END, at(1196), true)).toBe(false)
    expect(followsEnd(false, at(1196), at(1192), true)).toBe(false)
    expect(followsEnd(false, END, END, true)).toBe(false)
  })

  it('resumes when the user returns to the end, or collapses a row expanded there', () => {
    expect(followsEnd(false, at(900), at(1180), true)).toBe(true)
    expect(followsEnd(false, at(900), at(1100), true)).toBe(false)
    expect(followsEnd(false, at(1200, 2500), END, true)).toBe(true)
    expect(followsEnd(false, at(1200, 2500), at(1200, 2100), true)).toBe(false)
  })

  it('measures the distance from the end, which is never negative', () => {
    expect(distanceFromEnd(at(1000))).toBe(200)
    expect(distanceFromEnd(at(1300))).toBe(0)
  })
})
