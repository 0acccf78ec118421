import { expect, test } from 'vitest'
import { storeDatabase } from '../../../../../test/support/store-database'
import { createKeptTurnRows } from './kept-turn-rows'
import { createMarkRows } from './mark-rows'

test('a turn is kept until it is removed, and the last write wins', async () => {
  const turns = createKeptTurnRows(await storeDatabase())
  turns.put({ sessionId: 'a', crashes: 0 })
  turns.put({ sessionId: 'a', crashes: 1, unattended: { maxSteps: 5 } })
  turns.put({ sessionId: 'b', crashes: 0, left: true })
  expect(turns.get('a')).toEqual({ sessionId: 'a', crashes: 1, unattended: { maxSteps: 5 } })
  turns.remove('b')
  expect(turns.get('b')).toBeUndefined()
  expect(turns.all()).toHaveLength(1)
})

test('other entries of the same table are not turns, whatever their names', async () => {
  const db = await storeDatabase()
  const turns = createKeptTurnRows(db)
  const put = db.prepare('INSERT INTO meta (key, value) VALUES (?, ?)')
  for (const key of ['kept-turn', 'kept-turn;', 'kept-turn9', 'kept', 'zzz']) put.run(key, '1')
  turns.put({ sessionId: '￿:größe', crashes: 0 })
  createMarkRows(db, () => 1).change({ pin: ['a'] })
  expect(turns.all()).toEqual([{ sessionId: '￿:größe', crashes: 0 }])
})

test('other processes read marks as set, and a change without effect returns false', async () => {
  const db = await storeDatabase()
  const [mine, theirs] = [createMarkRows(db, () => 5), createMarkRows(db, () => 9)]
  expect(mine.view()).toEqual({ since: 5, seen: [], pinned: [] })
  expect(mine.change({ seen: [['a', 7]], pin: ['b'] })).toBe(true)
  expect(mine.change({ seen: [['a', 6]], pin: ['b'] })).toBe(false)
  expect(theirs.view()).toEqual({ since: 5, seen: [['a', 7]], pinned: ['b'] })
})
