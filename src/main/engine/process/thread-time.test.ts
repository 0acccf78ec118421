import { afterEach, expect, test, vi } from 'vitest'
import { threadTime } from './thread-time'

afterEach(() => vi.unstubAllGlobals())

test.each([true, false])('tells processor time that only grows, also where Node has none for threads (%s)', (isOld) => {
  if (isOld) vi.stubGlobal('process', { cpuUsage: process.cpuUsage.bind(process) })
  const before = threadTime()
  expect(before).toBeGreaterThan(0)
  while (threadTime() === before);
  expect(threadTime()).toBeGreaterThan(before)
})
