import { describe, expect, it } from 'vitest'
import {
  type Answer,
  calls,
  text,
  tool,
  turnFixture,
  types,
  type ToolSpec,
  type TurnFixture,
} from '../../../../test/support/turn-fixture'
import { CodedError } from '../../../shared/errors'
import type { EventBody } from '../../../shared/events/event'
import { textOf } from '../../../shared/model/turn/message'
import type { ModelChunk } from '../model/provider'
import { failed, ok, type Access } from '../tool/tool'
import { runTurn } from './turn'

const finishedCalls = (events: readonly EventBody[]) => events.filter((event) => event.type === 'tool.finished')

describe('a turn', () => {
  it('ends when the model answers without calling a tool', async () => {
    const turn = turnFixture({ answers: [text('Hello')] })
    expect(await runTurn(turn.ctx)).toEqual({ stop: 'end_turn', steps: 1 })
    expect(types(turn.events)).toEqual(['step.started', 'step.finished'])
    expect(turn.live).toEqual([{ type: 'text.delta', stepId: 'step-1', text: 'Hello' }])
  })

  it('sends a request first, and records its step before anything of the answer and while it waits for it', async () => {
    const seen: string[][] = []
    const turn: TurnFixture = turnFixture({
      answers: [
        async function* () {
          seen.push(types(turn.events))
          await turn.recorded('step.started')
          yield* text('Hello')
        },
        text('done'),
      ],
    })
    await runTurn(turn.ctx)
    expect(seen).toEqual([[]])
    expect(types(turn.events)).toEqual(['step.started', 'step.finished'])
  })

  it('ends with the failure when its step cannot be recorded, and shows no part of the answer', async () => {
    const turn = turnFixture({ answers: [text('Hello')] })
    turn.ctx.record = () => {
      throw new CodedError('session.elsewhere', 'It runs elsewhere.')
    }
    expect(await runTurn(turn.ctx)).toMatchObject({ stop: 'error', failure: { code: 'session.elsewhere' } })
    expect(turn.live).toEqual([])
  })

  it('sends results back in the order of the calls, whichever finished first', async () => {
    const gates = new Map<string, () => void>()
    const wait = tool({
      name: 'Wait',
      run: (input) => new Promise((resolve) => gates.set(String(input['id']), () => resolve(ok(String(input['id']))))),
    })
    const turn = turnFixture({
      answers: [calls(['Wait', { id: 'a' }], ['Wait', { id: 'b' }]), text('done')],
      tools: [wait],
    })
    const end = runTurn(turn.ctx)
    await expect.poll(() => gates.size).toBe(2)
    gates.get('b')!()
    await turn.recorded('tool.finished')
    gates.get('a')!()
    await end
    expect(finishedCalls(turn.events).map((event) => event.callId)).toEqual(['c1', 'c0'])
    expect(turn.requests[1]!.messages.slice(2).map((message) => message.role === 'tool' && message.callId)).toEqual([
      'c0',
      'c1',
    ])
  })

  it('runs calls that touch the same file one after another, and prepares the later one again', async () => {
    const log: string[] = []
    const write = tool({
      name: 'Put',
      accesses: () => [{ kind: 'file', path: '/x', write: true }],
      run: (input) => (log.push(`put ${String(input['n'])}`), ok('')),
    })
    const read = tool({
      name: 'Get',
      accesses: () => [{ kind: 'file', path: '/x', write: false }],
      run: () => (log.push('get'), ok('')),
    })
    const turn = turnFixture({
      answers: [calls(['Put', { n: 1 }], ['Get', {}], ['Put', { n: 2 }]), text('done')],
      tools: [write, read],
    })
    await runTurn(turn.ctx)
    expect(log).toEqual(['put 1', 'get', 'put 2'])
  })

  const counted = (name: string, more: Partial<ToolSpec> = {}) => {
    let runs = 0
    return tool({ name, run: () => ok(String((runs += 1))), ...more })
  }
  const finishedTexts = (turn: TurnFixture): string[] =>
    turn.requests[1]!.messages.flatMap((each) => (each.role === 'tool' ? [textOf(each.content)] : []))
  const file =
    (path: string, write: boolean): ToolSpec['accesses'] =>
    () => [{ kind: 'file', path, write }]

  it('runs a read-only call once when a step contains it twice, and says so', async () => {
    const turn = turnFixture({
      answers: [calls(['Count', { a: 1, b: 2 }], ['Count', '{"b": 2, "a": 1}']), text('done')],
      tools: [counted('Count', { accesses: file('/a', false) })],
    })
    await runTurn(turn.ctx)
    expect(finishedCalls(turn.events).map((event) => textOf(event.content))).toEqual([
      '1',
      'Same as the call above; not run again.',
    ])
    expect(finishedTexts(turn)).toEqual(['1', 'Same as the call above; not run again.'])
  })

  it('runs a call that changes something as often as the model makes it', async () => {
    const turn = turnFixture({
      answers: [calls(['Append', {}], ['Append', {}], ['Append', {}]), text('done')],
      tools: [
        counted('Append', { accesses: () => [{ kind: 'command', command: 'echo x >> f', cwd: '/' }], changes: true }),
      ],
    })
    await runTurn(turn.ctx)
    expect(finishedTexts(turn)).toEqual(['1', '2', '3'])
  })

  it('reads again what a call between two equal reads may have changed', async () => {
    const read = counted('Look', { accesses: file('/a', false) })
    const change = tool({ name: 'Change', accesses: file('/a', true), changes: true })
    const other = tool({ name: 'Other', accesses: file('/b', true), changes: true })
    const unknown = tool({ name: 'Unknown', changes: true })
    const step = calls(
      ['Look', {}],
      ['Change', {}],
      ['Look', {}],
      ['Other', {}],
      ['Look', {}],
      ['Unknown', {}],
      ['Look', {}],
    )
    const turn = turnFixture({ answers: [step, text('done')], tools: [read, change, other, unknown] })
    await runTurn(turn.ctx)
    expect(finishedTexts(turn).filter((_, index) => index % 2 === 0)).toEqual([
      '1',
      '2',
      'Same as the call above; not run again.',
      '3',
    ])
  })

  it('sets a list to A, then to B, then to A again, if the model makes these calls', async () => {
    const log: unknown[] = []
    const list = tool({ name: 'List', run: (input) => (log.push(input['to']), ok('')) })
    const turn = turnFixture({
      answers: [calls(['List', { to: 'A' }], ['List', { to: 'B' }], ['List', { to: 'A' }]), text('done')],
      tools: [list],
    })
    await runTurn(turn.ctx)
    expect(log).toEqual(['A', 'B', 'A'])
  })

  it('turns malformed arguments, unknown tools and a throwing tool into results the model can act on', async () => {
    const turn = turnFixture({
      answers: [calls(['Echo', '{"a": '], ['Ecko', {}], ['Boom', {}]), text('done')],
      tools: [tool({ name: 'Echo' }), tool({ name: 'Boom', run: () => Promise.reject(new Error('broken inside')) })],
    })
    expect((await runTurn(turn.ctx)).stop).toBe('end_turn')
    const results = turn.requests[1]!.messages.slice(2)
    expect(results.every((message) => message.role === 'tool' && message.isError)).toBe(true)
    expect(JSON.stringify(results[0])).toMatch(/JSON/)
    expect(JSON.stringify(results[1])).toMatch(/Echo/)
    expect(JSON.stringify(results[2])).toMatch(/broken inside/)
  })

  it('tells the model the reason when a call is not allowed, and does not run it', async () => {
    let ran = false
    const turn = turnFixture({
      answers: [calls(['Act', {}]), text('ok')],
      tools: [tool({ name: 'Act', run: () => ((ran = true), ok('')) })],
      gate: async () => ({ allowed: false, message: 'The user rejected this call and says: not on Fridays' }),
    })
    await runTurn(turn.ctx)
    expect(ran).toBe(false)
    expect(JSON.stringify(turn.requests[1]!.messages)).toContain('not on Fridays')
  })

  it('makes call ids unique when a server restarts its count in each answer', async () => {
    const turn = turnFixture({
      answers: [calls(['Echo', { n: 1 }, 'call_0']), calls(['Echo', { n: 2 }, 'call_0']), text('done')],
      tools: [tool({ name: 'Echo' })],
    })
    await runTurn(turn.ctx)
    expect(finishedCalls(turn.events).map((event) => event.callId)).toEqual(['call_0', 'call_0_2'])
  })

  it('lets a message join before the next step, even when the model had just finished', async () => {
    const turn = turnFixture({ answers: [text('first'), text('second')] })
    const { provider } = turn.ctx.model
    turn.ctx.model.provider = {
      async *stream(request, signal) {
        if (turn.requests.length === 0) turn.steer('one more thing')
        yield* provider.stream(request, signal)
      },
    }
    expect((await runTurn(turn.ctx)).steps).toBe(2)
    expect(turn.requests[1]!.messages.at(-1)).toEqual({
      role: 'user',
      parts: [{ type: 'text', text: 'one more thing' }],
    })
  })
})

describe('the guards of a turn', () => {
  it('end it at the last step with one uncounted request that keeps the prefix and forbids tools', async () => {
    const echo = tool({ name: 'Echo' })
    const turn = turnFixture({
      answers: [calls(['Echo', { n: 1 }]), calls(['Echo', { n: 2 }]), text('what I have')],
      tools: [echo],
      maxSteps: 2,
    })
    expect(await runTurn(turn.ctx)).toEqual({ stop: 'max_turn_requests', steps: 2 })
    expect(turn.requests[2]!.tools).toBe(turn.requests[1]!.tools)
    expect(turn.requests.map(({ toolChoice }) => toolChoice)).toEqual([undefined, undefined, 'none'])
    expect(JSON.stringify(turn.requests[2]!.messages.at(-1))).toMatch(/2 steps/)
  })

  it('announce the step limit once, even when the last request is repeated because it was too long', async () => {
    const refused: Answer = async function* () {
      yield* []
      throw new CodedError('model.context_overflow', 'too long')
    }
    const turn = turnFixture({
      answers: [calls(['Echo', {}]), refused, refused, text('all')],
      tools: [tool({ name: 'Echo' })],
      maxSteps: 1,
    })
    turn.ctx.conversation.budget.onOverflow = () => true
    expect(await runTurn(turn.ctx)).toEqual({ stop: 'max_turn_requests', steps: 1 })
    expect(turn.events.filter(({ type }) => type === 'turn.steered')).toHaveLength(1)
    expect(turn.requests.at(-1)!.messages).toEqual(turn.requests[1]!.messages)
  })

  it('warn a model that repeats itself, and end the turn at the twelfth repetition with its own stop reason', async () => {
    const same = calls(['Echo', {}])
    const turn = turnFixture({
      answers: [...Array.from({ length: 12 }, () => same), text('sorry')],
      tools: [tool({ name: 'Echo', run: () => ok('same') })],
    })
    expect(await runTurn(turn.ctx)).toEqual({ stop: 'repetition', steps: 12 })
    expect(turn.requests).toHaveLength(13)
    expect(JSON.stringify(turn.requests[4]!.messages.at(-1))).toMatch(/4 times in a row/)
    expect(JSON.stringify(turn.requests[8]!.messages.at(-1))).toMatch(/8 times in a row/)
    expect(turn.requests[11]!.tools).toHaveLength(1)
    expect(turn.requests[12]!.tools).toBe(turn.requests[11]!.tools)
    expect(turn.requests[12]!.toolChoice).toBe('none')
  })

  it('ignore a repeated call whose result changes', async () => {
    let n = 0
    const same = calls(['Poll', {}])
    const turn = turnFixture({
      answers: [...Array.from({ length: 20 }, () => same), text('done')],
      tools: [tool({ name: 'Poll', run: () => ok(String((n += 1))) })],
    })
    expect((await runTurn(turn.ctx)).stop).toBe('end_turn')
  })
})

describe('a step that fails', () => {
  const broken = (code: 'model.overloaded' | 'model.auth', retryAfterMs?: number) =>
    async function* (): AsyncGenerator<ModelChunk> {
      yield { type: 'text', text: 'half a ' }
      throw new CodedError(code, 'says no', retryAfterMs === undefined ? {} : { retryAfterMs })
    }

  it('is retried with exponential backoff, and its partial answer is superseded, not duplicated', async () => {
    const turn = turnFixture({ answers: [broken('model.overloaded'), broken('model.overloaded'), text('whole')] })
    expect((await runTurn(turn.ctx)).stop).toBe('end_turn')
    expect(turn.pauses).toEqual([100, 200])
    expect(types(turn.events)).toEqual(['step.started', 'step.retried', 'step.retried', 'step.finished'])
    expect(turn.events[1]).toMatchObject({ attempt: 1, of: 3, superseded: { text: 'half a ' } })
    expect(turn.ctx.conversation.history.at(-1)).toEqual({
      role: 'assistant',
      model: 'p/m',
      parts: [{ type: 'text', text: 'whole' }],
    })
  })

  it('waits as long as the server asks', async () => {
    const turn = turnFixture({ answers: [broken('model.overloaded', 900), text('ok')] })
    await runTurn(turn.ctx)
    expect(turn.pauses).toEqual([900])
  })

  it('is not retried when a retry cannot help', async () => {
    const turn = turnFixture({ answers: [broken('model.auth')] })
    expect(await runTurn(turn.ctx)).toMatchObject({ stop: 'error', failure: { code: 'model.auth' } })
    expect(turn.pauses).toEqual([])
    expect(turn.events.at(-1)).toMatchObject({
      type: 'step.finished',
      partial: true,
      parts: [{ type: 'text', text: 'half a ' }],
    })
  })

  it('gives up after the last attempt and reports the number of attempts', async () => {
    const turn = turnFixture({
      answers: [broken('model.overloaded'), broken('model.overloaded'), broken('model.overloaded')],
    })
    const end = await runTurn(turn.ctx)
    expect(end).toMatchObject({ stop: 'error', failure: { code: 'model.overloaded' } })
    expect(end.failure?.message).toMatch(/3 attempts/)
  })

  it('never accepts a stream without its end marker as an answer', async () => {
    const turn = turnFixture({ answers: [[{ type: 'text', text: 'cut' }], [], text('whole')] })
    expect((await runTurn(turn.ctx)).stop).toBe('end_turn')
    expect(turn.events.filter((event) => event.type === 'step.retried').map((event) => event.failure.code)).toEqual([
      'model.incomplete',
      'model.incomplete',
    ])
  })

  it('retries once after an empty answer, and fails when the next one is empty too', async () => {
    const empty: ModelChunk[] = [{ type: 'finish', reason: 'stop' }]
    const turn = turnFixture({ answers: [empty, empty, text('never asked for')] })
    expect(await runTurn(turn.ctx)).toMatchObject({ stop: 'error', failure: { code: 'model.empty' } })
    expect(types(turn.events)).toEqual(['step.started', 'step.retried', 'step.finished'])
    const again = turnFixture({ answers: [empty, text('here')] })
    expect((await runTurn(again.ctx)).stop).toBe('end_turn')
  })

  it('does not record a step whose prompt cannot fit', async () => {
    const turn = turnFixture({ answers: [] })
    turn.ctx.conversation.budget.enforce = async () => {
      throw new CodedError('model.context_overflow', 'too long')
    }
    expect(await runTurn(turn.ctx)).toMatchObject({ stop: 'error', failure: { code: 'model.context_overflow' } })
    expect(turn.events).toEqual([])
  })

  it('never runs a call that the length limit may have cut off', async () => {
    let ran = false
    const cut: ModelChunk[] = [
      { type: 'tool.call', callId: 'c', name: 'Act', input: '{}' },
      { type: 'finish', reason: 'length' },
    ]
    const turn = turnFixture({ answers: [cut, cut], tools: [tool({ name: 'Act', run: () => ((ran = true), ok('')) })] })
    expect((await runTurn(turn.ctx)).stop).toBe('max_tokens')
    expect(ran).toBe(false)
  })

  it('continues once after an answer that the output limit cut off, and names the lost calls', async () => {
    const cut: ModelChunk[] = [
      { type: 'text', text: 'I write it' },
      { type: 'tool.call', callId: 'c', name: 'Edit', input: '{}' },
      { type: 'tool.draft', callId: 'd', name: 'Write', text: '{"content":"half' },
      { type: 'finish', reason: 'length' },
    ]
    const turn = turnFixture({ answers: [cut, text('done')] })
    expect(await runTurn(turn.ctx)).toMatchObject({ stop: 'end_turn', steps: 2 })
    const [, second] = turn.requests
    expect(second!.messages.slice(1)).toEqual([
      { role: 'assistant', parts: [{ type: 'text', text: 'I write it' }], model: 'p/m' },
      {
        role: 'user',
        by: 'guard',
        parts: [{ type: 'text', text: expect.stringMatching(/cut off at the output limit.*Edit, Write were not run/) }],
      },
    ])
    const twice = turnFixture({ answers: [cut, cut] })
    expect(await runTurn(twice.ctx)).toMatchObject({ stop: 'max_tokens', steps: 2 })
  })

  it('adds the instruction files of the folders that successful calls accessed', async () => {
    const at = (path: string) => ({ accesses: (): Access[] => [{ kind: 'file', path, write: false }] })
    const tools = [
      tool({ name: 'Good', ...at('/p/a/x') }),
      tool({ name: 'Bad', ...at('/p/b/x'), run: () => failed('no') }),
    ]
    const turn = turnFixture({ answers: [calls(['Good', {}], ['Bad', {}]), text('done')], tools })
    turn.ctx.conversation.instructionsFor = async (touched) => `about ${touched.map(({ path }) => path).join()}`
    await runTurn(turn.ctx)
    expect(turn.requests[1]!.messages.at(-1)).toEqual({
      role: 'user',
      by: 'guard',
      parts: [{ type: 'text', text: 'about /p/a/x' }],
    })
    expect(turn.events).toContainEqual(expect.objectContaining({ type: 'turn.steered', by: 'guard' }))
  })

  it('treats silence as a failure', async () => {
    const silent = async function* (_request: unknown, signal: AbortSignal): AsyncGenerator<ModelChunk> {
      yield { type: 'text', text: 'well' }
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))
    }
    const turn = turnFixture({ answers: [silent, text('ok')], idleTimeoutMs: 60 })
    expect((await runTurn(turn.ctx)).stop).toBe('end_turn')
    expect(turn.events[1]).toMatchObject({ type: 'step.retried', failure: { code: 'model.timeout' } })
  })
})

describe('stopping a turn', () => {
  it('works while the model streams, even if the provider ignores it, and keeps the partial answer', async () => {
    const deaf = async function* (): AsyncGenerator<ModelChunk> {
      yield { type: 'text', text: 'As I was say' }
      await new Promise(() => undefined)
    }
    const turn = turnFixture({ answers: [deaf] })
    const end = runTurn(turn.ctx)
    await expect.poll(() => turn.live.length).toBe(1)
    turn.stop()
    expect(await end).toEqual({ stop: 'cancelled', steps: 1 })
    expect(turn.events.at(-1)).toMatchObject({
      type: 'step.finished',
      partial: true,
      parts: [{ type: 'text', text: 'As I was say' }],
    })
  })

  it('works while tools run: each started call gets exactly one result', async () => {
    const hang = tool({
      name: 'Hang',
      accesses: () => [{ kind: 'all' }],
      run: () => new Promise(() => undefined),
      timeoutMs: null,
    })
    const turn = turnFixture({ answers: [calls(['Hang', { n: 1 }], ['Hang', { n: 2 }])], tools: [hang] })
    const end = runTurn(turn.ctx)
    await turn.recorded('tool.started')
    turn.stop()
    expect((await end).stop).toBe('cancelled')
    expect(finishedCalls(turn.events).map((event) => [event.callId, event.isError])).toEqual([
      ['c0', true],
      ['c1', true],
    ])
  })

  it('works while an approval is pending', async () => {
    const turn = turnFixture({
      answers: [calls(['Act', {}])],
      tools: [tool({ name: 'Act' })],
      gate: (_call, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')))),
    })
    const end = runTurn(turn.ctx)
    await turn.recorded('tool.started')
    turn.stop()
    expect((await end).stop).toBe('cancelled')
    expect(finishedCalls(turn.events)).toHaveLength(1)
  })

  it('works while waiting for the next attempt', async () => {
    const turn = turnFixture({
      answers: [
        async function* (): AsyncGenerator<ModelChunk> {
          yield { type: 'text', text: '' }
          throw new CodedError('model.server', 'down')
        },
      ],
    })
    turn.ctx.clock.pause = (_ms, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))
    const end = runTurn(turn.ctx)
    await turn.recorded('step.retried')
    turn.stop()
    expect((await end).stop).toBe('cancelled')
    expect(turn.events.at(-1)).toMatchObject({ type: 'step.finished', partial: true })
  })
})

describe('a tool that takes too long', () => {
  it('is aborted through its signal, and its result says so', async () => {
    let cancelled = false
    const slow = tool({
      name: 'Slow',
      timeoutMs: 30,
      run: (_input, { signal }) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => ((cancelled = true), resolve(failed('what I had')))),
        ),
    })
    const turn = turnFixture({ answers: [calls(['Slow', {}]), text('done')], tools: [slow] })
    await runTurn(turn.ctx)
    expect(cancelled).toBe(true)
    const [result] = finishedCalls(turn.events)
    expect(result?.isError).toBe(true)
    expect(textOf(result!.content)).toMatch(/what I had.*took longer than 0.03 s/s)
  })
})
