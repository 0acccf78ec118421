import { expect, it } from 'vitest'
import { FrameQueue } from './frame-queue'

/** A queue whose frames and clock the test moves. Each job takes `cost` ms, including its rendering. */
function queue() {
  let [now, frame]: [number, (() => void) | undefined] = [0, undefined]
  const rendered: (() => void)[] = []
  const ran: string[] = []
  const frames = new FrameQueue({
    onFrame: (callback) => {
      frame = callback
      return () => (frame = undefined)
    },
    afterRender: (callback) => rendered.push(callback),
    now: () => now,
  })
  return {
    frames,
    ran,
    add: (name: string, cost: number, then?: () => void) =>
      frames.add(() => {
        ran.push(name)
        now += cost
        then?.()
      }),
    /** The names of the jobs that the next frame runs, `ms` later; undefined when no frame was requested. */
    frame: (ms = 16): string[] | undefined => {
      const callback = frame
      if (!callback) return undefined
      now += ms
      frame = undefined
      ran.length = 0
      try {
        callback()
      } finally {
        for (let next = rendered.shift(); next; next = rendered.shift()) next()
      }
      return [...ran]
    },
  }
}

it('runs one job a frame, in order', () => {
  const { add, frame } = queue()
  for (const name of ['a', 'b', 'c']) add(name, 1)
  expect(frame()).toEqual(['a'])
  expect(frame()).toEqual(['b'])
  expect(frame()).toEqual(['c'])
  expect(frame()).toBeUndefined()
})

it('leaves frames free after a long one, but not for long', () => {
  const { add, frame } = queue()
  for (const name of ['a', 'b', 'c']) add(name, name === 'b' ? 1000 : 20)
  expect(frame()).toEqual(['a'])
  expect([frame(), frame(), frame()]).toEqual([[], [], ['b']])
  expect(frame(240)).toEqual([])
  expect(frame()).toEqual(['c'])
  expect(frame()).toBeUndefined()
})

it('lets jobs that add themselves again take turns', () => {
  const { add, frame } = queue()
  const again = (name: string): void => void add(name, 4, () => again(name))
  for (const name of ['a', 'b', 'c']) again(name)
  expect([frame(), frame(), frame(), frame()]).toEqual([['a'], ['b'], ['c'], ['a']])
})

it('does not run a canceled job', () => {
  const { add, frame } = queue()
  add('a', 1)()
  const cancels: (() => void)[] = []
  add('b', 1, () => cancels[0]?.())
  cancels.push(add('c', 1))
  expect(frame()).toEqual(['b'])
  expect(frame()).toBeUndefined()
})

it('continues after a job that fails', () => {
  const { frames, add, frame } = queue()
  frames.add(() => {
    throw new Error('broken')
  })
  add('a', 1)
  expect(() => frame()).toThrow('broken')
  expect(frame()).toEqual(['a'])
})
