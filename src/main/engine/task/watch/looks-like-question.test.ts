import { expect, test } from 'vitest'
import { endsOpen, looksLikeQuestion } from './looks-like-question'

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
  expect(['Name:', 'sql>', '$', 'Which one? [1-3]', '❯'].filter((line) => !endsOpen(line))).toEqual([])
  expect(['Listening on port 3000', '50%', 'done.'].filter(endsOpen)).toEqual([])
})
