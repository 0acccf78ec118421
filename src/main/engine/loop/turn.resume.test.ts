import { describe, expect, it } from 'vitest'
import { calls, text, tool, turnFixture } from '../../../../test/support/turn-fixture'
import type { Approval } from '../../../shared/model/approval/approval'
import type { EventBody } from '../../../shared/events/event'
import { textOf, type ToolCallPart } from '../../../shared/model/turn/message'
import { ok } from '../tool/tool'
import type { Gate, GateCall } from './call-lifecycle'
import { type OpenTurn, TurnStopped, TurnSuspended } from './turn-context'
import { runTurn } from './turn'

const part = (callId: string, name: string, input: object = {}): ToolCallPart => {
  return { type: 'tool_call', callId, name, input: JSON.stringify(input) }
}
const approvalOf = (callId: string): Approval => {
  return {
    approvalId: `a-${callId}`,
    turnId: 'turn',
    callId,
    tool: 'Ask',
    summary: 'Ask',
    reason: '',
    options: [],
    requestedAt: 0,
  }
}
const openWith = (open: Partial<OpenTurn>): OpenTurn => {
  return {
    turnId: 'turn',
    stepId: 's',
    startedAt: 0,
    steps: 1,
    calls: [],
    results: new Map(),
    approvals: [],
    past: [],
    known: new Set((open.calls ?? []).map(({ callId }) => callId)),
    ...open,
  }
}
const finished = (events: readonly EventBody[]) =>
  events.flatMap((event) => (event.type === 'tool.finished' ? [event] : []))

/** A gate that allows everything except `Ask`, which waits for an answer or an abort. */
function askingGate() {
  const asked: { request: GateCall; allow(): void }[] = []
  const gate: Gate = (request, signal) => {
    if (request.tool.name !== 'Ask')
      return Promise.resolve({ allowed: true, judged: { decision: 'allow', reason: 'It only reads.' } })
    return new Promise((resolve, reject) => {
      asked.push({ request, allow: () => resolve({ allowed: true }) })
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    })
  }
  return { gate, asked }
}

describe('a turn that waits for the user', () => {
  it('when its process ends, leaves calls open that have not started, and lets running calls report their progress', async () => {
    const { gate, asked } = askingGate()
    const slow = tool({
      name: 'Slow',
      run: (_input, { signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve(ok('half')))),
    })
    const asks = tool({ name: 'Ask', accesses: () => [{ kind: 'file', path: '/x', write: true }] })
    const behind = tool({ name: 'Behind', accesses: () => [{ kind: 'file', path: '/x', write: false }] })
    const turn = turnFixture({
      answers: [calls(['Slow', {}], ['Ask', {}], ['Ask', {}], ['Behind', {}])],
      tools: [slow, asks, behind],
      gate,
    })
    const end = runTurn(turn.ctx)
    await expect.poll(() => asked.length).toBe(1)
    await turn.recorded('tool.judged')
    turn.stop(new TurnSuspended())
    expect(await end).toMatchObject({ stop: 'suspended' })
    expect(finished(turn.events).map(({ callId, content }) => [callId, textOf(content)])).toEqual([['c0', 'half']])
    expect(turn.events.filter(({ type }) => type === 'approval.resolved')).toEqual([])
  })

  it('resumes in a later process: only open calls run, results keep the order of the calls, and the next step follows', async () => {
    const { gate, asked } = askingGate()
    const runs: string[] = []
    const noted = (name: string) =>
      tool({ name, run: (input) => (runs.push(name), ok(`${name} ${String(input['n'])}`)) })
    const turn = turnFixture({ answers: [text('done')], tools: [noted('Ask'), noted('Read')], gate })
    const open = openWith({
      steps: 3,
      calls: [
        part('c0', 'Read', { n: 0 }),
        part('c1', 'Ask', { n: 1 }),
        part('c2', 'Ask', { n: 1 }),
        part('c3', 'Read', { n: 3 }),
      ],
      results: new Map([['c0', ok('from before')]]),
      approvals: [approvalOf('c1')],
    })
    const end = runTurn(turn.ctx, open)
    await expect.poll(() => asked.length).toBe(1)
    expect(asked[0]!.request.asked).toEqual(approvalOf('c1'))
    asked[0]!.allow()
    expect(await end).toEqual({ stop: 'end_turn', steps: 4 })
    expect(runs.toSorted()).toEqual(['Ask', 'Read'])
    expect(turn.events.filter(({ type }) => type === 'tool.started')).toEqual([])
    const results = turn.requests[0]!.messages.slice(-4).map(
      (message) => message.role === 'tool' && textOf(message.content),
    )
    expect(results).toEqual(['from before', 'Ask 1', 'Same as the call above; not run again.', 'Read 3'])
  })

  it('cancels a request whose tool no longer exists, or whose turn is stopped before its call reaches the gate again', async () => {
    const open = openWith({ calls: [part('c0', 'Ask')], approvals: [approvalOf('c0')] })
    const without = turnFixture({ answers: [text('done')] })
    expect(await runTurn(without.ctx, open)).toMatchObject({ stop: 'end_turn' })
    expect(without.events[0]).toMatchObject({
      type: 'approval.resolved',
      approvalId: 'a-c0',
      outcome: 'cancelled',
      reason: expect.stringContaining('Ask'),
    })
    const stopped = turnFixture({ answers: [], tools: [tool({ name: 'Ask' })] })
    stopped.stop(new TurnStopped('The session was archived.'))
    expect(await runTurn(stopped.ctx, open)).toMatchObject({ stop: 'cancelled' })
    expect(stopped.events.map((event) => (event.type === 'approval.resolved' ? event.reason : event.type))).toEqual([
      'The session was archived.',
      'tool.finished',
    ])
  })

  it('counts repetitions across processes', async () => {
    const same = {
      calls: [part('x', 'Read')],
      results: [{ role: 'tool' as const, callId: 'x', name: 'Read', isError: false, content: ok('same').content }],
      longestMs: 1,
    }
    const open = openWith({ calls: [part('c2', 'Read')], approvals: [], past: [same, same, same] })
    const turn = turnFixture({ answers: [text('done')], tools: [tool({ name: 'Read', run: () => ok('same') })] })
    await runTurn(turn.ctx, open)
    expect(turn.events).toContainEqual(expect.objectContaining({ type: 'turn.steered', by: 'guard' }))
  })

  it('does not run a call whose start could not be recorded', async () => {
    let ran = false
    const { gate } = askingGate()
    const turn = turnFixture({
      answers: [calls(['Read', {}])],
      tools: [tool({ name: 'Read', run: () => ((ran = true), ok('')) })],
      gate,
    })
    const { record } = turn.ctx
    turn.ctx.record = (...events) => {
      if (events.some(({ type }) => type === 'tool.judged')) throw new Error('the disk is full')
      record(...events)
    }
    expect(await runTurn(turn.ctx)).toMatchObject({ stop: 'error' })
    expect(ran).toBe(false)
  })

  it('reports a failure to ask to the model as a failure, not as a stop', async () => {
    const gate: Gate = () => Promise.reject(new Error('the disk is full'))
    const turn = turnFixture({ answers: [calls(['Read', {}]), text('done')], tools: [tool({ name: 'Read' })], gate })
    await runTurn(turn.ctx)
    expect(textOf(finished(turn.events)[0]!.content)).toContain('the disk is full')
  })
})

it('prepares a sandbox only after the request was sent, and only if the model may call Bash', async () => {
  const play = async (names: string[]): Promise<string[]> => {
    const order: string[] = []
    const turn = turnFixture({
      tools: names.map((name) => tool({ name })),
      answers: [
        async function* (request) {
          order.push('asked')
          await Promise.resolve()
          order.push('sent')
          request.sent?.()
          request.sent?.()
          yield* text('done')
        },
      ],
    })
    turn.ctx.calls.warmUp = () => void order.push('warm')
    await runTurn(turn.ctx)
    return order
  }
  expect(await play(['Read', 'Bash'])).toEqual(['asked', 'sent', 'warm'])
  expect(await play(['Read'])).toEqual(['asked', 'sent'])
})
