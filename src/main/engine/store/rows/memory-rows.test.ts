import { describe, expect, test } from 'vitest'
import { storeDatabase } from '../../../../../test/support/store-database'
import { createMemoryRows, placeWord, type MemoryRows } from './memory-rows'

const BY = { at: 10, author: 'agent' as const }
async function rows(): Promise<MemoryRows> {
  return createMemoryRows(await storeDatabase())
}
const words = (text: string) => ({ stems: text, words: text })

function add(memory: MemoryRows, key: string, folder?: string, at = 10): number {
  return memory.insert({ key, text: `about ${key}`, ...(folder !== undefined && { folder }) }, words(key), {
    ...BY,
    at,
  }).id
}

describe('memories', () => {
  test('of a project and those for everywhere are separate, even with the same key', async () => {
    const memory = await rows()
    const [here, everywhere] = [add(memory, 'style', '/p'), add(memory, 'style')]
    expect(memory.find('/p', 'style')?.id).toBe(here)
    expect(memory.find(undefined, 'style')?.id).toBe(everywhere)
    expect(memory.find('/other', 'style')).toBeUndefined()
    expect(memory.byKeys('/p', ['style', 'x']).map(({ id }) => id)).toEqual([here])
    expect(memory.keys(['/p', undefined], 9).toSorted()).toEqual(['style', 'style'])
    expect(memory.matching(`"${placeWord('/p')}" AND style`, 9)).toEqual([here])
  })

  test('that are deleted are no longer found, and are restored with their words', async () => {
    const memory = await rows()
    const id = add(memory, 'style')
    memory.remove(id, { ...BY, at: 20 })
    expect([memory.find(undefined, 'style'), memory.matching('style', 9), memory.count()]).toEqual([undefined, [], 0])
    expect(memory.findDeleted(undefined, 'style')).toMatchObject({ id, deletedAt: 20 })
    memory.write(id, { key: 'style', text: 'again' }, words('style'), { ...BY, at: 30 }, 'restored')
    expect(memory.get(id)).toMatchObject({ text: 'again', updatedAt: 30 })
    expect(memory.get(id)).not.toHaveProperty('deletedAt')
    expect(memory.matching('style', 9)).toEqual([id])
    expect(memory.versions(id, 9).map(({ change }) => change)).toEqual(['restored', 'deleted', 'created'])
  })

  test('are searched by their current words', async () => {
    const memory = await rows()
    const id = add(memory, 'old')
    memory.write(id, { key: 'new', text: 'x' }, words('new'), BY, 'changed')
    expect([memory.matching('old', 9), memory.matching('new', 9)]).toEqual([[], [id]])
    const match = (word: string) => [{ stems: word, words: word }]
    expect(memory.list({ query: 'new' }, match('new'), 0, 9).total).toBe(1)
    expect(memory.list({ query: 'old' }, match('old'), 0, 9).total).toBe(0)
  })

  test('keep their newest 50 versions', async () => {
    const memory = await rows()
    const id = add(memory, 'a')
    for (let n = 1; n <= 60; n += 1) memory.write(id, { key: 'a', text: `${n}` }, words('a'), BY, 'changed')
    const versions = memory.versions(id, 999)
    expect(versions).toHaveLength(50)
    expect([versions[0]!.text, versions.at(-1)!.text]).toEqual(['60', '11'])
  })

  test('are purged with their versions, but only if they were deleted', async () => {
    const memory = await rows()
    const [kept, gone] = [add(memory, 'kept'), add(memory, 'gone')]
    const [version] = memory.versions(gone, 1)
    expect(memory.purge({ id: kept })).toBe(0)
    memory.remove(gone, { ...BY, at: 20 })
    expect(memory.purge({ deletedBefore: 20 })).toBe(0)
    expect(memory.purge({ deletedBefore: 21 })).toBe(1)
    expect(memory.version(version!.id)).toBeUndefined()
    expect(memory.get(kept)).toBeDefined()
  })

  test('that were deleted are found by their text, with % and _ matched literally', async () => {
    const memory = await rows()
    for (const text of ['100% sure', '100 sure', 'a_b', 'axb'])
      memory.remove(memory.insert({ key: text, text }, words(text), BY).id, BY)
    const found = (query: string) => memory.list({ query, deleted: true }, [], 0, 9).entries.map(({ key }) => key)
    expect(found('100%')).toEqual(['100% sure'])
    expect(found('a_b')).toEqual(['a_b'])
    expect(found('\\')).toEqual([])
  })
})

describe('what is used', () => {
  test('is counted by kind of use, and ranked by it', async () => {
    const memory = await rows()
    const [a, b, c] = [add(memory, 'a', undefined, 1), add(memory, 'b', undefined, 2), add(memory, 'c', undefined, 3)]
    memory.used([a, b], 50, 'reinforced')
    memory.used([a], 51, 'reinforced')
    memory.used([c], 60, 'shown')
    memory.used([], 99, 'shown')
    expect(memory.get(a)).toMatchObject({ uses: 2, shown: 0, usedAt: 51 })
    expect(memory.get(c)).toMatchObject({ uses: 0, shown: 1, usedAt: 60 })
    expect(memory.leading(undefined, 'uses', 9).map(({ id }) => id)).toEqual([a, b])
    expect(memory.leading(undefined, 'recency', 2).map(({ id }) => id)).toEqual([c, a])
  })

  test('does not get older when the clock is set back', async () => {
    const memory = await rows()
    const [a, b] = [add(memory, 'a', undefined, 100), add(memory, 'b', undefined, 90)]
    memory.used([a], 10, 'shown')
    expect(memory.leading(undefined, 'recency', 9).map(({ id }) => id)).toEqual([a, b])
  })
})

test('the overview counts entries by folder and category', async () => {
  const memory = await rows()
  add(memory, 'a', '/p')
  add(memory, 'b', '/p')
  memory.insert({ key: 'c', text: 'c', category: 'style' }, words('c'), BY)
  memory.remove(add(memory, 'd', '/q'), BY)
  expect(memory.overview()).toEqual({
    entries: 3,
    deleted: 1,
    everywhere: 1,
    projects: [{ folder: '/p', entries: 2 }],
    categories: [{ category: 'style', entries: 1 }],
  })
})
