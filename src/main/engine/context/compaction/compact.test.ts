import { describe, expect, it } from 'vitest'
import { calls, text, turnFixture, types, type Answer } from '../../../../../test/support/turn-fixture'
import { CodedError } from '../../../../shared/errors'
import type { Message } from '../../../../shared/model/turn/message'
import type { ModelRequest } from '../../model/provider'
import { compact, type CompactionTask } from './compact'

const SIGNED: Message = {
  role: 'assistant',
  parts: [
    { type: 'thinking', text: 'Hm.', metadata: { anthropic: { signature: 'signed' } } },
    { type: 'text', text: 'answer' },
  ],
}
const HISTORY: Message[] = [{ role: 'user', parts: [{ type: 'text', text: 'the prompt' }] }, SIGNED]
const TOOL = { name: 'Read', description: 'Reads.', schema: {} }
const failing = (code: 'model.context_overflow' | 'model.bad_request' | 'model.overloaded'): Answer =>
  async function* () {
    yield* []
    throw new CodedError(code, 'no')
  }

function lab(answers: Answer[], task: Partial<CompactionTask> = {}) {
  const turn = turnFixture({ answers })
  const prefix = { system: 'the system prompt', tools: [TOOL] }
  const context = { ...turn.ctx, prefix, pins: async () => ({ todos: [], tasks: [] }) }
  const whole: CompactionTask = {
    history: HISTORY,
    reason: 'window',
    window: 10_000,
    trimThreshold: 8500,
    used: 8000,
    fixed: 100,
    files: [],
    ...task,
  }
  return {
    turn,
    run: () => compact(context, whole),
    isAlive: ({ messages }: ModelRequest) => messages[0] === HISTORY[0],
  }
}

describe('a compaction', () => {
  it('asks within the conversation itself, with the same start, and forbids tools', async () => {
    const { turn, run } = lab([text('SUMMARY')], { instruction: 'keep the names' })
    expect(await run()).toMatchObject({ kind: 'done', result: { summary: 'SUMMARY' } })
    const [request] = turn.requests
    expect(request).toMatchObject({
      system: 'the system prompt',
      tools: [TOOL],
      toolChoice: 'none',
      isOneOff: true,
      cache: 'short',
    })
    // Unchanged, including signed thinking.
    expect(request!.messages.slice(0, -1)).toEqual(HISTORY)
    expect(JSON.stringify(request!.messages.at(-1))).toContain('keep the names')
    expect(request!.purpose).toBe('summary')
  })

  it('asks within the conversation even if unsent results leave no space, and cuts only those', async () => {
    const call = (callId: string): Message => ({
      role: 'assistant',
      parts: [{ type: 'tool_call', callId, name: 'Read', input: '{}' }],
    })
    const result = (callId: string, words: string): Message => ({
      role: 'tool',
      callId,
      name: 'Read',
      isError: false,
      content: [{ type: 'text', text: words }],
    })
    const sent = [...HISTORY, call('c1'), result('c1', 'sent '.repeat(1000)), call('c2')]
    const history = [...sent, result('c2', 'new '.repeat(3000))]
    const { turn, run } = lab([text('SUMMARY')], { history, used: 9800 })
    expect(await run()).toMatchObject({ kind: 'done' })
    const [request] = turn.requests
    expect(request).toMatchObject({ system: 'the system prompt', tools: [TOOL], toolChoice: 'none' })
    for (const [index, message] of sent.entries()) expect(request!.messages[index]).toBe(message)
    expect(JSON.stringify(request!.messages[sent.length])).toMatch(/new new .*Cut here/)
    expect(JSON.stringify(request!.messages[sent.length]).length).toBeLessThan(11_000)
  })

  it.each<[string, Answer[], Partial<CompactionTask>]>([
    ['was just refused as too long', [text('SUMMARY')], { reason: 'overflow' }],
    ['does not fit', [text('SUMMARY')], { used: 9500 }],
    ['is refused as too long', [failing('model.context_overflow'), text('SUMMARY')], {}],
    ['is refused permanently', [failing('model.bad_request'), text('SUMMARY')], {}],
    ['is answered with a call instead', [calls(['Read', {}]), text('SUMMARY')], {}],
  ])('sends the conversation as text if the request %s, and caches none of it', async (_why, answers, task) => {
    const { turn, run, isAlive } = lab(answers, task)
    expect(await run()).toMatchObject({ kind: 'done', result: { summary: 'SUMMARY' } })
    const last = turn.requests.at(-1)!
    expect(isAlive(last)).toBe(false)
    expect(last).toMatchObject({ tools: [], cache: 'none' })
    expect(last.purpose).toBe('summary')
    expect(turn.requests).toHaveLength(answers.length)
  })

  it('accepts text next to a call of a tool that was not offered as the summary', async () => {
    const both = [...text('SUMMARY').slice(0, 2), ...calls(['Read', {}])]
    const { turn, run } = lab([both, both])
    expect(await run()).toMatchObject({ kind: 'done', result: { summary: 'SUMMARY' } })
    expect(turn.requests).toHaveLength(2)
  })

  it('asks for a summary that fits in the window with the request', async () => {
    const { turn, run } = lab([failing('model.bad_request'), text('SUMMARY')])
    expect(await run()).toMatchObject({ kind: 'done' })
    const [alive, asText] = turn.requests
    expect(alive!.availableOutputTokens).toBeGreaterThan(500)
    expect(alive!.availableOutputTokens).toBeLessThan(2000)
    expect(asText!.availableOutputTokens).toBeGreaterThan(alive!.availableOutputTokens!)
    const known = lab([text('SUMMARY')])
    known.turn.ctx.model.info.maxOutputTokens = 64_000
    await known.run()
    expect(known.turn.requests[0]!.maxOutputTokens).toBeLessThanOrEqual(4000)
  })

  it('repeats the same request if the provider is only busy', async () => {
    const { turn, run, isAlive } = lab([failing('model.overloaded'), text('SUMMARY')])
    expect(await run()).toMatchObject({ kind: 'done' })
    expect(turn.requests.map(isAlive)).toEqual([true, true])
    expect(types(turn.events)).toEqual(['compaction.started', 'compaction.retried', 'compaction.finished'])
  })
})
