import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Prompt, PromptWatch, endsLikePrompt, looksLikeQuestion } from './prompt-watch'
import type { ForegroundState } from './terminal-reader'

let state: ForegroundState
let looks: number
let told: (string | undefined)[]
let watch: PromptWatch
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
  state = { readState: 'no', cpuMs: 0 }
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
  state.readState = 'reads'
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
  beforeEach(() => (state.readState = 'unseen'))

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
  state.readState = 'watches'
  print('Server ready: press h for help\n')
  await vi.advanceTimersByTimeAsync(5_000)
  expect(told).toEqual([])
  print('Port? ')
  await vi.advanceTimersByTimeAsync(500)
  expect(told).toEqual(['Port?'])
})

test('a question is told once, a new one anew, and its end once', async () => {
  state.readState = 'reads'
  print('One? ')
  await vi.advanceTimersByTimeAsync(5_000)
  print('\nTwo? ')
  await vi.advanceTimersByTimeAsync(5_000)
  state.readState = 'no'
  watch.typed()
  await vi.advanceTimersByTimeAsync(500)
  expect(told).toEqual(['One?', 'Two?', undefined])
})

test('an answered program that prints without a rest waits no more', async () => {
  state.readState = 'reads'
  print('Go? ')
  await vi.advanceTimersByTimeAsync(500)
  state.readState = 'no'
  for (let ms = 0; ms < 1_000; ms += 50) {
    print('working ')
    await vi.advanceTimersByTimeAsync(50)
  }
  expect(told).toEqual(['Go?', undefined])
})

test('after the end nothing is told, though a look was under way', async () => {
  state.readState = 'reads'
  const look = vi.advanceTimersByTimeAsync(400)
  watch.close()
  await look
  expect(told).toEqual([])
})

test.each([
  '[sudo] password for me:',
  'Password:',
  `me@host's password:`,
  "Enter passphrase for key '/home/me/.ssh/id_ed25519':",
  'Are you sure you want to continue connecting (yes/no/[fingerprint])?',
  'Do you want to continue? [Y/n]',
  'Proceed (y/N):',
  'Overwrite y/n?',
  'Ok to proceed? (y)?',
  "Username for 'https://example.org':",
  'Enter your one-time password:',
  'Verification code:',
  'Press any key to continue . . .',
  'Press ENTER or type command to continue',
])('%s is a question to a person', (line) => {
  expect(looksLikeQuestion(line)).toBe(true)
})

test.each([
  'Listening:',
  'Server running at http://localhost:3000/',
  'Downloading [=====>    ]',
  'Compiling...',
  'Wrong password. Locked for 10 s.',
  '3/7:',
  'Watching for file changes.',
  '',
])('%s is none, so that no server waits for a person', (line) => {
  expect(looksLikeQuestion(line)).toBe(false)
})

test('what ends open may be a question to who is known to listen', () => {
  expect(['Name:', 'sql>', '$', 'Which one? [1-3]', '❯'].filter((line) => !endsLikePrompt(line))).toEqual([])
  expect(['Listening on port 3000', '50%', 'done.'].filter(endsLikePrompt)).toEqual([])
})
