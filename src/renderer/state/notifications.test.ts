import { expect, it } from 'vitest'
import type { InboxEntry } from '../../shared/model/approval/approval'
import type { Task } from '../../shared/model/task/task'
import { pendingItems, notificationTarget, notificationText } from './notifications'

const entry = (approvalId: string, sessionTitle: string, more: Partial<InboxEntry> = {}): InboxEntry => ({
  sessionId: `of ${sessionTitle}`,
  sessionTitle,
  folder: '/project',
  approvalId,
  tool: 'Bash',
  summary: 'npm test',
  reason: 'It runs a command.',
  options: [],
  requestedAt: 0,
  group: 'g',
  ...more,
})

it('notifies of requests and terminal prompts, but not of those of another Trestle process', () => {
  const task = { taskId: 't', command: 'sudo true', prompt: { text: 'Password:', since: 7 }, sessionId: 's' } as Task
  const calls = pendingItems([entry('a', 'One'), entry('b', 'Two', { elsewhere: 'another' })], [task])
  expect(calls).toEqual([
    { id: 'of One/a', who: 'One', what: 'Bash npm test', sessionId: 'of One' },
    { id: 't 7', who: 'A command', what: 'Password: (sudo true)', sessionId: 's' },
  ])
})

it('names a single pending item, else the number, and opens the session only for a single one', () => {
  const [one, two, again] = pendingItems([entry('a', 'One'), entry('b', 'Two'), entry('c', 'One')], []) as [
    never,
    never,
    never,
  ]
  expect(notificationText([one], [one])).toEqual({ title: 'One needs you', body: 'Bash npm test' })
  expect(notificationText([one, two, again], [two])).toEqual({ title: '3 pending requests', body: 'One, Two' })
  expect(notificationTarget([one, again])).toBe('of One')
  expect(notificationTarget([one, two])).toBeUndefined()
})
