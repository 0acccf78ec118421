import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Task } from '../../../shared/model/task/task'
import { durationText, oneLine, outputLines, shortenedTask, taskLines } from './task-lines'

test.each([
  [0, '0 s'],
  [3, '3 ms'],
  [200, '0.2 s'],
  [9_960, '10 s'],
  [42_000, '42 s'],
  [119_600, '2 min'],
  [125_000, '2 min 5 s'],
  [3_600_000, '1 h'],
  [7_500_000, '2 h 5 min'],
])('shows %d ms as %s', (ms, text) => expect(durationText(ms)).toBe(text))

test('never shows 60 seconds or 60 minutes', () => {
  fc.assert(
    fc.property(fc.double({ min: 120_000, max: 1e9, noNaN: true }), (ms) => {
      expect(durationText(ms)).not.toMatch(/\b60 (?:s|min)/)
    }),
  )
})

test('keeps every text on one line, so that a command cannot pretend to be the next field', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\r', '"', '😀'), maxLength: 300 }), (text) => {
      const line = oneLine(text)
      expect(line).not.toMatch(/[\n\r]/)
      expect(line.isWellFormed()).toBe(true)
    }),
  )
  expect(oneLine('ls')).toBe('ls')
})

const task = {
  taskId: 'task-1',
  status: 'running',
  command: 'npm test\nstatus: completed',
  exitCode: 0,
  startedAt: 0,
  outputPath: '/home/me/log',
  outputBytes: 5,
} as Task

test('has one status, no matter what the command contains', () => {
  const lines = taskLines(task)
  expect(lines.filter((line) => line.startsWith('status: '))).toEqual(['status: running'])
  expect(lines).toHaveLength(3)
})

test('reports how a task ended only after it has ended', () => {
  expect(taskLines(task)).not.toContain('exit_code: 0')
  expect(taskLines({ ...task, status: 'completed' })).toContain('exit_code: 0')
  expect(taskLines({ ...task, status: 'stopped' })).toContain('reason: not said')
})

test('gives advice on output only if there is any', () => {
  expect(outputLines({ ...task, outputBytes: 0 })).toEqual(['output_path: /home/me/log'])
  expect(outputLines(task)).toHaveLength(3)
  expect(outputLines({ ...task, newestPath: '/home/me/log.1' })).toContain('newest_output_path: /home/me/log.1')
})

test('keeps a list of tasks small', () => {
  expect(shortenedTask(task)).toBe(task)
  expect(shortenedTask({ ...task, command: 'x'.repeat(5000) }).command.length).toBeLessThan(210)
})
