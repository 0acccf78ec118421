import { afterEach, describe, expect, it, vi } from 'vitest'
import type { TrestleClient } from '../../../shared/contract'
import {
  type SessionSummary,
  withMarks,
  type SessionMarks,
  type SessionMarksChange,
} from '../../../shared/model/session/session'
import { isUnread, loadMarks, NO_MARKS, readAfter, useSessionMarks, type ShownMarks } from './session-marks'
import { NO_SESSIONS, withListPush, type SessionsState } from './sessions-state'

const START = 1000
const fresh = (): ShownMarks => ({ isLoaded: true, since: START, seen: new Map(), pinned: new Set() })
/** The marks after applying what was read. */
const marksAfter = (marks: ShownMarks, ...changes: [SessionsState, SessionsState, string | undefined]): ShownMarks => ({
  ...marks,
  seen: new Map([...marks.seen, ...readAfter(marks, ...changes)]),
})
const session = (
  sessionId: string,
  status: SessionSummary['status'],
  updatedAt: number,
  title = sessionId,
): SessionSummary => ({
  sessionId,
  folder: '/code',
  title,
  status,
  waiting: 0,
  updatedAt,
  archived: false,
})
const listed = (...sessions: SessionSummary[]) =>
  withListPush(NO_SESSIONS, { changed: sessions, removed: [] }, new Set(sessions.map(({ sessionId }) => sessionId)))

describe('the unread mark', () => {
  it('appears on a session that ended while not on screen, but not on old ones', () => {
    expect(isUnread(fresh(), session('a', 'done', START + 1))).toBe(true)
    expect(isUnread(fresh(), session('a', 'failed', START + 1))).toBe(true)
    expect(isUnread(fresh(), session('a', 'done', START - 1))).toBe(false)
    for (const status of ['running', 'waiting', 'idle'] as const)
      expect(isUnread(fresh(), session('a', status, START + 1))).toBe(false)
  })

  it('waits until the engine has sent the read marks', () => {
    expect(isUnread(NO_MARKS, session('a', 'done', START + 1))).toBe(false)
  })

  it('disappears when the session is shown, returns when it ends again, and never appears on the shown session', () => {
    const first = listed(session('a', 'done', START + 1))
    const shown = marksAfter(fresh(), first, first, 'a')
    expect(isUnread(shown, session('a', 'done', START + 1))).toBe(false)
    const again = listed(session('a', 'done', START + 9))
    expect(
      isUnread(
        marksAfter(shown, listed(session('a', 'running', START + 5)), again, undefined),
        session('a', 'done', START + 9),
      ),
    ).toBe(true)
    expect(
      isUnread(
        marksAfter(shown, listed(session('a', 'running', START + 5)), again, 'a'),
        session('a', 'done', START + 9),
      ),
    ).toBe(false)
  })

  it('does not appear when a read session gets a new title', () => {
    const before = listed(session('a', 'done', START - 5))
    const after = listed(session('a', 'done', START + 5, 'Renamed'))
    expect(isUnread(marksAfter(fresh(), before, after, undefined), session('a', 'done', START + 5))).toBe(false)
  })
})

describe('the marks of the engine', () => {
  afterEach(() => {
    vi.unstubAllGlobals()
    useSessionMarks.setState(NO_MARKS)
  })

  it('import, once, the marks that an earlier version kept in the browser', async () => {
    const stored = new Map([['trestle.sessionMarks', JSON.stringify({ since: 1, seen: [['a', 7]], pinned: ['b'] })]])
    vi.stubGlobal('localStorage', {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
      removeItem: (key: string) => void stored.delete(key),
    })
    let marks: SessionMarks = { since: 5, seen: [], pinned: ['c'] }
    const changes: SessionMarksChange[] = []
    const session = {
      marks: async () => marks,
      mark: async (change: SessionMarksChange) => {
        changes.push(change)
        marks = withMarks(marks, change)
      },
    }
    const client = { session } as unknown as TrestleClient
    await loadMarks(client)
    await loadMarks(client)
    expect(changes).toEqual([{ seen: [['a', 7]], pin: ['b'] }])
    expect(stored.size).toBe(0)
    expect(useSessionMarks.getState()).toEqual({
      isLoaded: true,
      since: 5,
      seen: new Map([['a', 7]]),
      pinned: new Set(['c', 'b']),
    })
  })
})
