import { expect, it } from 'vitest'
import { listPages, type ListPage } from './list-pages'

/** Pages by their cursors. */
const from = (pages: (cursor: string | undefined) => ListPage) =>
  listPages(async (cursor) => pages(cursor), 'tools', { now: () => 0, deadline: 1 })

it('puts pages together in their order', async () => {
  const pages: Record<string, ListPage> = { first: { tools: [1], nextCursor: 'b' }, b: { tools: [2], nextCursor: 'c' }, c: { tools: [3] } }
  expect(await from((cursor) => pages[cursor ?? 'first']!)).toEqual({ items: [1, 2, 3] })
})

it('takes 2,000 tools without leaving any out', async () => {
  const listed = await from(() => ({ tools: Array.from({ length: 2_000 }, (_, n) => n) }))
  expect(listed.items).toHaveLength(2_000)
  expect(listed.problem).toBeUndefined()
})

it('ends with what there is when cursors go round, pages never end or hold too much, or one fails', async () => {
  expect(await from(() => ({ tools: ['x'], nextCursor: 'again' }))).toMatchObject({
    items: ['x', 'x'],
    problem: expect.stringContaining('circle'),
  })
  const endless = await from((cursor) => ({ tools: ['x'], nextCursor: `${Number(cursor ?? 0) + 1}` }))
  expect(endless).toMatchObject({ problem: expect.stringContaining('more than 400 pages') })
  expect(endless.items).toHaveLength(400)
  const large = await from(() => ({ tools: Array.from({ length: 5_000 }, () => 'x') }))
  expect(large.items).toHaveLength(4_000)
  expect(large.problem).toContain('more than 4000')
  const broken = await from((cursor) => {
    if (cursor !== undefined) throw new Error('no such page')
    return { tools: ['x'], nextCursor: '2' }
  })
  expect(broken).toMatchObject({ items: ['x'], problem: expect.stringContaining('no such page') })
})

it.each([[7], [{}], ['c'.repeat(100_000)]])('a next page called %j is none', async (nextCursor) => {
  expect(await from(() => ({ tools: ['x'], nextCursor }))).toMatchObject({
    items: ['x'],
    problem: expect.stringContaining('no usable next page'),
  })
})

it('stops asking when its time is over', async () => {
  let now = 0
  const listed = await listPages(async (cursor) => ({ tools: ['x'], nextCursor: `${Number(cursor ?? 0) + 1}` }), 'tools', {
    now: () => (now += 100),
    deadline: 450,
  })
  expect(listed.items).toHaveLength(5)
  expect(listed.problem).toContain('too long')
})

it('fails only where not even the first page comes', async () => {
  await expect(from(() => ({ nothing: [] }))).rejects.toThrow('without a list of tools')
})
