import type { SessionUpdate } from '@agentclientprotocol/sdk'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../../../shared/events/event'
import { clientPaths } from './client-paths'
import { EventUpdates } from './event-updates'
import { UpdateQueue } from './update-queue'

type Fields = Record<string, unknown>

const sent: SessionUpdate[] = []
const listeners = new Map<string, (event: SessionEvent) => void>()
let queue: UpdateQueue
let updates: EventUpdates
let optionChanges = 0

beforeEach(async () => {
  sent.length = 0
  optionChanges = 0
  listeners.clear()
  queue = new UpdateQueue({ send: async (update) => void sent.push(update) })
  updates = new EventUpdates({
    queue,
    listen: (sessionId, listener) => {
      listeners.set(sessionId, listener)
      return () => listeners.delete(sessionId)
    },
    paths: await clientPaths(['/no-such-project']),
    capabilities: {},
    contextWindow: () => 1000,
    onOptions: () => (optionChanges += 1),
  })
})
afterEach(() => queue.close())

let seq = 0
const recorded = (type: string, fields: Fields): SessionEvent =>
  ({ type, seq: (seq += 1), at: 0, turnId: 't1', ...fields }) as unknown as SessionEvent
const live = (type: string, fields: Fields): SessionEvent => ({ type, ...fields }) as unknown as SessionEvent
const on = (event: SessionEvent): void => updates.onEvent(event)
const started = (callId: string, fields: Fields = {}): SessionEvent =>
  recorded('tool.started', { stepId: 's1', callId, name: 'Bash', input: '{"command":"ls"}', summary: 'ls', ...fields })
const finished = (callId: string, fields: Fields = {}): SessionEvent =>
  recorded('tool.finished', {
    callId,
    name: 'Bash',
    content: [{ type: 'text', text: 'ok' }],
    isError: false,
    durationMs: 5,
    ...fields,
  })

/** The updates of a call, including all pending ones. */
function ofCall(callId: string): Fields[] {
  void queue.flush()
  return sent.filter((update) => 'toolCallId' in update && update.toolCallId === callId)
}

describe('a call', () => {
  it('is announced once, and shown as running only if it takes time', () => {
    on(started('c1'))
    on(recorded('tool.judged', { callId: 'c1', decision: 'allow' }))
    on(finished('c1'))
    expect(ofCall('c1').map(({ sessionUpdate, status }) => [sessionUpdate, status])).toEqual([
      ['tool_call', 'pending'],
      ['tool_call_update', 'completed'],
    ])
    on(started('c2'))
    on(recorded('tool.judged', { callId: 'c2', decision: 'allow' }))
    expect(ofCall('c2').map(({ status }) => status)).toEqual(['pending', 'in_progress'])
  })

  it('that was drafted keeps its position, and gets its title as it grows', () => {
    on(live('tool.drafting', { stepId: 's1', callId: 'c1', name: 'Write' }))
    on(live('tool.drafting', { stepId: 's1', callId: 'c1', name: 'Write', subject: 'a.t' }))
    on(live('tool.drafting', { stepId: 's1', callId: 'c1', name: 'Write', subject: 'a.ts' }))
    expect(ofCall('c1').map(({ title }) => title)).toEqual(['Write', 'Write: a.ts'])
    on(started('c1', { name: 'Write', input: '{"path":"a.ts"}', summary: '' }))
    const calls = ofCall('c1')
    expect(calls.map(({ sessionUpdate }) => sessionUpdate)).toEqual([
      'tool_call',
      'tool_call_update',
      'tool_call_update',
    ])
    expect(calls.at(-1)).toMatchObject({ title: 'Write: a.ts', locations: [{ path: '/no-such-project/a.ts' }] })
  })

  it('that was aborted while it was drafted has failed; one that started keeps running', () => {
    on(live('tool.drafting', { stepId: 's1', callId: 'cut', name: 'Write' }))
    on(started('runs'))
    on(
      recorded('step.retried', {
        stepId: 's1',
        attempt: 1,
        of: 3,
        failure: { title: 'Overloaded' },
        superseded: { text: 'half an ans' },
      }),
    )
    expect(ofCall('cut').at(-1)?.['status']).toBe('failed')
    expect(ofCall('runs').map(({ status }) => status)).toEqual(['pending'])
  })

  it('in a terminal of the client shows the terminal, and the reason only if there is no exit code', () => {
    on(started('c1'))
    updates.showTerminal('c1', 'term-1')
    on(live('tool.progress', { callId: 'c1', text: 'not shown twice' }))
    on(finished('c1', { isError: true, content: [{ type: 'text', text: 'out\nStopped by the user' }] }))
    const [, running, end] = ofCall('c1')
    expect(running).toMatchObject({ status: 'in_progress', content: [{ type: 'terminal', terminalId: 'term-1' }] })
    expect(end).toMatchObject({
      status: 'failed',
      content: [{ type: 'terminal' }, { content: { text: 'Stopped by the user' } }],
    })
    updates.showTerminal('of a subagent', 'term-2')
    expect(ofCall('of a subagent')).toEqual([])
  })

  it("shows the end of a command's output so far, without terminal codes", () => {
    on(started('c1'))
    on(live('tool.progress', { callId: 'c1', text: '10%\r\u001b[31m20%' }))
    expect(JSON.stringify(ofCall('c1').at(-1))).toContain('20%')
    expect(JSON.stringify(ofCall('c1').at(-1))).not.toContain('u001b')
  })
})

describe('text', () => {
  const messages = () => {
    void queue.flush()
    return sent.flatMap((update) =>
      update.sessionUpdate === 'agent_message_chunk' ? [[update.messageId, (update.content as Fields)['text']]] : [],
    )
  }

  it('of another attempt is another message, after a note in the first one', () => {
    on(recorded('turn.started', {}))
    on(live('text.delta', { stepId: 's1', text: 'half an ans' }))
    const failure = { title: 'Overloaded' }
    on(recorded('step.retried', { stepId: 's1', attempt: 1, of: 3, failure, superseded: { text: 'half an ans' } }))
    on(live('text.delta', { stepId: 's1', text: 'an answer' }))
    expect(messages()).toEqual([
      ['s1', 'half an ans\n\n*Overloaded; trying again (attempt 2 of 3).*\n\n'],
      ['s1-2', 'an answer'],
    ])
  })
})

describe('a subagent', () => {
  const begin = (background: boolean): ((event: SessionEvent) => void) => {
    on(started('c1', { name: 'Agent', summary: 'explore' }))
    on(recorded('subagent.started', { callId: 'c1', agentId: 'a1', agentType: 'coder', background }))
    return listeners.get('a1')!
  }
  const step = (callId: string, summary: string): SessionEvent => started(callId, { summary })
  const allowed = (callId: string): SessionEvent => recorded('tool.judged', { callId, decision: 'allow' })

  it('shows its latest steps in the call that started it, each once', () => {
    const agent = begin(false)
    for (let n = 1; n <= 10; n += 1) {
      agent(step(`i${n}`, `step ${n}`))
      agent(allowed(`i${n}`))
      agent(allowed(`i${n}`))
    }
    const text = JSON.stringify(ofCall('c1').at(-1))
    expect(text).toContain('coder at work:')
    expect(text).not.toContain('step 2\\n')
    expect(text.match(/Bash: step/g)).toHaveLength(8)
  })

  it('in the background does not show its call as running after it has returned', () => {
    const agent = begin(true)
    on(finished('c1', { name: 'Agent' }))
    agent(step('i1', 'later'))
    agent(allowed('i1'))
    expect(ofCall('c1').map(({ status }) => status)).toEqual(['pending', 'completed'])
  })

  it('in the background still closes the calls that the client was asked to approve, until it ends', () => {
    const agent = begin(true)
    on(finished('c1', { name: 'Agent' }))
    agent(recorded('approval.requested', { approval: { callId: 'i1' } }))
    agent(finished('i1', { isError: true }))
    expect(ofCall('a1/i1')).toMatchObject([{ status: 'failed' }])
    agent(recorded('agent.ended', {}))
    expect(listeners.size).toBe(0)
  })

  it('is unsubscribed once the session is closed', () => {
    begin(false)
    updates.close()
    expect(listeners.size).toBe(0)
  })
})

it('reports changes of mode, model and effort, and titles with the time of the change', () => {
  on(recorded('session.changed', { mode: 'auto' }))
  on(recorded('plan.entered', {}))
  on(recorded('session.changed', { title: 'New title' }))
  expect(optionChanges).toBe(2)
  expect(sent).toEqual([
    { sessionUpdate: 'session_info_update', title: 'New title', updatedAt: new Date(0).toISOString() },
  ])
})
