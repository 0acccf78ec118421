import { expect, test } from 'vitest'
import { engineTitle, idleText, workText } from './engine-part'

test('the state of the engine is one plain sentence', () => {
  expect(engineTitle({ holder: 'engine' })).toBe('Runs in the background')
  expect(engineTitle({ holder: 'engine', whenIdle: 'restart' })).toBe('Restarts when nothing is running')
  expect(engineTitle({ holder: 'desktop' })).toContain('desktop app')
})

test('shows clients and work as sentences', () => {
  expect(workText({ clients: 1, running: 0, tasks: 0 })).toBe('1 client connected. Nothing is running.')
  expect(workText({ clients: 2, running: 1, tasks: 0 })).toBe('2 clients connected. 1 session is running.')
  expect(workText({ clients: 2, running: 2, tasks: 1 })).toBe(
    '2 clients connected. 2 sessions and 1 background task are running.',
  )
})

test('idle times are shown in minutes or hours, or as never stopping', () => {
  expect([0, 1, 10, 60, 90, 480, 525_600].map(idleText)).toEqual([
    'Stop immediately',
    'Stop after 1 minute',
    'Stop after 10 minutes',
    'Stop after 1 hour',
    'Stop after 90 minutes',
    'Stop after 8 hours',
    'Keep running',
  ])
})
