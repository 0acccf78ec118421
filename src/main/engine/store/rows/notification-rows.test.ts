import { expect, test } from 'vitest'
import { storeDatabase } from '../../../../../test/support/store-database'
import { createNotificationRows, type NotificationRows } from './notification-rows'

async function rows(count = 0): Promise<NotificationRows> {
  const made = createNotificationRows(await storeDatabase())
  for (let n = 1; n <= count; n += 1) made.add({ title: `t${n}`, body: '', source: 'agent' }, n)
  return made
}
const titles = (all: NotificationRows): string[] => all.list(0, 99).notifications.map(({ title }) => title)

test('notifications are listed newest first, page by page, with their total', async () => {
  const all = await rows(5)
  expect(all.list(1, 2)).toMatchObject({ notifications: [{ title: 't4' }, { title: 't3' }], total: 5, unread: 5 })
  expect(all.list(9, 2)).toMatchObject({ notifications: [], total: 5 })
})

test('a notification is returned as it was added', async () => {
  const all = await rows()
  const added = all.add({ title: 'Größe', body: 'a\nb', source: 'agent', sessionId: 's' }, 7)
  expect(all.list(0, 1).notifications).toEqual([added])
  expect(added).toMatchObject({ at: 7, sessionId: 's' })
})

test('marking as read counts only unread notifications', async () => {
  const all = await rows(3)
  const [newest] = all.list(0, 1).notifications
  expect(all.markRead([newest!.id], 10)).toBe(1)
  expect(all.markRead([newest!.id], 11)).toBe(0)
  expect(all.list(0, 1)).toMatchObject({ notifications: [{ readAt: 10 }], unread: 2 })
  expect(all.markRead([], 12)).toBe(0)
  expect(all.markRead(undefined, 13)).toBe(2)
})

test('cleared notifications can be restored, and are permanently deleted only later', async () => {
  const all = await rows(3)
  const ids = all.clear(undefined, 20)
  expect(ids).toHaveLength(3)
  expect(all.list(0, 9)).toEqual({ notifications: [], total: 0, unread: 0 })
  expect(all.clear(undefined, 21)).toEqual([])
  all.purge(20, 100)
  expect(all.restore(ids)).toBe(3)
  expect(all.restore(ids)).toBe(0)
  all.clear(ids.slice(0, 1), 30)
  all.purge(31, 100)
  expect(all.restore(ids)).toBe(0)
  expect(all.list(0, 9).total).toBe(2)
})

test('only the newest are kept', async () => {
  const all = await rows(5)
  all.purge(0, 3)
  expect(titles(all)).toEqual(['t5', 't4', 't3'])
  all.purge(0, 3)
  expect(titles(all)).toHaveLength(3)
})
