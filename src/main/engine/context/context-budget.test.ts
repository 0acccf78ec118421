import { describe, expect, it } from 'vitest'
import { turnFixture, text, types } from '../../../../test/support/turn-fixture'
import type { CompactionMark } from '../../../shared/model/turn/context'
import type { Message } from '../../../shared/model/turn/message'
import { createContextWindows } from '../turn/context-windows'
import { createContextBudget } from './context-budget'
import { tokensOf } from './tokens/token-estimate'

const WINDOW = 20_000
const words = (tokens: number): string => 'x'.repeat(Math.round(tokens * 3.2))
const said = (tokens: number): Message => ({ role: 'assistant', parts: [{ type: 'text', text: words(tokens) }] })

function roomFor(
  history: Message[],
  answers: string[],
  fixed = 1000,
  maxOutputTokens?: number,
  windows = createContextWindows(),
  contextWindow = WINDOW,
) {
  const turn = turnFixture({ answers: answers.map(text), maxAttempts: 1 })
  let mark: CompactionMark | undefined
  let seq = 0
  const info = {
    id: 'p/m',
    model: 'm',
    label: 'm',
    providerId: 'p',
    contextWindow,
    toolCalls: true,
    imagesIn: false,
    thinking: false,
  }
  const room = createContextBudget({
    history,
    fixed: () => fixed,
    window: windows.of(info),
    context: {
      ...turn.ctx,
      prefix: turn.ctx.conversation.prefix,
      pins: async () => ({
        todos: [{ title: 'write it', status: 'in_progress' }],
        tasks: [{ taskId: 't1', command: 'npm start' }],
      }),
      record(...events) {
        turn.ctx.record(...events)
        for (const event of events)
          if (event.type === 'compaction.finished') mark = { compactionId: event.compactionId, seq: (seq += 1) }
      },
    },
    latestMark: () => mark,
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  })
  return { room, turn }
}

const asked = (): Message => ({ role: 'user', parts: [{ type: 'text', text: 'the prompt' }] })

describe('freeing space', () => {
  it('changes nothing while the conversation fits', async () => {
    const history = [asked(), said(10_000)]
    const { room, turn } = roomFor(history, [])
    await room.enforce()
    expect(history).toHaveLength(2)
    expect(turn.events).toEqual([])
  })

  it('trusts a provider’s count above the estimate, but not one far below it', async () => {
    const history = [asked(), said(100)]
    const { room, turn } = roomFor(history, ['S'])
    room.recordUsage({ input: 19_000, output: 0, cached: 0, thinking: 0 })
    await room.enforce()
    expect(types(turn.events)).toEqual(['compaction.started', 'compaction.finished'])

    const full = [asked(), said(30_000)]
    const other = roomFor(full, ['S'])
    other.room.recordUsage({ input: 10, output: 1, cached: 0, thinking: 0 })
    await other.room.enforce()
    expect(types(other.turn.events)).toEqual(['compaction.started', 'compaction.finished'])
  })

  it('keeps the pinned state: the prompt, the to-dos, running commands and file names', async () => {
    const read: Message = {
      role: 'assistant',
      parts: [{ type: 'tool_call', callId: 'c', name: 'Read', input: '{"path":"src/a.ts"}' }],
    }
    const history = [asked(), read, said(18_000)]
    const { room } = roomFor(history, ['THE SUMMARY'])
    await room.enforce()
    expect(history.map(({ role }) => role)).toEqual(['user', 'user'])
    const told = JSON.stringify(history)
    for (const pinned of ['the prompt', 'THE SUMMARY', '[in_progress] write it', 't1: npm start', '- src/a.ts'])
      expect(told).toContain(pinned)
  })

  it('fails without another request if the window is full again immediately', async () => {
    const history = [asked(), said(18_000)]
    const { room, turn } = roomFor(history, ['S'])
    await room.enforce()
    history.push(said(18_000))
    await expect(room.enforce()).rejects.toMatchObject({ code: 'compaction.no_help' })
    expect(turn.requests).toHaveLength(1)
  })

  it('does not compact again a few steps after a compaction while the request still fits', async () => {
    const history = [asked(), said(18_000)]
    const { room, turn } = roomFor(history, ['S'])
    await room.enforce()
    history.push(said(15_800))
    await room.enforce()
    expect(turn.requests).toHaveLength(1)
  })

  it('keeps the conversation unchanged when the summary frees too little, or fails', async () => {
    const history: Message[] = [{ role: 'user', parts: [{ type: 'text', text: words(2900) }] }, said(10_000)]
    const before = [...history]
    const { room, turn } = roomFor(history, [words(5000)], 18_500)
    await expect(room.enforce()).rejects.toMatchObject({ code: 'compaction.no_help' })
    expect(types(turn.events)).toEqual(['compaction.started', 'compaction.failed'])
    const broken = roomFor(history, [], 10_000)
    await expect(broken.room.enforce()).rejects.toMatchObject({ code: 'compaction.failed' })
    expect(types(broken.turn.events)).toEqual(['compaction.started', 'compaction.failed'])
    expect(history).toEqual(before)
  })

  it('cuts results that fill the window on their own, instead of leaving them out', async () => {
    const read = (callId: string): Message => ({
      role: 'tool',
      callId,
      name: 'Read',
      isError: false,
      content: [{ type: 'text', text: words(9000) }],
    })
    const calling: Message = {
      role: 'assistant',
      parts: ['a', 'b'].map((callId) => ({ type: 'tool_call' as const, callId, name: 'Read', input: '{}' })),
    }
    const history = [asked(), calling, read('a'), read('b')]
    const { room, turn } = roomFor(history, [])
    await room.enforce()
    expect(turn.requests).toEqual([])
    expect(history).toHaveLength(4)
    expect(JSON.stringify(history)).toContain('do not fit into the context window')
    expect(history.reduce((sum, message) => sum + tokensOf(message), 1000)).toBeLessThan(WINDOW * 0.85)
  })

  it('asks for a shorter answer, and leaves nothing out, if only the requested answer did not fit', async () => {
    const history = [asked(), said(7000), asked()]
    const before = [...history]
    const { room, turn } = roomFor(history, [], 1000, 6000)
    expect(room.outputLimit()).toBeGreaterThan(5000)
    const message = `input length and \`max_tokens\` exceed context limit: 14500 + ${room.outputLimit()} > ${WINDOW}`
    const failure = { code: 'model.context_overflow' as const, title: '', message, advice: '', retryable: false }
    expect(room.onOverflow(failure)).toBe(true)
    await room.enforce()
    expect(history).toEqual(before)
    expect(turn.events).toEqual([])
    expect(14_500 + room.outputLimit()!).toBeLessThanOrEqual(WINDOW)
  })

  it('gives up after several consecutive refusals', () => {
    const { room } = roomFor([asked(), said(1000)], [])
    const failure = {
      code: 'model.context_overflow' as const,
      title: '',
      message: 'too long',
      advice: '',
      retryable: false,
    }
    expect([1, 2, 3, 4].map(() => room.onOverflow(failure))).toEqual([true, true, true, false])
    expect(roomFor([asked()], []).room.onOverflow(failure)).toBe(false)
    // A picture that a proxy finds too large says nothing about the context window.
    expect(roomFor([asked(), said(1000)], []).room.onOverflow({ ...failure, message: 'too large (HTTP 413)' })).toBe(
      false,
    )
  })
})

it('reports a smaller window found through a refusal, with the trim or compaction that follows', async () => {
  const history = [asked(), said(9000), asked(), said(6000)]
  const { room, turn } = roomFor(history, ['S'])
  room.onOverflow({
    code: 'model.context_overflow',
    title: '',
    advice: '',
    message: 'maximum context length is 12000 tokens',
  } as Parameters<typeof room.onOverflow>[0])
  await room.enforce()
  const told = turn.events.flatMap((event) =>
    event.type === 'compaction.started' || event.type === 'context.trimmed' ? [event] : [],
  )
  expect(told.map(({ learnedWindow }) => learnedWindow)).toEqual([12_000])
})

it('pictures that a proxy refused as too large are left out of later turns before they are refused again', async () => {
  const windows = createContextWindows()
  const withPictures = (): Message[] => [
    asked(),
    ...[1, 2, 3].flatMap((n): Message[] => [
      { role: 'assistant', parts: [{ type: 'tool_call', callId: `c${n}`, name: 'ReadMediaFile', input: '{}' }] },
      {
        role: 'tool',
        callId: `c${n}`,
        name: 'ReadMediaFile',
        content: [{ type: 'media', mediaType: 'image/png', data: 'A'.repeat(1_000_000) }],
        isError: false,
      },
    ]),
  ]
  const trims = ({ turn }: ReturnType<typeof roomFor>) =>
    turn.events.flatMap((event) => (event.type === 'context.trimmed' ? [event.results] : []))
  const first = roomFor(withPictures(), [], 1000, undefined, windows, 2_000_000)
  await first.room.enforce()
  expect(trims(first)).toEqual([])
  const refusal = { code: 'model.context_overflow', title: '', message: 'too large (HTTP 413)', advice: '' } as const
  expect(first.room.onOverflow({ ...refusal, retryable: false })).toBe(true)
  await first.room.enforce()
  expect(trims(first)).toEqual([['c1', 'c2']])
  const next = roomFor(withPictures(), [], 1000, undefined, windows, 2_000_000)
  await next.room.enforce()
  expect(trims(next)).toEqual([['c1', 'c2']])
})
