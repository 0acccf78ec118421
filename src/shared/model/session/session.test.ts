import { expect, it } from 'vitest'
import { MARK_LIMITS, parseMarks, withMarks } from './session'

const START = 1000

it('a session never becomes less read, and pins are added and removed', () => {
  let marks = parseMarks(undefined, START)
  marks = withMarks(marks, { seen: [['a', START + 5]], pin: ['b', 'c'] })
  marks = withMarks(marks, { seen: [['a', START + 2]], unpin: ['b'] })
  expect(marks).toEqual({ since: START, seen: [['a', START + 5]], pinned: ['c'] })
  expect(parseMarks(JSON.stringify(marks), 0)).toEqual(marks)
})

it('ignores damaged marks', () => {
  for (const damaged of ['', '{', 'null', '{"since":"x"}', '[]'])
    expect(parseMarks(damaged, START)).toEqual({ since: START, seen: [], pinned: [] })
})

it('the marks are bounded: with thousands of sessions the oldest are dropped and still count as read', () => {
  let marks = parseMarks(undefined, START)
  for (let n = 1; n <= 700; n += 1) marks = withMarks(marks, { seen: [[`s${n}`, START + n]] })
  expect(marks.seen.length).toBeLessThanOrEqual(MARK_LIMITS.seen)
  const seen = new Map(marks.seen)
  for (let n = 1; n <= 700; n += 1)
    expect(Math.max(marks.since, seen.get(`s${n}`) ?? 0)).toBeGreaterThanOrEqual(START + n)
})
