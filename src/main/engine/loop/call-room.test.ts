import { expect, test } from 'vitest'
import { CallRoom } from './call-room'

test('only so many calls run at once as there is room for, each gets its turn in order, and none twice', async () => {
  const room = new CallRoom(2)
  const { signal } = new AbortController()
  const ends: (() => void)[] = []
  const began: number[] = []
  const calls = Array.from({ length: 5 }, (_, n) =>
    room.within(signal, () => {
      began.push(n)
      return new Promise<number>((resolve) => ends.push(() => resolve(n)))
    }),
  )
  await Promise.resolve()
  expect(began).toEqual([0, 1])
  ends[1]!()
  await calls[1]
  await expect.poll(() => began).toEqual([0, 1, 2])
  ends[0]!()
  ends[2]!()
  await expect.poll(() => began).toEqual([0, 1, 2, 3, 4])
  ends[3]!()
  ends[4]!()
  expect(await Promise.all(calls)).toEqual([0, 1, 2, 3, 4])
})

test('a call that fails gives its room to the next, and a stop ends the waiting', async () => {
  const room = new CallRoom(1)
  const stop = new AbortController()
  await expect(room.within(stop.signal, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  const first = Promise.withResolvers<string>()
  const running = room.within(stop.signal, () => first.promise)
  const stopped = room.within(stop.signal, async () => stop.signal.aborted)
  stop.abort()
  expect(await stopped).toBe(true)
  first.resolve('done')
  expect(await running).toBe('done')
  expect(await room.within(new AbortController().signal, async () => 'free again')).toBe('free again')
})
