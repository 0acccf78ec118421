import { expect, test } from 'vitest'
import type { Approval, ApprovalOption, InboxEntry } from '../../../shared/model/approval/approval'
import { notificationAnswers } from './notifications'

const once: ApprovalOption = { optionId: 'once', kind: 'allow_once', name: 'Allow once' }
const always: ApprovalOption = { optionId: 'always', kind: 'allow_always', name: 'Allow always…' }
const reject: ApprovalOption = { optionId: 'reject', kind: 'reject_once', name: 'Reject…' }
const stop: ApprovalOption = { optionId: 'reject_stop', kind: 'reject_once', name: 'Reject and stop' }

function answers(
  entry: Partial<InboxEntry>,
  approval: Partial<Approval> = {},
  options = [once, always, reject, stop],
): string[] {
  const summary = entry.summary ?? 'npm test'
  const preview = { kind: 'command' as const, command: summary, cwd: '/p' }
  return notificationAnswers({ summary, options, ...entry } as InboxEntry, { preview, options, ...approval }).map(
    ({ label }) => label,
  )
}

test('a plain command can be allowed once or rejected', () => {
  expect(answers({})).toEqual(['Allow once', 'Reject'])
})

test('a rejection keeps the turn running, so that the agent can do something else', () => {
  expect(notificationAnswers({ summary: 'x' } as InboxEntry, { options: [stop, reject] })).toEqual([
    { label: 'Reject', optionId: 'reject' },
  ])
})

test.each<[string, Partial<InboxEntry>, Partial<Approval>, ApprovalOption[]?]>([
  ['what is dangerous', { dangerous: true }, {}],
  ['what has a dangerous reason', {}, { reasons: [{ text: 'It deletes files.', danger: true }] }],
  ['a command that is longer than a notification', { summary: 'x'.repeat(101) }, {}],
  ['a command of several lines', { summary: 'a\nb' }, {}],
  [
    'a command that is only partly shown',
    { summary: 'npm test' },
    { preview: { kind: 'command', command: 'npm test && rm -rf /', cwd: '/p' } },
  ],
  [
    'a command in the background',
    {},
    { preview: { kind: 'command', command: 'npm test', cwd: '/p', background: { timeoutMs: null } } },
  ],
  ['a command with letters that look like others', { summary: 'cat \u202etxt.exe' }, {}],
  ['a change of a file', {}, { preview: { kind: 'diff', path: '/p/a', diff: '', added: 1, removed: 0 } }],
  ['what has no preview', {}, { preview: undefined }],
  ['a command that may run in the sandbox or outside of it', {}, {}, [once, { ...once, optionId: 'outside' }, reject]],
])('%s is never allowed from a notification', (_name, entry, approval, options) => {
  expect(answers(entry, approval, options)).toEqual(['Reject'])
})

test('questions, plans and forms can only be answered in the window', () => {
  expect(answers({ asks: 'plan' })).toEqual([])
})
