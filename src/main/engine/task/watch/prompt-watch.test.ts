import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Prompt, PromptWatch } from './prompt-watch'
import type { ForegroundState } from './terminal-reader'

let state: ForegroundState
let looks: number
let told: (string | undefined)[]
let watch: PromptWatch
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
  state = { reading: 'no', cpuMs: 0 }
  looks = 0
  told = []
  watch = new PromptWatch({
    pid: () => 1,
    changed: (prompt: Prompt | undefined) => told.push(prompt?.text),
    look: async () => {
      looks++
      return { ...state }
    },
  })
})
afterEach(() => {
  watch.close()
  vi.useRealTimers()
})
const print = (text: string): void => watch.printed(Buffer.from(text))

test('a program that prints all the time is never looked at', async () => {
  state.reading = 'reads'
  for (let ms = 0; ms < 20_000; ms += 100) {
    print('50% ')
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(looks).toBe(0)
})

test('a program that does nothing is looked at ever less often', async () => {
  await vi.advanceTimersByTimeAsync(60_000)
  expect(looks).toBeGreaterThan(5)
  expect(looks).toBeLessThan(14)
})

describe('who may not be looked into', () => {
  beforeEach(() => (state.reading = 'unseen'))

  test('waits when it asked as people are asked and uses no processor time', async () => {
    print('[sudo] password for me: ')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(told).toEqual(['[sudo] password for me:'])
  })

  test.each(['Listening: ', 'Password: \n', '50% [===>   ]'])('does not when it printed %j', async (text) => {
    print(text)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(told).toEqual([])
  })

  test('does not while it works', async () => {
    print('Password: ')
    for (let looked = 0; looked < 30; looked++) {
      state.cpuMs += 10
      await vi.advanceTimersByTimeAsync(400)
    }
    expect(told).toEqual([])
  })
})

test('an event loop that watches the terminal waits only with a line left open', async () => {
  state.reading = 'watches'
  print('Server ready: press h for help\n')
  await vi.advanceTimersByTimeAsync(5_000)
  expect(told).toEqual([])
  print('Port? ')
  await vi.advanceTimersByTimeAsync(500)
  expect(told).toEqual(['Port?'])
})

test('a question is told once, a new one anew, and its end once', async () => {
  state.reading = 'reads'
  print('One? ')
  await vi.advanceTimersByTimeAsync(5_000)
  print('\nTwo? ')
  await vi.advanceTimersByTimeAsync(5_000)
  state.reading = 'no'
  watch.typed()
  await vi.advanceTimersByTimeAsync(500)
  expect(told).toEqual(['One?', 'Two?', undefined])
})

test('an answered program that prints without a rest waits no more', async () => {
  state.reading = 'reads'
  print('Go? ')
  await vi.advanceTimersByTimeAsync(500)
  state.reading = 'no'
  for (let ms = 0; ms < 1_000; ms += 50) {
    print('working ')
    await vi.advanceTimersByTimeAsync(50)
  }
  expect(told).toEqual(['Go?', undefined])
})

test('after the end nothing is told, though a look was under way', async () => {
  state.reading = 'reads'
  const look = vi.advanceTimersByTimeAsync(400)
  watch.close()
  await look
  expect(told).toEqual([])
})
