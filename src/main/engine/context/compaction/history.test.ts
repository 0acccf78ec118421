import { describe, expect, it } from 'vitest'
import type { EventBody, RecordedEvent } from '../../../../shared/events/event'
import { textOf } from '../../../../shared/model/turn/message'
import { foldHistory, recentHistory } from './history'

const recorded = (bodies: EventBody[]): RecordedEvent[] =>
  bodies.map((body, index) => ({ ...body, sessionId: 's', seq: index + 1, at: 0 }))
const user = (text: string): EventBody => ({
  type: 'turn.started',
  turnId: 't',
  parts: [{ type: 'text', text }],
  model: 'm',
})
const calling = (...ids: string[]): EventBody => ({
  type: 'step.finished',
  turnId: 't',
  stepId: ids.join(),
  parts: ids.map((callId) => ({ type: 'tool_call' as const, callId, name: 'Read', input: '{}' })),
  finish: 'tool_calls',
  durationMs: 0,
})
const result = (callId: string, text = callId): EventBody => ({
  type: 'tool.finished',
  turnId: 't',
  callId,
  name: 'Read',
  content: [{ type: 'text', text }],
  isError: false,
  durationMs: 0,
})
const answer = (text: string): EventBody => ({
  type: 'step.finished',
  turnId: 't',
  stepId: text,
  parts: [{ type: 'text', text }],
  finish: 'stop',
  durationMs: 0,
})

const cutShort = (text?: string): EventBody => ({
  type: 'step.finished',
  turnId: 't',
  stepId: 's',
  parts: text === undefined ? [] : [{ type: 'text', text }],
  finish: 'other',
  partial: true,
  durationMs: 0,
})

describe('the history for the model', () => {
  it('puts results in call order, regardless of the order they were recorded in', () => {
    const messages = foldHistory(recorded([user('hi'), calling('a', 'b'), result('b'), result('a'), answer('done')]))
    expect(messages.map((message) => (message.role === 'tool' ? message.callId : message.role))).toEqual([
      'user',
      'assistant',
      'a',
      'b',
      'assistant',
    ])
  })

  it('gives every call a result, even if it never ran because the turn was cut off', () => {
    const messages = foldHistory(recorded([user('hi'), calling('a', 'b'), result('a'), user('next')]))
    expect(messages[3]).toMatchObject({ role: 'tool', callId: 'b', isError: true })
    expect(messages[4]).toMatchObject({ role: 'user', by: 'guard' })
    expect(messages[5]).toEqual({ role: 'user', parts: [{ type: 'text', text: 'next' }] })
  })

  it('names the model that wrote an answer; in old logs, the model of its turn', () => {
    const [event] = recorded([answer('new')])
    const messages = foldHistory(recorded([user('hi'), answer('old'), { ...event!, model: 'p/other' } as EventBody]))
    expect(messages.map((message) => message.role === 'assistant' && message.model)).toEqual([false, 'm', 'p/other'])
  })

  it('marks thinking that a provider rejected, but none after it', () => {
    const [event] = recorded([answer('without')])
    const messages = foldHistory(
      recorded([user('hi'), answer('before'), { ...event!, thinkingDropped: true } as EventBody, answer('after')]),
    )
    expect(messages.map((message) => message.role === 'assistant' && message.thinkingDropped)).toEqual([
      false,
      true,
      undefined,
      undefined,
    ])
  })

  it('leaves out an empty answer', () => {
    const messages = foldHistory(recorded([user('hi'), cutShort(), user('again')]))
    expect(messages.map(({ role }) => role)).toEqual(['user', 'user', 'user'])
  })

  it('leaves out a broken-off answer if its turn continued, because the next request did not include it', () => {
    const took = foldHistory(recorded([user('hi'), cutShort('I begin'), answer('done'), user('more')]))
    expect(took.map((message) => (message.role === 'tool' ? '' : textOf(message.parts)))).toEqual([
      'hi',
      'done',
      'more',
    ])
  })

  it('notes before the next prompt that an answer or a turn was interrupted, but not if it ended', () => {
    const said = (...events: EventBody[]): string[] =>
      foldHistory(recorded(events)).flatMap((message) => (message.role === 'user' ? [textOf(message.parts)] : []))
    expect(
      said(
        user('1'),
        cutShort('half an ans'),
        user('2'),
        calling('a'),
        result('a'),
        user('3'),
        answer('done'),
        user('4'),
      ),
    ).toEqual([
      '1',
      expect.stringContaining('Your last answer was interrupted'),
      '2',
      expect.stringContaining('The last turn was interrupted'),
      '3',
      '4',
    ])
    expect(said(user('1'), calling('a'), result('a'), answer('done'), user('2'), answer('done'))).toEqual(['1', '2'])
  })

  it('sends the number of a checkpoint in a separate message, never within a result', () => {
    const numbered = (event: EventBody, checkpoint: number): EventBody => ({ ...event, checkpoint }) as EventBody
    const events = recorded([
      user('hi'),
      numbered(calling('a'), 1),
      result('a', 'of the file'),
      numbered(answer('done'), 2),
    ])
    expect(
      foldHistory(events, { marks: true }).map((message) =>
        message.role === 'tool' ? textOf(message.content) : textOf(message.parts),
      ),
    ).toEqual(['hi', '[checkpoint 1]', '', 'of the file', '[checkpoint 2]', 'done'])
  })

  it('reads only as much of a long session as fits, and starts with a prompt', () => {
    const events = recorded(Array.from({ length: 500 }, (_, n) => [user(`prompt ${n}`), answer(`answer ${n}`)]).flat())
    let read = 0
    function* backwards() {
      for (const event of events.toReversed()) {
        read += 1
        yield event
      }
    }
    const messages = recentHistory(backwards(), 500)
    expect(messages[0]?.role).toBe('user')
    expect(read).toBeLessThan(100)
    expect(messages.at(-1)).toMatchObject({ parts: [{ text: 'answer 499' }] })
  })

  const trimmed = (results: string[]): EventBody => ({
    type: 'context.trimmed',
    turnId: 't',
    results,
    calls: [],
    cuts: [],
    before: 9,
    after: 5,
  })

  it('is the same after a trim in memory and when read from the log, so that later turns and restarts send the same', () => {
    const events = recorded([
      user('hi'),
      calling('a', 'b'),
      result('a'),
      result('b'),
      trimmed(['a']),
      answer('done'),
      user('more'),
    ])
    const trims = events.filter((event) => event.type === 'context.trimmed')
    const backwards = events.filter((event) => event.type !== 'context.trimmed').toReversed()
    const read = recentHistory(backwards, 100_000, { trims })
    expect(JSON.stringify(read)).toBe(JSON.stringify(foldHistory(events)))
    expect(JSON.stringify(read[2])).toContain('left out to save space')
    expect(read[3]).toMatchObject({ content: [{ text: 'b' }] })
  })

  it('does not apply a trim from before a compaction', () => {
    const compaction = {
      type: 'compaction.finished' as const,
      compactionId: 'k',
      kept: [],
      note: 'NOTE',
      summary: '',
      files: [],
    }
    const compacted = {
      ...compaction,
      dropped: { answers: 0, results: 0, messages: 0 },
      before: 1,
      after: 1,
      durationMs: 0,
      sessionId: 's',
      seq: 5,
      at: 0,
    }
    const [, , , , , ...events] = recorded([
      user(''),
      user(''),
      user(''),
      user(''),
      user(''),
      calling('a'),
      result('a'),
    ])
    const [early] = recorded([trimmed(['a'])]).filter((event) => event.type === 'context.trimmed')
    const history = recentHistory(events.toReversed(), 1000, { compacted, trims: [early!] })
    expect(history.at(-1)).toMatchObject({ role: 'tool', content: [{ text: 'a' }] })
  })

  it('starts at the same point of a long conversation even if much of it was trimmed', () => {
    const many = Array.from({ length: 40 }, (_, n) => [
      user(`${n}`),
      calling(`c${n}`),
      result(`c${n}`, 'x'.repeat(1000)),
    ]).flat()
    const trim = trimmed(Array.from({ length: 38 }, (_, n) => `c${n}`))
    const events = recorded([...many, trim])
    const trims = events.filter((event) => event.type === 'context.trimmed')
    const history = recentHistory(events.slice(0, -1).toReversed(), 5000, { trims })
    expect(history[0]).toMatchObject({ parts: [{ text: '0' }] })
  })

  it('treats answers after an undone compaction as answers to a different start', () => {
    const counted = (text: string, input: number): EventBody => ({
      type: 'step.finished',
      turnId: 't',
      stepId: text,
      parts: [
        { type: 'thinking', text },
        { type: 'text', text },
      ],
      finish: 'stop',
      durationMs: 0,
      usage: { input, output: 1, cached: 0, thinking: 0 },
    })
    const log = recorded([
      user('one'),
      counted('before', 9000),
      user('two'),
      counted('behind', 500),
      user('three'),
      counted('after', 10_000),
    ])
    const seen: (number | string)[] = []
    const counts = {
      turn: () => {},
      counted: (_messages: unknown, usage: { input: number }) => seen.push(usage.input),
      replaced: () => seen.push('another history'),
    }
    const stale = (compactedSeq?: number): boolean[] => {
      seen.length = 0
      const compacted = compactedSeq !== undefined && {
        compacted: { seq: compactedSeq, kept: [], note: '' } as unknown as NonNullable<
          Parameters<typeof recentHistory>[2]
        >['compacted'],
      }
      return recentHistory(log.toReversed(), 1_000_000, { counts, undone: [{ from: 2, to: 5 }], ...compacted }).flatMap(
        (message) => (message.role === 'assistant' ? [message.staleThinking === true] : []),
      )
    }
    expect(stale()).toEqual([false, true, false])
    expect(seen).toEqual([9000, 'another history', 10_000])
    // A restore may have reactivated the compaction.
    expect(stale(2)).toEqual([false, false, false])
  })

  it('reports which messages the provider counted, and that a trim has changed them', () => {
    const told: string[] = []
    const counts = {
      turn: (model: string) => void told.push(model),
      counted: (messages: readonly unknown[], { input }: { input: number }) =>
        void told.push(`${messages.length}: ${input}`),
      replaced: () => void told.push('replaced'),
    }
    const usage = { input: 7, output: 0, cached: 0, thinking: 0 }
    foldHistory(
      recorded([user('hi'), { ...calling('a'), usage } as EventBody, result('a'), trimmed(['a']), answer('done')]),
      { counts },
    )
    expect(told).toEqual(['m', '1: 7', 'replaced'])
  })
})
