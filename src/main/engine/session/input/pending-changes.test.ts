import { expect, test } from 'vitest'
import { PendingChanges } from './pending-changes'

test('changes of a session are made one at a time, even after one that failed', async () => {
  const changes = new PendingChanges()
  const session = {}
  const order: string[] = []
  const first = Promise.withResolvers<void>()
  const failed = changes.add(session, async () => {
    await first.promise
    order.push('first')
    throw new Error('no such agent')
  })
  const second = changes.add(session, async () => order.push('second'))
  expect(changes.of({})).toBeUndefined()
  first.resolve()
  await expect(failed).rejects.toThrow('no such agent')
  await second
  expect(order).toEqual(['first', 'second'])
  await Promise.resolve()
  expect(changes.of(session)).toBeUndefined()
})

test('a change that takes no time is made immediately', () => {
  const changes = new PendingChanges()
  let isMade = false
  void changes.add({}, async () => (isMade = true))
  expect(isMade).toBe(true)
})

test('whatever waits for a failed change gets the reason', async () => {
  const changes = new PendingChanges()
  const session = {}
  const change = changes.add(session, () => Promise.reject(new Error('no such agent')))
  const waiting = changes.of(session)
  await expect(waiting).rejects.toThrow('no such agent')
  await expect(change).rejects.toThrow('no such agent')
})
