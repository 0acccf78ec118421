import { expect, it } from 'vitest'
import type { Approval } from '../model/approval/approval'
import { newCallRow, applyCallEvent, type CallEvent } from './transcript-rows'
import type { EventBody } from './event'
import type { ToolItem } from './transcript-item'

type CallBody = Extract<EventBody, { type: CallEvent['type'] }>
const approval: Approval = {
  approvalId: 'a',
  turnId: 't',
  callId: 'c',
  tool: 'Bash',
  summary: 'ls',
  reason: 'asks',
  options: [],
  requestedAt: 1,
}
const started: CallBody = {
  type: 'tool.started',
  turnId: 't',
  stepId: 's',
  callId: 'c',
  name: 'Bash',
  input: '{}',
  summary: 'ls',
}
const requested: CallBody = { type: 'approval.requested', approval }
const resolved = (outcome: 'allow_once' | 'reject_once'): CallBody => ({
  type: 'approval.resolved',
  approvalId: 'a',
  callId: 'c',
  outcome,
})
const judged = (decision: 'allow' | 'deny'): CallBody => ({
  type: 'tool.judged',
  turnId: 't',
  callId: 'c',
  decision,
  reason: 'It only reads.',
})
const states = (...bodies: CallBody[]): ToolItem['state'][] => {
  let item = newCallRow({ turnId: 't', stepId: 's' }, 'c', 'Bash')
  return bodies.map((body, index) => {
    item = applyCallEvent(item, { ...body, sessionId: 'x', seq: index + 1, at: index + 1 })
    return item.state
  })
}

it('a call that waits behind another is queued, and runs only once it is allowed', () => {
  expect(states(started, judged('allow'))).toEqual(['ready', 'running'])
  expect(states(started, judged('deny'))).toEqual(['ready', 'ready'])
})

it('a call that needs approval waits for the user, then runs or is rejected', () => {
  expect(states(started, requested, resolved('allow_once'))).toEqual(['ready', 'waiting', 'running'])
  expect(states(started, requested, resolved('reject_once'))).toEqual(['ready', 'waiting', 'rejected'])
})

it('a question during a call leaves it running', () => {
  const question: CallBody = { type: 'approval.requested', approval: { ...approval, asks: 'form' } }
  expect(states(started, judged('allow'), question, resolved('reject_once'))).toEqual([
    'ready',
    'running',
    'running',
    'running',
  ])
})
