import { expect, test } from 'vitest'
import { ProcessStartTimes } from './process-identity'

test('knows the correct start time of a process once the list has been read', async () => {
  const starts = new ProcessStartTimes()
  expect(starts.startOf(process.pid)).toBeUndefined()
  await starts.read()
  const started = starts.startOf(process.pid)
  expect(Math.abs((started ?? 0) - performance.timeOrigin / 1000)).toBeLessThan(60)
})

test('startOf never waits: it returns the old value while a single read refreshes the list', async () => {
  let now = 0
  const answers: ((known: Map<number, number>) => void)[] = []
  const starts = new ProcessStartTimes(
    () => new Promise((resolve) => answers.push(resolve)),
    () => now,
  )
  const first = starts.read()
  answers[0]?.(new Map([[7, 100]]))
  await first
  now = 1000
  expect(starts.startOf(7)).toBe(100)
  expect(answers).toHaveLength(1)
  now = 10_000
  expect([starts.startOf(7), starts.startOf(7)]).toEqual([100, 100])
  expect(answers).toHaveLength(2)
  const second = starts.read()
  answers[1]?.(new Map())
  await second
  expect(starts.startOf(7)).toBeUndefined()
})

test('every start time is unknown when the list cannot be read', async () => {
  const starts = new ProcessStartTimes(() => Promise.reject(new Error('no ps')))
  await starts.read()
  expect(starts.startOf(1)).toBeUndefined()
})
