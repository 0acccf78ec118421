import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Prompt, PromptWatch, endsLikePrompt, looksLikeQuestion } from './prompt-watch'
import type { ForegroundState } from './terminal-reader'

let state: ForegroundState
let looks: number
let changes: (string | undefined)[]
let watch: PromptWatch
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
  state = { readState: 'no', cpuMs: 0 }
  looks = 0
  changes = []
  watch = new PromptWatch({
    pid: () => 1,
    changed: (prompt: Prompt | undefined) => changes.push(prompt?.text),
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

test('never checks a program that prints all the time', async () => {
  state.readState = 'reads'
  for (let ms = 0; ms < 20_000; ms += 100) {
    print('50% ')
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(looks).toBe(0)
})

test('checks an idle program less and less often', async () => {
  await vi.advanceTimersByTimeAsync(60_000)
  expect(looks).toBeGreaterThan(5)
  expect(looks).toBeLessThan(14)
})

describe('a process that may not be inspected', () => {
  beforeEach(() => (state.readState = 'unseen'))

  test('is waiting after a question to the user while it uses no processor time', async () => {
    print('[sudo] password for me: ')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(changes).toEqual(['[sudo] password for me:'])
  })

  test.each(['Listening: ', 'Password: \n', '50% [===>   ]'])('is not waiting after it printed %j', async (text) => {
    print(text)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(changes).toEqual([])
  })

  test('is not waiting while it works', async () => {
    print('Password: ')
    for (let looked = 0; looked < 30; looked++) {
      state.cpuMs += 10
      await vi.advanceTimersByTimeAsync(400)
    }
    expect(changes).toEqual([])
  })
})

test('an event loop that watches the terminal is waiting only after an unfinished line', async () => {
  state.readState = 'watches'
  print('Server ready: press h for help\n')
  await vi.advanceTimersByTimeAsync(5_000)
  expect(changes).toEqual([])
  print('Port? ')
  await vi.advanceTimersByTimeAsync(500)
  expect(changes).toEqual(['Port?'])
})

test('reports each new question once, and its end once', async () => {
  state.readState = 'reads'
  print('One? ')
  await vi.advanceTimersByTimeAsync(5_000)
  print('\nTwo? ')
  await vi.advanceTimersByTimeAsync(5_000)
  state.readState = 'no'
  watch.typed()
  await vi.advanceTimersByTimeAsync(500)
  expect(changes).toEqual(['One?', 'Two?', undefined])
})

test('a program that prints continuously after an answer is no longer waiting', async () => {
  state.readState = 'reads'
  print('Go? ')
  await vi.advanceTimersByTimeAsync(500)
  state.readState = 'no'
  for (let ms = 0; ms < 1_000; ms += 50) {
    print('working ')
    await vi.advanceTimersByTimeAsync(50)
  }
  expect(changes).toEqual(['Go?', undefined])
})

test('reports nothing after close, even if a check is under way', async () => {
  state.readState = 'reads'
  const look = vi.advanceTimersByTimeAsync(400)
  watch.close()
  await look
  expect(changes).toEqual([])
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
])('%s is a question to the user', (line) => {
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
])('%s is not a question', (line) => {
  expect(looksLikeQuestion(line)).toBe(false)
})

test('an unfinished line can be a prompt of a program that is known to read', () => {
  expect(['Name:', 'sql>', '$', 'Which one? [1-3]', '❯'].filter((line) => !endsLikePrompt(line))).toEqual([])
  expect(['Listening on port 3000', '50%', 'done.'].filter(endsLikePrompt)).toEqual([])
})
