import { describe, expect, it } from 'vitest'
import type { InboxEntry } from '../../../shared/model/approval/approval'
import { firstRows, selectAfterAnswer, selectFirst, adjacentEntry, NO_SELECTION, inboxRows } from './inbox-selection'

const entry = (approvalId: string, more: Partial<InboxEntry> = {}): InboxEntry => ({
  sessionId: 's',
  sessionTitle: 'A session',
  folder: '/project',
  approvalId,
  tool: 'Bash',
  summary: approvalId,
  reason: 'It runs a command.',
  options: [{ optionId: 'once', kind: 'allow_once', name: 'Allow once' }],
  requestedAt: Number(approvalId),
  group: approvalId,
  ...more,
})
const [one, two, three] = [entry('1'), entry('2'), entry('3')] as const
const ids = (rows: ReturnType<typeof inboxRows>): string[] =>
  rows.groups.flatMap((group) => group.entries.map(({ approvalId }) => approvalId))

describe('the inbox selection', () => {
  it('opens the first request automatically, and no later one replaces it', () => {
    const place = selectFirst(NO_SELECTION, [one])
    expect(inboxRows(place, [one]).open).toBe(one)
    expect(selectFirst(place, [one, two])).toBe(place)
    expect(selectFirst({ ...NO_SELECTION, open: 'closed' }, [one]).open).toBe('closed')
  })

  it('keeps the row of the open request after it was answered elsewhere', () => {
    const place = { ...NO_SELECTION, open: two }
    const rows = inboxRows(place, [one, three])
    expect(ids(rows)).toEqual(['1', '2', '3'])
    expect(rows).toMatchObject({ open: two, gone: true })
    expect(ids(inboxRows(place, []))).toEqual(['2'])
    expect(selectFirst(place, [three])).toBe(place)
  })

  it('moves to the next request after an answer, and hides the answered one', () => {
    const place = { ...NO_SELECTION, open: one }
    const next = selectAfterAnswer(place, inboxRows(place, [one, two]), one, [one, two])
    expect(next.open).toBe(two)
    expect(ids(inboxRows(next, [one, two]))).toEqual(['2'])
    const last = selectAfterAnswer(next, inboxRows(next, [one, two]), two, [one, two])
    expect(last.open).toBeUndefined()
    // The list is not updated yet: the answered request does not open again.
    expect(selectFirst(last, [one, two]).open).toBeUndefined()
    expect(selectFirst(last, [one, two, three]).open).toBe(three)
  })

  it('moves to the previous request after the last one, and forgets answers that the list no longer has', () => {
    const place = { open: three, answered: new Set(['s/1']) }
    const next = selectAfterAnswer(place, inboxRows(place, [two, three]), three, [two, three])
    expect(next.open).toBe(two)
    expect([...next.answered]).toEqual(['s/3'])
  })

  it('does not reopen a request that was just answered, also after several together', () => {
    const rows = inboxRows(selectFirst(NO_SELECTION, [one, two]), [one, two])
    const first = selectAfterAnswer({ ...NO_SELECTION, open: one }, rows, one, [one, two])
    expect(selectAfterAnswer(first, rows, two, [one, two]).open).toBeUndefined()
  })

  it('groups similar requests after the first of them, also for the arrow keys', () => {
    const alike = [entry('1', { group: 'g' }), two, entry('3', { group: 'g' })]
    const rows = inboxRows(NO_SELECTION, alike)
    expect(ids(rows)).toEqual(['1', '3', '2'])
    expect(adjacentEntry(rows, alike[2]!, 1)).toBe(two)
    expect(adjacentEntry(rows, alike[0]!, -1)).toBeUndefined()
  })

  it('limits the rows, but always includes the open one', () => {
    const many = Array.from({ length: 10 }, (_, n) => entry(String(n), n % 2 === 0 ? { group: 'even' } : {}))
    const { groups } = inboxRows(NO_SELECTION, many)
    const drawn = (open: string): string[] =>
      firstRows(groups, 6, ({ approvalId }) => approvalId === open).flatMap((group) =>
        group.entries.map(({ approvalId }) => approvalId),
      )
    expect(drawn('')).toEqual(['0', '2', '4', '6', '8', '1'])
    expect(drawn('9')).toEqual(['0', '2', '4', '6', '8', '1', '9'])
  })
})
