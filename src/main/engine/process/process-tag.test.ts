import { expect, test } from 'vitest'
import { parseTag, parseListedTag } from './process-tag'

const environment = (...entries: string[]): Buffer => Buffer.from(entries.map((entry) => `${entry}\0`).join(''))
const custody = '0123456789abcdef:42:777'

test('the mark is found wherever it stands', () => {
  const expected = { taskId: 'bash-1', supervisor: { home: '0123456789abcdef', pid: 42, started: '777' } }
  expect(parseTag(environment('TRESTLE_TASK=bash-1', 'A=b', `TRESTLE_CUSTODY=${custody}`))).toEqual(expected)
  expect(parseTag(environment('A=b', `TRESTLE_CUSTODY=${custody}`, 'TRESTLE_TASK=bash-1'))).toEqual(expected)
  expect(parseListedTag(`A=b TRESTLE_CUSTODY=${custody} TRESTLE_TASK=bash-1`)).toEqual(expected)
})

test('a value that only contains it is not a mark', () => {
  expect(parseTag(environment('LINE=TRESTLE_TASK=bash-1', 'MY_TRESTLE_TASK=bash-2'))).toBeUndefined()
  expect(parseTag(environment('LINE=TRESTLE_TASK=bash-1', 'TRESTLE_TASK=bash-3'))).toEqual({ taskId: 'bash-3' })
  expect(parseTag(environment('TRESTLE_TASK='))).toBeUndefined()
  expect(parseTag(Buffer.alloc(0))).toBeUndefined()
})

test('a mark of custody that cannot be read counts as none, so that its process is never taken for an orphan', () => {
  expect(parseTag(environment('TRESTLE_TASK=bash-1', 'TRESTLE_CUSTODY=nonsense'))).toEqual({ taskId: 'bash-1' })
})
