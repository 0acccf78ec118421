import { describe, expect, it } from 'vitest'
import type { SearchHit, SessionSummary } from '../../../shared/model/session/session'
import { isReachable, searchRows, SHOWN_SESSIONS, snippetPieces, treeRows, dateGroups } from './tree-rows'

const at = (sessionId: string, date: Date): SessionSummary => ({
  sessionId,
  folder: '/code/shop',
  title: sessionId,
  status: 'idle',
  waiting: 0,
  updatedAt: date.getTime(),
  archived: false,
})
const NOW = new Date(2026, 10, 22, 0, 30).getTime()
const names = (sessions: SessionSummary[]) =>
  dateGroups(sessions, NOW).map((group) => [group.name, ...group.sessions.map((one) => one.sessionId)])

it('groups sessions by calendar day: an hour before midnight is yesterday', () => {
  expect(
    names([
      at('a', new Date(2026, 10, 22, 0, 10)),
      at('b', new Date(2026, 10, 21, 23, 40)),
      at('c', new Date(2026, 10, 21, 0, 0)),
      at('d', new Date(2026, 10, 20, 23, 59)),
      at('e', new Date(2026, 10, 15, 0, 0)),
      at('f', new Date(2026, 10, 14, 23, 59)),
      at('g', new Date(2026, 9, 23, 0, 0)),
      at('h', new Date(2025, 1, 1)),
    ]),
  ).toEqual([
    ['Today', 'a'],
    ['Yesterday', 'b', 'c'],
    ['Previous 7 days', 'd', 'e'],
    ['Previous 30 days', 'f', 'g'],
    ['Older', 'h'],
  ])
})

it('names each group once, even if a session changed without moving up', () => {
  expect(
    names([
      at('a', new Date(2026, 10, 21, 12)),
      at('renamed', new Date(2026, 10, 22, 0, 20)),
      at('c', new Date(2026, 10, 21, 11)),
    ]),
  ).toEqual([['Yesterday', 'a', 'renamed', 'c']])
})

const session = (sessionId: string, more: Partial<SessionSummary> = {}): SessionSummary => ({
  sessionId,
  folder: '/code/shop',
  title: sessionId,
  status: 'idle',
  waiting: 0,
  updatedAt: 0,
  archived: false,
  ...more,
})
const hit: SearchHit = { sessionId: 'a', title: 'A', folder: '/code/shop', seq: 3, at: 0, snippet: '' }
const closed = { open: false, loading: false, any: true }
const plain = { grown: new Map<string, number>(), pinned: new Set<string>(), isKept: () => false, now: 0 }
const keys = (rows: { key: string }[]): string[] => rows.map((row) => row.key)

describe('treeRows', () => {
  it('hides the sessions of a collapsed project', () => {
    const projects = [
      { folder: '/a', sessions: [session('a1')] },
      { folder: '/b', sessions: [session('b1')] },
    ]
    expect(keys(treeRows({ ...plain, projects, collapsed: new Set(['/a']), archived: [], archive: closed }))).toEqual([
      'project:/a',
      'project:/b',
      'b1',
      'archive',
    ])
  })

  it('shows the archive only if it is not empty', () => {
    const input = { ...plain, projects: [], collapsed: new Set<string>(), archived: [] }
    expect(keys(treeRows({ ...input, archive: { open: true, loading: true, any: true } }))).toEqual([
      'no-sessions',
      'archive',
    ])
    expect(keys(treeRows({ ...input, archive: { ...closed, any: false } }))).toEqual(['no-sessions'])
  })
})

describe('the dates in a project', () => {
  const now = new Date(2026, 10, 22, 12).getTime()
  const day = (id: string, before: number): SessionSummary =>
    session(id, { updatedAt: new Date(2026, 10, 22 - before, 9).getTime() })
  const rowsOf = (sessions: SessionSummary[]): string[] =>
    keys(
      treeRows({
        ...plain,
        now,
        projects: [{ folder: '/a', sessions }],
        collapsed: new Set(),
        archived: [],
        archive: { ...closed, any: false },
      }),
    )

  it('are shown above many sessions of several days', () => {
    expect(rowsOf([day('a', 0), day('b', 0), day('c', 1), day('d', 3), day('e', 4), day('f', 200)])).toEqual([
      'project:/a',
      'date:/a:Today',
      'a',
      'b',
      'date:/a:Yesterday',
      'c',
      'date:/a:Previous 7 days',
      'd',
      'e',
      'date:/a:Older',
      'f',
    ])
  })

  it('are omitted for few sessions, and for sessions of a single day', () => {
    expect(rowsOf([day('a', 0), day('b', 1), day('c', 9)])).toEqual(['project:/a', 'a', 'b', 'c'])
    expect(rowsOf(['a', 'b', 'c', 'd', 'e', 'f'].map((id) => day(id, 0)))).toEqual([
      'project:/a',
      'a',
      'b',
      'c',
      'd',
      'e',
      'f',
    ])
  })

  it('cannot be reached with the arrow keys', () => {
    expect(isReachable({ kind: 'date', key: 'date', text: 'Today' })).toBe(false)
  })
})

describe('a project with many sessions', () => {
  const sessions = Array.from({ length: 150 }, (_, n) => session(`s${n}`))
  const projects = [
    { folder: '/a', sessions },
    { folder: '/b', sessions: [session('b1')] },
  ]
  const base = { ...plain, projects, collapsed: new Set<string>(), archived: [], archive: { ...closed, any: false } }

  it('shows its latest ones and "Show more", so that the next project stays in view', () => {
    const rows = treeRows(base)
    expect(rows.findIndex(({ key }) => key === 'project:/b')).toBe(SHOWN_SESSIONS + 2)
    expect(rows.find(({ kind }) => kind === 'more')).toMatchObject({
      folder: '/a',
      step: 5,
      hidden: 150 - SHOWN_SESSIONS,
    })
  })

  it('shows all of them after a few steps, each twice as large', () => {
    const shown = [0, 1, 2, 3, 4, 5].map(
      (times) => treeRows({ ...base, grown: new Map([['/a', times]]) }).filter(({ kind }) => kind === 'session').length,
    )
    expect(shown).toEqual([9, 14, 24, 44, 84, 151])
  })

  it('always shows working, waiting, unread and open sessions', () => {
    const rows = treeRows({ ...base, isKept: ({ sessionId }) => sessionId === 's120' })
    expect(keys(rows)).toContain('s120')
  })

  it('does not replace a single session with a "1 more" row', () => {
    const few = [{ folder: '/a', sessions: sessions.slice(0, SHOWN_SESSIONS + 1) }]
    expect(treeRows({ ...base, projects: few }).map(({ kind }) => kind)).not.toContain('more')
  })

  it('lists a pinned session once, at the top', () => {
    const rows = keys(treeRows({ ...base, pinned: new Set(['s140', 'b1']) }))
    expect(rows.slice(0, 3)).toEqual(['pinned', 's140', 'b1'])
    expect(new Set(rows).size).toBe(rows.length)
  })
})

describe('searchRows', () => {
  const sessions = [
    session('one', { title: 'Fix the Checkout' }),
    session('two', { title: 'Other', folder: '/code/checkout' }),
    session('three', { title: '' }),
  ]

  it('searches titles and folders, ignoring case and word order', () => {
    expect(keys(searchRows({ query: 'CHECKOUT  fix', sessions, hits: [] }))).toEqual(['one', 'messages', 'no-hit'])
    expect(keys(searchRows({ query: 'checkout', sessions, hits: [] })).slice(0, 2)).toEqual(['one', 'two'])
  })

  it('finds an untitled session by the name it is shown with', () => {
    expect(keys(searchRows({ query: 'new session', sessions, hits: [] }))[0]).toBe('three')
  })

  it('shows no empty result while messages are still being searched', () => {
    expect(keys(searchRows({ query: 'zzz', sessions, hits: undefined }))).toEqual(['no-title', 'messages', 'searching'])
  })

  it('gives each hit its own key, even within one session', () => {
    const rows = keys(searchRows({ query: 'zzz', sessions, hits: [hit, { ...hit, seq: 9 }] }))
    expect(new Set(rows).size).toBe(rows.length)
  })
})

it('the arrow keys skip headings and notes', () => {
  const rows = searchRows({ query: 'zzz', sessions: [], hits: [hit] })
  expect(rows.filter(isReachable).map((row) => row.kind)).toEqual(['hit'])
})

describe('snippetPieces', () => {
  it('splits the snippet at its marks and drops the mark characters', () => {
    expect(snippetPieces('a \u0001b\u0002 c \u0001d\u0002')).toEqual([
      { text: 'a ', marked: false },
      { text: 'b', marked: true },
      { text: ' c ', marked: false },
      { text: 'd', marked: true },
    ])
  })

  it('accepts a snippet that was cut inside a mark', () => {
    expect(snippetPieces('a \u0001b')).toEqual([
      { text: 'a ', marked: false },
      { text: 'b', marked: true },
    ])
  })
})

it('lists the sessions of all projects by day, with the pinned ones on top', () => {
  const today = at('today', new Date(NOW - 60_000))
  const other = { ...at('other', new Date(NOW - 120_000)), folder: '/code/cart' }
  const old = at('old', new Date(2026, 10, 1))
  const rows = treeRows({
    projects: [
      { folder: '/code/shop', sessions: [today, old] },
      { folder: '/code/cart', sessions: [other] },
    ],
    collapsed: new Set(),
    grown: new Map(),
    pinned: new Set(['old']),
    isKept: () => false,
    grouping: 'day',
    archived: [],
    archive: { open: false, loading: false, any: false },
    now: NOW,
  })
  expect(rows.map(({ kind, key }) => `${kind} ${key}`)).toEqual([
    'heading pinned',
    'session old',
    'heading day:Today',
    'session today',
    'session other',
  ])
})
