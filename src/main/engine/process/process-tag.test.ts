import { expect, test } from 'vitest'
import { parseTag, parseListedTag } from './process-tag'

const environment = (...entries: string[]): Buffer => Buffer.from(entries.map((entry) => `${entry}\0`).join(''))
const supervisor = '0123456789abcdef:42:777'

test('finds the tag anywhere in the environment', () => {
  const expected = { taskId: 'bash-1', supervisor: { home: '0123456789abcdef', pid: 42, started: '777' } }
  expect(parseTag(environment('TRESTLE_TASK=bash-1', 'A=b', `TRESTLE_CUSTODY=${supervisor}`))).toEqual(expected)
  expect(parseTag(environment('A=b', `TRESTLE_CUSTODY=${supervisor}`, 'TRESTLE_TASK=bash-1'))).toEqual(expected)
  expect(parseListedTag(`A=b TRESTLE_CUSTODY=${supervisor} TRESTLE_TASK=bash-1`)).toEqual(expected)
})

test('a value that only contains the variable name is not a tag', () => {
  expect(parseTag(environment('LINE=TRESTLE_TASK=bash-1', 'MY_TRESTLE_TASK=bash-2'))).toBeUndefined()
  expect(parseTag(environment('LINE=TRESTLE_TASK=bash-1', 'TRESTLE_TASK=bash-3'))).toEqual({ taskId: 'bash-3' })
  expect(parseTag(environment('TRESTLE_TASK='))).toBeUndefined()
  expect(parseTag(Buffer.alloc(0))).toBeUndefined()
})

test('ignores a malformed supervisor tag, so that its process never counts as an orphan', () => {
  expect(parseTag(environment('TRESTLE_TASK=bash-1', 'TRESTLE_CUSTODY=nonsense'))).toEqual({ taskId: 'bash-1' })
})
