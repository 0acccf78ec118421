import { expect, test } from 'vitest'
import { TaggedProcesses } from './tagged-processes'
import type { ProcessEntry } from './proc-files'

/** A process as a list of processes tells of it; numbers no real process has. */
const NOBODY = 90_000_000
const entry = (pid: number, more: Partial<ProcessEntry>): ProcessEntry => ({
  pid: NOBODY + pid,
  parent: 1,
  group: NOBODY + pid,
  session: NOBODY + pid,
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
  return (byTask.get('bash-1') ?? []).map(({ entry: { pid } }) => pid - NOBODY)
}
const marked = { environment: 'A=b TRESTLE_TASK=bash-1' }

test('what cleared its environment is found by the leader of its session, by its group, and by its parent', () => {
  expect(found(entry(1, marked), entry(2, { session: NOBODY + 1 }))).toEqual([1, 2])
  expect(found(entry(1, marked), entry(2, { group: NOBODY + 1 }))).toEqual([1, 2])
  expect(found(entry(1, marked), entry(2, { parent: NOBODY + 1 }))).toEqual([1, 2])
})

test('of a session that has lost its leader, whoever came after the first with the mark belongs to the task', () => {
  const session = NOBODY + 9
  expect(found(entry(1, { ...marked, session }), entry(2, { session }))).toEqual([1, 2])
})

test('a shell somebody works in is not ended because a marked program was started in its session', () => {
  const place = { session: NOBODY + 9, group: NOBODY + 8 }
  expect(found(entry(1, place), entry(2, { ...marked, ...place }), entry(3, { ...place, parent: NOBODY + 1 }))).toEqual(
    [2],
  )
})
