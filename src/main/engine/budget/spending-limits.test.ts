import { describe, expect, test } from 'vitest'
import { storeDatabase } from '../../../../test/support/store-database'
import { emptyHeader } from '../../../shared/events/fold-header'
import type { BudgetSettings } from '../config/agent-settings/budget-settings'
import { createSpendingRows } from '../store/rows/spending-rows'
import { createSpendingGuard, type SpendingTurn } from './ask-to-continue'
import { createSpendingLimits, isNear, isReached, nearText, reachedText } from './spending-limits'

const NOON = new Date(2026, 5, 15, 12).getTime()
const NO_LIMITS: BudgetSettings = {
  session: undefined,
  day: undefined,
  project: undefined,
  sessionTokens: undefined,
  dayTokens: undefined,
  projectTokens: undefined,
}
const OWNER = { rootId: 'root', folder: '/p' }

async function setUp(budget: Partial<BudgetSettings> = {}) {
  const rows = createSpendingRows(await storeDatabase())
  const clock = { at: NOON }
  const spend = (tokens: number, cost?: number, { sessionId = 'root', folder = '/p', at = clock.at } = {}): void => {
    const usage = { input: tokens, output: 0, cached: 0, thinking: 0, ...(cost !== undefined && { cost }) }
    rows.add(
      { ...emptyHeader(sessionId), folder },
      { type: 'title.made', sessionId, seq: 1, at, model: 'm', title: 'T', usage },
    )
  }
  const limits = createSpendingLimits({
    rows: () => rows,
    settings: () => ({ ...NO_LIMITS, ...budget }),
    now: () => clock.at,
  })
  return { rows, clock, spend, limits }
}

describe('the text about a limit', () => {
  const state = { scope: 'session', unit: 'dollars', limit: 5, spent: 4, unpriced: 0 } as const

  test('states how much of it is used, up to 100%', () => {
    expect(nearText(state)).toBe('80% of the limit of $5.00 for this session is used.')
    expect(nearText({ ...state, spent: 4.999 })).toContain('99%')
    expect(reachedText({ ...state, spent: 5 })).toBe('The limit of $5.00 for this session is reached: $5.00 so far.')
    expect(reachedText({ ...state, unit: 'tokens', scope: 'project', limit: 200_000, spent: 200_001 })).toBe(
      'The limit of 200,000 tokens for this project this month is reached: 200,001 tokens so far.',
    )
  })

  test('mentions the requests that it cannot count', () => {
    expect(nearText({ ...state, unpriced: 1 })).toContain('1 request is not counted')
    expect(reachedText({ ...state, unpriced: 3 })).toContain('3 requests are not counted')
  })

  test('says that it is near from 80%, and reached at 100%', () => {
    const at = (spent: number) => [isNear({ limit: 5, spent }), isReached({ limit: 5, spent })]
    expect([3.99, 4, 4.99, 5, 9].map(at)).toEqual([
      [false, false],
      [true, false],
      [true, false],
      [false, true],
      [false, true],
    ])
  })
})

describe('a limit in tokens', () => {
  test('counts a session with its subagents, a day in local time, and a project in this month', async () => {
    const { spend, rows } = await setUp()
    spend(1)
    spend(2, 0.5, { sessionId: 'other' })
    spend(4, 0.5, { folder: '/q', sessionId: 'third' })
    spend(8, 0.5, { at: new Date(2026, 5, 14, 23, 59, 59).getTime() })
    spend(16, 0.5, { at: new Date(2026, 4, 31, 23, 59, 59).getTime() })
    spend(32, 0.5, { at: new Date(2026, 5, 1, 0, 0, 0).getTime(), sessionId: 'first' })
    const sum = (scope: 'session' | 'day' | 'project') => rows.limited(scope, OWNER, NOON).input
    expect([sum('session'), sum('day'), sum('project')]).toEqual([1 + 8 + 16, 1 + 2 + 4, 1 + 2 + 8 + 32])
    expect(rows.limited('day', OWNER, NOON).unpriced).toBe(1)
  })

  test('per day starts over at local midnight, without any amounts added to it', async () => {
    const { rows } = await setUp()
    const today = rows.limited('day', OWNER, NOON).key
    rows.raise(today, 'tokens', 5)
    const tomorrow = rows.limited('day', OWNER, new Date(2026, 5, 16, 0, 0, 0).getTime()).key
    expect([rows.raised(today, 'tokens'), rows.raised(today, 'dollars'), rows.raised(tomorrow, 'tokens')]).toEqual([
      5, 0, 0,
    ])
  })
})

describe('the report of the last days', () => {
  test('has days in local time, from the first to today', async () => {
    const { rows, spend } = await setUp()
    spend(1, 1)
    spend(2, 1, { at: new Date(2026, 5, 9, 0, 0, 0).getTime() })
    spend(4, 1, { at: new Date(2026, 5, 8, 23, 59, 59).getTime() })
    expect(rows.range(7, NOON)).toEqual({ from: '2026-06-09', to: '2026-06-15' })
    expect(rows.range(1, NOON)).toEqual({ from: '2026-06-15', to: '2026-06-15' })
    expect(rows.report('day', 7, NOON).map(({ key, input }) => [key, input])).toEqual([
      ['2026-06-09', 2],
      ['2026-06-15', 1],
    ])
    expect(rows.report('model', 7, NOON)).toMatchObject([{ key: 'm', input: 3, requests: 2 }])
  })
})

describe('a turn at a limit', () => {
  const turn = (optionId: string, asked: string[]): SpendingTurn => ({
    owner: OWNER,
    turnId: 't',
    signal: new AbortController().signal,
    ask: async (_call, { summary }) => {
      asked.push(summary)
      return { optionId, kind: 'allow_once' }
    },
  })

  test('asks once for all agents that share it, and one answer is enough however far it was exceeded', async () => {
    const { spend, limits } = await setUp({ sessionTokens: 100 })
    spend(1_000)
    const asked: string[] = []
    let ids = 0
    const guard = createSpendingGuard({ limits, newId: (prefix) => `${prefix}-${(ids += 1)}`, warn: () => undefined })
    const agents = [1, 2, 3].map(() => guard.beforeRequest(turn('continue', asked)))
    expect(await Promise.all(agents)).toEqual(['allowed', 'allowed', 'allowed'])
    expect(asked).toHaveLength(1)
  })

  test('stops when the user says so, and the next one asks again', async () => {
    const { spend, limits } = await setUp({ sessionTokens: 100 })
    spend(100)
    const asked: string[] = []
    const guard = createSpendingGuard({ limits, newId: () => 'x', warn: () => undefined })
    expect(await guard.beforeRequest(turn('stop', asked))).toBe('stopped')
    expect(await guard.beforeRequest(turn('stop', asked))).toBe('stopped')
    expect(asked).toHaveLength(2)
  })

  test('asks the user itself if the question of another agent that it waited for has failed', async () => {
    const { spend, limits } = await setUp({ sessionTokens: 100 })
    spend(100)
    const asked: string[] = []
    const guard = createSpendingGuard({ limits, newId: () => 'x', warn: () => undefined })
    const question = Promise.withResolvers<never>()
    const first = guard.beforeRequest({ ...turn('continue', asked), ask: () => question.promise })
    const second = guard.beforeRequest(turn('continue', asked))
    question.reject(new Error('the session was closed'))
    await expect(first).rejects.toThrow('the session was closed')
    expect(await second).toBe('allowed')
    expect(asked).toHaveLength(1)
  })

  test('warns once before it is reached, without asking', async () => {
    const { spend, limits } = await setUp({ sessionTokens: 100, dayTokens: 1_000 })
    spend(85)
    const [asked, warned]: [string[], string[]] = [[], []]
    const guard = createSpendingGuard({ limits, newId: () => 'x', warn: (text) => void warned.push(text) })
    for (let n = 0; n < 3; n += 1) expect(await guard.beforeRequest(turn('stop', asked))).toBe('allowed')
    expect(warned).toEqual(['85% of the limit of 100 tokens for this session is used.'])
    expect(asked).toEqual([])
  })

  test('reads nothing without a limit', () => {
    const limits = createSpendingLimits({
      rows: () => {
        throw new Error('The table was read.')
      },
      settings: () => NO_LIMITS,
      now: () => NOON,
    })
    expect(limits.states(OWNER)).toEqual([])
  })
})
