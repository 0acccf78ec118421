import { expect, it } from 'vitest'
import { settledText } from './settled-note'

it('distinguishes requests ended by the user elsewhere, by a rule, and without an answer', () => {
  expect(settledText({ outcome: 'allow_once' })).toBe('Allowed once, elsewhere.')
  expect(settledText({ outcome: 'allow_always', rule: { pattern: 'Bash(ls)', scope: 'user' } })).toBe(
    'Allowed always, elsewhere.',
  )
  expect(settledText({ outcome: 'allow_always', reason: 'your rule allow Bash(ls)' })).toBe(
    'Allowed by a rule. your rule allow Bash(ls)',
  )
  expect(settledText({ outcome: 'reject_once', feedback: 'not now' })).toBe('Rejected, elsewhere: “not now”')
  expect(settledText({ outcome: 'reject_once', reason: 'A rule forbids it.' })).toBe('Denied. A rule forbids it.')
  expect(settledText({ outcome: 'reject_once', chosen: 'reject_stop' })).toBe(
    'Rejected elsewhere, and the turn was stopped.',
  )
  expect(settledText({ outcome: 'cancelled', reason: 'The turn was stopped.' })).toBe('Closed. The turn was stopped.')
})
