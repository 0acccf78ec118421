import { expect, it } from 'vitest'
import type { Approval } from '../../../shared/model/approval/approval'
import type { EventBody, RecordedEvent } from '../../../shared/events/event'
import { emptyHeader } from '../../../shared/events/fold-header'
import { applyEvents, initialView } from '../../../shared/events/session-view'
import { forkedEvents } from './fork'

const turn = { turnId: 't' }
const approval = (callId: string): Approval => ({
  ...turn,
  approvalId: `a-${callId}`,
  callId,
  tool: 'Bash',
  summary: callId,
  reason: 'asks',
  options: [],
  requestedAt: 1,
})
const started = (callId: string): EventBody => ({
  type: 'tool.started',
  ...turn,
  stepId: 's',
  callId,
  name: 'Bash',
  input: '{}',
  summary: callId,
})
const finished = (callId: string, isError: boolean): EventBody => ({
  type: 'tool.finished',
  ...turn,
  callId,
  name: 'Bash',
  content: [],
  isError,
  durationMs: 1,
})
const asked = (callId: string, asks?: Approval['asks']): EventBody => ({
  type: 'approval.requested',
  approval: { ...approval(callId), ...(asks && { asks }) },
})
const resolved = (callId: string, outcome: 'allow_always' | 'reject_once' | 'cancelled'): EventBody => ({
  type: 'approval.resolved',
  approvalId: `a-${callId}`,
  callId,
  outcome,
  ...(outcome === 'allow_always' && { rule: { pattern: 'Bash(*)', scope: 'session' as const } }),
})

function recorded(bodies: readonly EventBody[]): RecordedEvent[] {
  return bodies.map((body, index) => ({ ...body, sessionId: 'x', seq: index + 1, at: index + 1 }))
}

it('a fork keeps rejections and calls that were not run, and copies no permissions', () => {
  const log = recorded([
    { type: 'turn.started', ...turn, parts: [{ type: 'text', text: 'go' }], model: 'm' },
    ...['rejected', 'stopped', 'allowed', 'broken'].map(started),
    asked('rejected'),
    resolved('rejected', 'reject_once'),
    finished('rejected', true),
    asked('stopped'),
    resolved('stopped', 'cancelled'),
    finished('stopped', true),
    asked('allowed'),
    resolved('allowed', 'allow_always'),
    finished('allowed', false),
    // A server asked during the call, the user rejected it, and so the call failed.
    asked('broken', 'form'),
    resolved('broken', 'reject_once'),
    finished('broken', true),
    { type: 'turn.finished', ...turn, stop: 'end_turn', steps: 1, durationMs: 1 },
  ])
  const fork = recorded(forkedEvents({ window: () => ({ events: log, hasMore: false }) }, 'x', log.length))
  const { items, header } = applyEvents(initialView(emptyHeader('x'), [], false), fork)
  expect(items.flatMap((item) => (item.kind === 'tool' ? [`${item.callId}: ${item.state}`] : []))).toEqual([
    'rejected: rejected',
    'stopped: rejected',
    'allowed: done',
    'broken: failed',
  ])
  expect(header.rules).toBeUndefined()
  expect(header.approvals).toEqual([])
})

it('a fork of a compacted conversation copies no counts and no bound thinking of answers after the compaction', () => {
  const answer = (text: string): EventBody => ({
    type: 'step.finished',
    ...turn,
    stepId: text,
    parts: [
      { type: 'thinking', text, metadata: { anthropic: { signature: text } } },
      { type: 'text', text },
    ],
    finish: 'stop',
    durationMs: 1,
    usage: { input: 100, output: 1, cached: 0, thinking: 0 },
  })
  const compaction: EventBody = {
    type: 'compaction.finished',
    compactionId: 'c',
    kept: [],
    note: 'n',
    summary: 's',
    files: [],
    dropped: { answers: 1, results: 0, messages: 0 },
    before: 100,
    after: 10,
    durationMs: 1,
  }
  const log = recorded([
    answer('before'),
    compaction,
    answer('behind'),
    { type: 'compaction.undone', compactionId: 'c', tokens: 100 },
    answer('after'),
  ])
  const store = { window: () => ({ events: log, hasMore: false }) }
  const steps = forkedEvents(store, 'x', log.length).filter((event) => event.type === 'step.finished')
  expect(steps.map(({ usage, parts }) => [usage?.input, parts[0]?.type === 'thinking' && parts[0].metadata])).toEqual([
    [100, { anthropic: { signature: 'before' } }],
    [undefined, undefined],
    [100, { anthropic: { signature: 'after' } }],
  ])
})
