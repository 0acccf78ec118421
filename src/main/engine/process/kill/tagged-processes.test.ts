import { expect, test } from 'vitest'
import { TaggedProcesses } from './tagged-processes'
import type { ProcessEntry } from '../proc-files'

/** Added to pids in these process lists, so that they match no real process. */
const PID_BASE = 90_000_000
const entry = (pid: number, more: Partial<ProcessEntry>): ProcessEntry => ({
  pid: PID_BASE + pid,
  parent: 1,
  group: PID_BASE + pid,
  session: PID_BASE + pid,
  foreground: -1,
  started: pid,
  program: 0,
  state: 'S',
  cpuMs: 0,
  memoryBytes: 0,
  name: 'x',
  environment: '',
  ...more,
})
const found = (...entries: ProcessEntry[]): number[] => {
  const byTask = new TaggedProcesses().find(new Map(entries.map((each) => [each.pid, each])))
  return (byTask.get('bash-1') ?? []).map(({ entry: { pid } }) => pid - PID_BASE)
}
const marked = { environment: 'A=b TRESTLE_TASK=bash-1' }

test('finds a process that cleared its environment by its session leader, group or parent', () => {
  expect(found(entry(1, marked), entry(2, { session: PID_BASE + 1 }))).toEqual([1, 2])
  expect(found(entry(1, marked), entry(2, { group: PID_BASE + 1 }))).toEqual([1, 2])
  expect(found(entry(1, marked), entry(2, { parent: PID_BASE + 1 }))).toEqual([1, 2])
})

test('in a session without a leader, processes younger than the first tagged one belong to the task', () => {
  const session = PID_BASE + 9
  expect(found(entry(1, { ...marked, session }), entry(2, { session }))).toEqual([1, 2])
})

test('does not kill an interactive shell when a tagged program is started in its session', () => {
  const place = { session: PID_BASE + 9, group: PID_BASE + 8 }
  expect(
    found(entry(1, place), entry(2, { ...marked, ...place }), entry(3, { ...place, parent: PID_BASE + 1 })),
  ).toEqual([2])
})
