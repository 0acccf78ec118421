import { expect, it } from 'vitest'
import { NO_USAGE, USAGE_SECONDS, withUsage } from './task-usage'

const measured = (at: number, cpu: number) => ({
  at,
  usage: [{ taskId: 'a', cpu, memoryBytes: 1, processes: [], ports: [] }],
})

it('keeps one minute of samples per task, and none of ended tasks', () => {
  let state = NO_USAGE
  for (let second = 1; second <= 100; second += 1) state = withUsage(state, measured(second * 1000, second))
  expect(state.history.get('a')).toHaveLength(USAGE_SECONDS)
  expect(state.history.get('a')?.at(-1)).toBe(100)
  expect(withUsage(state, { at: 101_000, usage: [] }).history.size).toBe(0)
})

it('does not connect the curve across a gap between samples', () => {
  const before = withUsage(NO_USAGE, measured(1000, 90))
  expect(withUsage(before, measured(60_000, 1)).history.get('a')).toEqual([1])
})
