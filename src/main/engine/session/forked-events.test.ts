import { expect, it } from 'vitest'
import type { Approval } from '../../../shared/model/approval'
import type { EventBody, RecordedEvent } from '../../../shared/model/event'
import { TranscriptDraft } from '../../../shared/model/transcript-fold'
import type { ToolItem } from '../../../shared/model/transcript-item'
import { forkedEvents } from './forked-events'

const call = (callId: string): EventBody => ({
  type: 'tool.started',
  turnId: 't',
  stepId: 's',
  callId,
  name: 'Bash',
  input: '{}',
  summary: callId,
})
const end = (callId: string, isError: boolean): EventBody => ({
  type: 'tool.finished',
  turnId: 't',
  callId,
  name: 'Bash',
  content: [],
  isError,
  durationMs: 38_000,
})
const asked = (callId: string, more: Partial<Approval> = {}): EventBody => ({
  type: 'approval.requested',
  approval: {
    approvalId: `a:${callId}`,
    turnId: 't',
    callId,
    tool: 'Bash',
    summary: '',
    reason: '',
    options: [],
    requestedAt: 0,
    ...more,
  },
})
const LOG: EventBody[] = [
  { type: 'turn.started', turnId: 't', parts: [{ type: 'text', text: 'go' }] } as EventBody,
  call('rejected'),
  asked('rejected'),
  { type: 'approval.resolved', approvalId: 'a:rejected', callId: 'rejected', outcome: 'reject_once', feedback: 'not today' },
  end('rejected', true),
  call('stopped'),
  asked('stopped'),
  { type: 'approval.resolved', approvalId: 'a:stopped', callId: 'stopped', outcome: 'cancelled' },
  end('stopped', true),
  call('allowed'),
  asked('allowed'),
  {
    type: 'approval.resolved',
    approvalId: 'a:allowed',
    callId: 'allowed',
    outcome: 'allow_always',
    remembered: 'Bash(ls)',
    rule: { pattern: 'Bash(ls:*)', scope: 'session' },
  },
  asked('allowed', { approvalId: 'a:form', asks: 'form' }),
  { type: 'approval.resolved', approvalId: 'a:form', callId: 'allowed', outcome: 'reject_once' },
  end('allowed', true),
  { type: 'turn.finished', turnId: 't', stop: 'end_turn', steps: 1, durationMs: 1 },
]
const recorded = (bodies: readonly EventBody[]): RecordedEvent[] =>
  bodies.map((body, n) => ({ ...body, sessionId: 'one', seq: n + 1, at: n })) as RecordedEvent[]

it('a fork shows what was rejected and what was never run as that, not as a failure', () => {
  const events = forkedEvents({ window: () => ({ events: recorded(LOG), hasMore: false }) }, 'one', LOG.length)
  const transcript = new TranscriptDraft([])
  for (const event of recorded(events)) transcript.recorded(event)
  const calls = transcript.items.filter((item): item is ToolItem => item.kind === 'tool')
  expect(calls.map(({ callId, state, approval }) => [callId, state, approval?.outcome])).toEqual([
    ['rejected', 'rejected', 'reject_once'],
    ['stopped', 'rejected', 'cancelled'],
    ['allowed', 'failed', 'allow_always'],
  ])
  expect(calls[0]?.approval?.feedback).toBe('not today')
})

it('a fork takes no permission with it', () => {
  const events = forkedEvents({ window: () => ({ events: recorded(LOG), hasMore: false }) }, 'one', LOG.length)
  expect(JSON.stringify(events)).not.toMatch(/remembered|Bash\(ls/)
})
