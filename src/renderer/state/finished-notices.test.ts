import { expect, test } from 'vitest'
import type { SessionSummary } from '../../shared/model/session/session'
import { finishedSessions, finishedText } from './finished-notices'
import { NO_SESSIONS, withChanges } from './session-list/sessions-state'

const summary = (sessionId: string, status: SessionSummary['status'], more: Partial<SessionSummary> = {}) => ({
  sessionId,
  folder: '/p',
  title: sessionId,
  status,
  waiting: 0,
  updatedAt: 1,
  archived: false,
  ...more,
})
const loaded = (...sessions: SessionSummary[]) => ({ ...withChanges(NO_SESSIONS, sessions, []), loaded: true })

test('a session that was working and is now done or failed has finished', () => {
  const before = loaded(summary('a', 'running'), summary('b', 'waiting'), summary('c', 'running'), summary('d', 'done'))
  const now = withChanges(before, [summary('a', 'done'), summary('b', 'failed'), summary('c', 'idle')], [])
  expect(finishedSessions(now, before).map(finishedText)).toEqual(['a has finished', 'b stopped with an error'])
})

test('runs of schedules, sessions of other processes, and the first list are omitted', () => {
  const before = loaded(summary('a', 'running', { scheduleId: 's' }), summary('b', 'running'))
  const now = withChanges(
    before,
    [summary('a', 'done', { scheduleId: 's' }), summary('b', 'done', { elsewhere: 'a terminal' })],
    [],
  )
  expect(finishedSessions(now, before)).toEqual([])
  expect(finishedSessions(now, { ...before, loaded: false })).toEqual([])
})
