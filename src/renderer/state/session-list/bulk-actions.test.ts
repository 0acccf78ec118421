import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { TrestleClient } from '../../../shared/contract'
import type { SessionSummary } from '../../../shared/model/session/session'
import { useToasts } from '../page/toasts-state'
import { archiveAll, removeAll, useRemovals } from './bulk-actions'
import { useSelection } from './selection-state'
import { useSessions } from './sessions-state'

beforeEach(() => {
  vi.useFakeTimers()
  useToasts.setState({ toasts: [], history: [] })
  useSessions.setState({ sessions: new Map() })
  useSelection.setState({ ids: new Set(['a', 'b']), anchor: 'b' })
})
afterEach(() => vi.useRealTimers())

/** Lists sessions, with whether they are archived. */
function known(archived: Record<string, boolean>): void {
  const sessions = Object.entries(archived).map(([sessionId, is]) => [sessionId, { sessionId, archived: is }])
  useSessions.setState({ sessions: new Map(sessions as [string, SessionSummary][]) })
}

/** An engine that refuses to change some sessions. */
function engine(refused: readonly string[] = []) {
  const done: string[] = []
  const call = (what: string, id: string): Promise<void> => {
    if (refused.includes(id)) return Promise.reject(new Error(`${id} is open elsewhere`))
    done.push(`${what} ${id}`)
    return Promise.resolve()
  }
  const client = {
    session: {
      remove: ({ sessionId }: { sessionId: string }) => call('remove', sessionId),
      change: ({ sessionId, archived }: { sessionId: string; archived: boolean }) =>
        call(archived ? 'archive' : 'restore', sessionId),
    },
  } as unknown as TrestleClient
  return { client, done }
}

const titles = () => useToasts.getState().toasts.map(({ title }) => title)
const undo = () =>
  useToasts
    .getState()
    .toasts.find(({ action }) => action?.label === 'Undo')
    ?.action?.run()

describe('archiving several sessions', () => {
  it('counts those that were archived, and Undo restores exactly them', async () => {
    const { client, done } = engine(['b'])
    await archiveAll(client, ['a', 'b', 'c'])
    expect(titles()).toContain('2 sessions archived')
    expect(titles()).toHaveLength(2)
    done.length = 0
    undo()
    await vi.advanceTimersByTimeAsync(0)
    expect(done).toEqual(['restore a', 'restore c'])
    expect(useSelection.getState().ids.size).toBe(0)
  })

  it('skips sessions that are already archived, also on undo', async () => {
    known({ a: true, b: false })
    const { client, done } = engine()
    await archiveAll(client, ['a', 'b'])
    expect(titles()).toEqual(['1 session archived'])
    undo()
    await vi.advanceTimersByTimeAsync(0)
    expect(done).toEqual(['archive b', 'restore b'])
  })

  it('takes them out of the archive', async () => {
    known({ a: true, b: true })
    const { client, done } = engine()
    await archiveAll(client, ['a', 'b'], false)
    expect(titles()).toEqual(['2 sessions restored'])
    expect(done).toEqual(['restore a', 'restore b'])
  })

  it('reports only the failures when none was archived', async () => {
    const { client } = engine(['a'])
    await archiveAll(client, ['a'])
    expect(useToasts.getState().toasts.map(({ tone }) => tone)).toEqual(['fail'])
  })
})

describe('deleting several sessions', () => {
  it('hides them immediately and deletes them after a while', async () => {
    const { client, done } = engine()
    removeAll(client, ['a', 'b'])
    expect(titles()).toEqual(['2 sessions deleted'])
    expect([...useRemovals.getState().ids]).toEqual(['a', 'b'])
    await vi.advanceTimersByTimeAsync(5000)
    expect(done).toEqual([])
    await vi.runAllTimersAsync()
    expect(done).toEqual(['remove a', 'remove b'])
    expect(useRemovals.getState().ids.size).toBe(0)
  })

  it('deletes nothing after Undo', async () => {
    const { client, done } = engine()
    removeAll(client, ['a'])
    undo()
    await vi.runAllTimersAsync()
    expect(done).toEqual([])
    expect(useRemovals.getState().ids.size).toBe(0)
  })

  it('offers Undo as long as it works, and no longer', async () => {
    const { client, done } = engine()
    removeAll(client, ['a'])
    while (done.length === 0) {
      expect(titles()).toEqual(['1 session deleted'])
      await vi.advanceTimersToNextTimerAsync()
    }
    expect(titles()).toEqual([])
  })

  it('deletes the others when one cannot be deleted, and lists it again', async () => {
    const { client, done } = engine(['a'])
    removeAll(client, ['a', 'b'])
    await vi.runAllTimersAsync()
    expect(done).toEqual(['remove b'])
    expect(useRemovals.getState().ids.size).toBe(0)
    expect(useToasts.getState().toasts.map(({ tone }) => tone)).toEqual(['fail'])
  })
})
