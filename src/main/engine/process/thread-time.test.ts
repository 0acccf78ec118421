import { afterEach, expect, test, vi } from 'vitest'
import { threadTime } from './thread-time'

afterEach(() => vi.unstubAllGlobals())

test.each([true, false])(
  'returns processor time that only grows, even where Node has none per thread (%s)',
  (isOld) => {
    if (isOld) vi.stubGlobal('process', { cpuUsage: process.cpuUsage.bind(process) })
    const before = threadTime()
    expect(before).toBeGreaterThan(0)
    while (threadTime() === before);
    expect(threadTime()).toBeGreaterThan(before)
  },
)
