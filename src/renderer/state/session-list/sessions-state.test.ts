import { describe, expect, it } from 'vitest'
import type { SessionSummary } from '../../../shared/model/session/session'
import {
  archivedOf,
  adjacentSession,
  projectsOf,
  NO_SESSIONS,
  waitingSessions,
  withArchive,
  withChanges,
  withListPush,
  type SessionsState,
} from './sessions-state'

const session = (sessionId: string, updatedAt: number, more: Partial<SessionSummary> = {}): SessionSummary => ({
  sessionId,
  folder: '/code/shop',
  title: sessionId,
  status: 'idle',
  waiting: 0,
  updatedAt,
  archived: false,
  ...more,
})
const withWholeList = (state: SessionsState, list: readonly SessionSummary[]): SessionsState =>
  withListPush(state, { changed: [...list], removed: [] }, new Set(list.map(({ sessionId }) => sessionId)))
const ids = (state: SessionsState): string[] =>
  projectsOf(state).flatMap((project) => project.sessions.map((summary) => summary.sessionId))

describe('the archive', () => {
  it('loses a session that was deleted while disconnected, and no other', () => {
    const archived = (id: string): SessionSummary => session(id, 1, { archived: true })
    const before = [archived('a'), archived('b'), archived('c')]
    const shown = withChanges(withArchive(NO_SESSIONS, before), [session('c', 2), archived('just archived')], [])
    const now = withArchive(shown, [archived('a')], before)
    expect(archivedOf(now).map(({ sessionId }) => sessionId)).toEqual(['a', 'just archived'])
    expect(ids(now)).toEqual(['c'])
  })
})

describe('the initial list of a subscription', () => {
  it('removes a session that was deleted while disconnected', () => {
    const before = withWholeList(NO_SESSIONS, [session('a', 1), session('b', 2)])
    expect(ids(withWholeList(before, [session('b', 2)]))).toEqual(['b'])
  })

  it('keeps archived sessions, which it never contains', () => {
    const before = withChanges(withWholeList(NO_SESSIONS, [session('a', 1)]), [session('z', 0, { archived: true })], [])
    const after = withWholeList(before, [session('a', 1)])
    expect(archivedOf(after).map((summary) => summary.sessionId)).toEqual(['z'])
  })

  it('counts as loaded even if empty', () => {
    expect(withWholeList(NO_SESSIONS, []).loaded).toBe(true)
  })

  it('shows its first part immediately and removes nothing until it is complete', () => {
    const before = withWholeList(NO_SESSIONS, [session('a', 3), session('b', 2), session('deleted', 1)])
    const partial = withListPush(before, { changed: [session('a', 4)], removed: [], more: true }, new Set(['a']))
    expect(ids(partial)).toEqual(['a', 'b', 'deleted'])
    expect(
      withListPush(NO_SESSIONS, { changed: [session('a', 4)], removed: [], more: true }, new Set(['a'])).loaded,
    ).toBe(true)
    const whole = withListPush(partial, { changed: [session('b', 2)], removed: [] }, new Set(['a', 'b']))
    expect(ids(whole)).toEqual(['a', 'b'])
  })

  it('does not bring back a session deleted while the list was arriving', () => {
    const named = new Set(['a', 'b'])
    const partial = withListPush(
      NO_SESSIONS,
      { changed: [session('a', 4), session('b', 3)], removed: [], more: true },
      named,
    )
    const deleted = withListPush(partial, { changed: [], removed: ['b'], more: true }, named)
    expect(ids(withListPush(deleted, { changed: [], removed: [] }, named))).toEqual(['a'])
  })
})

describe('the order of the list', () => {
  it('does not change while two sessions work', () => {
    let state = withWholeList(NO_SESSIONS, [
      session('a', 2, { status: 'running' }),
      session('b', 1, { status: 'running' }),
    ])
    state = withChanges(state, [session('b', 3, { status: 'running' })], [])
    state = withChanges(state, [session('b', 4, { status: 'waiting', waiting: 1 })], [])
    state = withChanges(state, [session('b', 5, { status: 'done' })], [])
    expect(ids(state)).toEqual(['a', 'b'])
  })

  it('moves a session that starts to work to the top', () => {
    const state = withWholeList(NO_SESSIONS, [session('a', 2), session('b', 1)])
    expect(ids(withChanges(state, [session('b', 3, { status: 'running' })], []))).toEqual(['b', 'a'])
  })

  it('sorts projects by their latest session', () => {
    const state = withWholeList(NO_SESSIONS, [
      session('a', 1, { folder: '/old' }),
      session('b', 9, { folder: '/new' }),
      session('c', 5, { folder: '/old' }),
    ])
    expect(projectsOf(state).map((project) => project.folder)).toEqual(['/new', '/old'])
    expect(ids(state)).toEqual(['b', 'c', 'a'])
  })

  it('wraps around at the ends, and continues from a session that is not listed', () => {
    const state = withWholeList(NO_SESSIONS, [session('a', 3), session('b', 2), session('c', 1, { archived: true })])
    const projects = projectsOf(state)
    expect(adjacentSession(projects, 'b', 1)).toBe('a')
    expect(adjacentSession(projects, 'a', -1)).toBe('b')
    expect(adjacentSession(projects, 'gone', 1)).toBe('a')
    expect(adjacentSession([], 'a', 1)).toBeUndefined()
  })
})

it('lists waiting sessions, the longest waiting first', () => {
  const state = withWholeList(NO_SESSIONS, [
    session('new', 9, { status: 'waiting', waiting: 1 }),
    session('old', 2, { status: 'waiting', waiting: 2 }),
    session('none', 1),
  ])
  expect(waitingSessions(state).map((summary) => summary.sessionId)).toEqual(['old', 'new'])
})
