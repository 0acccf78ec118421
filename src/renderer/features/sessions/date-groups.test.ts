import { expect, it } from 'vitest'
import type { SessionSummary } from '../../../shared/model/session'
import { dateGroups } from './date-groups'

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

it('groups sessions by days of the calendar: an hour before midnight is yesterday', () => {
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

it('names each group once, also where a session changed without moving up', () => {
  expect(
    names([at('a', new Date(2026, 10, 21, 12)), at('renamed', new Date(2026, 10, 22, 0, 20)), at('c', new Date(2026, 10, 21, 11))]),
  ).toEqual([['Yesterday', 'a', 'renamed', 'c']])
})
