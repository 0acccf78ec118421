import { expect, it } from 'vitest'
import { processBranches } from './processes'
import { isNamed, formatMemory, formatPercent, processCountText, formatRuntime, taskTitle } from './task-text'

it('formats times and sizes', () => {
  expect([0, 8000, 842_000, 11_642_000, 183_600_000].map(formatRuntime)).toEqual([
    '0:00',
    '0:08',
    '14:02',
    '3:14:02',
    '2 d 3 h',
  ])
  expect([0, 84_400_000, 1_240_000_000].map(formatMemory)).toEqual(['1 KB', '84 MB', '1.2 GB'])
  expect([0, 0.4, 2.2, 340].map(formatPercent)).toEqual(['0%', '< 1%', '2%', '340%'])
})

it('uses the singular for one process', () => {
  expect([0, 1, 2].map(processCountText)).toEqual(['0 processes', '1 process', '2 processes'])
})

it('shows each process once, below its parent, even if PIDs form a cycle', () => {
  const process = (pid: number, parentPid: number) => ({ pid, parentPid, command: '', cpu: 0, memoryBytes: 0 })
  const shown = (rows: [number, number][]) =>
    processBranches(rows.map(([pid, parent]) => process(pid, parent))).map((row) => `${row.process.pid}@${row.depth}`)
  expect(
    shown([
      [12, 11],
      [10, 1],
      [11, 10],
      [20, 1],
    ]),
  ).toEqual(['10@0', '11@1', '12@2', '20@0'])
  expect(
    shown([
      [1, 2],
      [2, 1],
    ]),
  ).toEqual(['1@0', '2@1'])
})

it('titles a task with its description and its command; without a description, with the command alone', () => {
  expect(taskTitle({ command: 'npm run dev -- --port 5173', description: ' Dev server ' })).toBe(
    'Dev server: npm run dev -- --port 5173',
  )
  expect(taskTitle({ command: 'ls', description: ' ' })).toBe('ls')
  expect(isNamed({ command: 'explore: x', description: 'x', agent: { type: 'explore', isQueued: false } })).toBe(false)
})
