import { expect, it, test } from 'vitest'
import type { Access } from '../tool/tool'
import { AgentCallSchedule, CallLimiter } from './call-schedule'

const writes = (path: string): Access[] => [{ kind: 'file', path, write: true }]
const never = new AbortController().signal

/** A call that runs until it is released. */
function held(): { work: () => Promise<string>; release: () => void; began: () => boolean } {
  const { promise, resolve } = Promise.withResolvers<string>()
  let hasBegun = false
  return {
    work: () => {
      hasBegun = true
      return promise
    },
    release: () => resolve('done'),
    began: () => hasBegun,
  }
}

const messageOf = (error: Error): string => error.message
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

it('a call waits only for calls of other agents that touch the same file', async () => {
  const schedule = new AgentCallSchedule()
  const first = held()
  const running = schedule.run('f', writes('/a'), never, first.work)
  const [same, other, elsewhere, none] = [held(), held(), held(), held()]
  const waiting = schedule.run('f', writes('/a'), never, same.work)
  const free = [
    schedule.run('f', writes('/b'), never, other.work),
    schedule.run('g', writes('/a'), never, elsewhere.work),
    schedule.run('f', [], never, none.work),
  ]
  await settled()
  expect([same, other, elsewhere, none].map((one) => one.began())).toEqual([false, true, true, true])
  first.release()
  await running
  await settled()
  expect(same.began()).toBe(true)
  for (const one of [same, other, elsewhere, none]) one.release()
  expect(await Promise.all([waiting, ...free])).toEqual(['done', 'done', 'done', 'done'])
})

it('a call that is stopped while it waits never runs; neither it nor a failed call blocks later calls', async () => {
  const schedule = new AgentCallSchedule()
  const first = held()
  const running = schedule.run('f', writes('/a'), never, first.work)
  const abort = new AbortController()
  const stopped = held()
  const rejection = schedule.run('f', writes('/a'), abort.signal, stopped.work).catch(messageOf)
  const failing = schedule
    .run('f', writes('/a'), never, async () => Promise.reject(new Error('broken')))
    .catch(messageOf)
  const last = schedule.run('f', writes('/a'), never, async () => 'last')
  abort.abort(new Error('enough'))
  expect(await rejection).toBe('enough')
  first.release()
  await running
  expect(await failing).toBe('broken')
  expect(await last).toBe('last')
  expect(stopped.began()).toBe(false)
})

test('the number of parallel calls is limited; waiting calls run in order, each once', async () => {
  const room = new CallLimiter(2)
  const { signal } = new AbortController()
  const ends: (() => void)[] = []
  const began: number[] = []
  const calls = Array.from({ length: 5 }, (_, n) =>
    room.run(signal, () => {
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

test('a failed call frees its slot for the next, and a stop ends the wait', async () => {
  const room = new CallLimiter(1)
  const stop = new AbortController()
  await expect(room.run(stop.signal, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  const first = Promise.withResolvers<string>()
  const running = room.run(stop.signal, () => first.promise)
  const stopped = room.run(stop.signal, async () => stop.signal.aborted)
  stop.abort()
  expect(await stopped).toBe(true)
  first.resolve('done')
  expect(await running).toBe('done')
  expect(await room.run(new AbortController().signal, async () => 'free again')).toBe('free again')
})
