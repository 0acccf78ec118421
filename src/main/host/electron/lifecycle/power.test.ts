import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { memoryEngine } from '../../../../../test/support/memory-engine'
import { watchPower } from './power'
import { ActivityMonitor } from './session-activity'

test('reports how long the computer slept, so that connections in use are dropped only after a long sleep', () => {
  const powerMonitor = new EventEmitter()
  let now = 1000
  const slept: number[] = []
  const electron = { powerMonitor, powerSaveBlocker: { start: () => 1, stop: () => true } } as unknown as Parameters<
    typeof watchPower
  >[0]['electron']
  const power = watchPower({
    electron,
    work: new ActivityMonitor(memoryEngine()),
    isWanted: () => true,
    onResume: (ms) => slept.push(ms),
    now: () => now,
  })
  powerMonitor.emit('suspend')
  now += 90_000
  powerMonitor.emit('resume')
  // Some systems report only the end.
  powerMonitor.emit('resume')
  expect(slept).toEqual([90_000, 0])
  power.close()
  expect(powerMonitor.listenerCount('resume') + powerMonitor.listenerCount('suspend')).toBe(0)
})
