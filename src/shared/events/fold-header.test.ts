import { expect, it } from 'vitest'
import type { EventBody } from './event'
import { applyHeader, emptyHeader } from './fold-header'
import { contextChangeText } from '../model/turn/context'
import type { SessionHeader } from '../model/session/session'

const prefix: EventBody = { type: 'prefix.frozen', system: 'system', tools: [], facts: [] }
const compaction = (compactionId: string, earlier?: SessionHeader['compacted']): EventBody => ({
  type: 'compaction.finished',
  compactionId,
  kept: [],
  note: '',
  summary: '',
  files: [],
  dropped: { answers: 0, results: 0, messages: 0 },
  before: 2,
  after: 1,
  durationMs: 0,
  ...(earlier && { earlier }),
})

function headers(...events: (EventBody | ((header: SessionHeader) => EventBody))[]): SessionHeader[] {
  const all: SessionHeader[] = []
  for (const [index, event] of events.entries()) {
    const before = all.at(-1) ?? emptyHeader('s')
    const body = typeof event === 'function' ? event(before) : event
    all.push(applyHeader(before, { ...body, sessionId: 's', seq: index + 1, at: 0 }))
  }
  return all
}

it('a compaction removes the prefix of requests; undoing it restores the previous one, including that of an earlier compaction', () => {
  const folded = headers(
    prefix,
    compaction('a'),
    prefix,
    ({ compacted }) => compaction('b', compacted),
    prefix,
    ({ compacted }) => ({
      type: 'compaction.undone',
      compactionId: 'b',
      tokens: 2,
      earlier: { compactionId: 'a', seq: 2, prefixSeq: compacted ? 1 : 0 },
    }),
    { type: 'compaction.undone', compactionId: 'a', tokens: 2 },
  )
  expect(folded.map(({ prefixSeq }) => prefixSeq)).toEqual([1, undefined, 3, undefined, 5, 3, 1])
  // Answers from that range are known to have had another prefix.
  expect(folded.at(-1)!.undone).toEqual([
    { from: 4, to: 6 },
    { from: 2, to: 7 },
  ])
})

it('a restore also restores the prefix of that time, if any', () => {
  const restored = (prefixSeq?: number): EventBody => ({
    type: 'checkpoint.restored',
    restoreId: 'r',
    to: 0,
    kept: [],
    changes: [],
    count: 0,
    conversation: { to: 0, todos: [], ...(prefixSeq !== undefined && { prefixSeq }) },
  })
  expect(headers(prefix, restored(7)).at(-1)).toMatchObject({ prefixSeq: 7 })
  expect(headers(prefix, restored()).at(-1)).not.toHaveProperty('prefixSeq')
})

it('lists the names of facts the model was told, instead of their full text', () => {
  expect(contextChangeText([{ key: 'date' }, { key: 'instructions:/a-b/AGENTS.md' }, { key: 'tool:mcp__a-b' }])).toBe(
    'The agent was notified of changes: date, /a-b/AGENTS.md, the tool mcp__a-b.',
  )
  expect(contextChangeText(Array.from({ length: 9 }, (_, n) => ({ key: `tool:${n}` })))).toContain('the tool 5, 3 more')
})

it('a learned smaller window is shown until the model changes, or another compaction reports its own', () => {
  const started = {
    type: 'compaction.started',
    sessionId: 's',
    at: 0,
    compactionId: 'c',
    reason: 'overflow',
    tokens: 1,
  } as const
  const learned = applyHeader(emptyHeader('s'), { ...started, seq: 1, learnedWindow: 7400 })
  expect(learned.learnedWindow).toBe(7400)
  const changed = { type: 'session.changed', sessionId: 's', seq: 2, at: 0 } as const
  expect(applyHeader(learned, { ...changed, title: 'x' }).learnedWindow).toBe(7400)
  expect(applyHeader(learned, { ...changed, model: 'p/other' }).learnedWindow).toBeUndefined()
  expect(applyHeader(learned, { ...started, seq: 2 }).learnedWindow).toBeUndefined()
})
