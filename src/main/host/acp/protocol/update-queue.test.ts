import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { SessionUpdate } from '@agentclientprotocol/sdk'
import { UpdateQueue } from './update-queue'

const sent: SessionUpdate[] = []
let blocked: PromiseWithResolvers<void> | undefined

beforeEach(() => {
  sent.length = 0
  blocked = undefined
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const queue = (): UpdateQueue =>
  new UpdateQueue({
    send: async (update) => {
      sent.push(update)
      await blocked?.promise
    },
  })
const shown = (): string[] =>
  sent.map((update) =>
    'content' in update && update.content && 'text' in update.content
      ? update.content.text
      : `${update.sessionUpdate} ${'title' in update ? update.title : ''}`,
  )

describe('the update queue', () => {
  it('sends the first piece immediately and later ones merged per message and kind, in order', async () => {
    const updates = queue()
    updates.chunk('agent_message_chunk', 'm1', 'a')
    await vi.advanceTimersByTimeAsync(0)
    expect(shown()).toEqual(['a'])
    for (const text of ['b', 'c']) updates.chunk('agent_message_chunk', 'm1', text)
    updates.chunk('agent_thought_chunk', 't1', 'hm')
    updates.chunk('agent_message_chunk', 'm1', 'd')
    updates.chunk('agent_message_chunk', 'm2', 'e')
    await vi.advanceTimersByTimeAsync(40)
    expect(shown()).toEqual(['a'])
    await vi.advanceTimersByTimeAsync(20)
    expect(shown()).toEqual(['a', 'bc', 'hm', 'd', 'e'])
  })

  it('keeps updates in order', () => {
    const updates = queue()
    updates.chunk('agent_message_chunk', 'm1', 'before')
    updates.sendNow({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'Read' })
    updates.call('c', () => ({ title: 'Read: a' }))
    updates.call('c', () => ({ title: 'Read: a.txt' }))
    updates.chunk('agent_message_chunk', 'm1', 'after')
    void updates.flush()
    expect(shown()).toEqual(['before', 'tool_call Read', 'tool_call_update Read: a.txt', 'after'])
  })

  it('never sends an older state of a call after a newer one', async () => {
    const updates = queue()
    updates.call('c', () => ({ status: 'in_progress' }))
    updates.sendNow({ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed' })
    await vi.advanceTimersByTimeAsync(1000)
    expect(sent).toEqual([{ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed' }])
  })

  it('sends at most 1,000 updates for a five-minute stream, with at most half a second of delay', async () => {
    const updates = queue()
    updates.startTurn()
    let longest = 0
    let waits = 0
    for (let ms = 0; ms < 295_000; ms += 5) {
      const before = sent.length
      updates.chunk('agent_message_chunk', 'm', 'x')
      await vi.advanceTimersByTimeAsync(5)
      waits = sent.length > before ? 0 : waits + 5
      longest = Math.max(longest, waits)
    }
    expect(sent.length).toBeLessThanOrEqual(1000)
    expect(longest).toBeLessThanOrEqual(500)
    void updates.flush()
    expect(shown().join('')).toHaveLength(59_000)
    sent.length = 0
    updates.startTurn()
    for (let count = 0; count < 100; count += 1) {
      updates.chunk('agent_message_chunk', 'm', 'x')
      await vi.advanceTimersByTimeAsync(5)
    }
    expect(sent.length).toBeGreaterThan(7)
  })

  it('holds the next piece until the client has read the last, then sends all of it', async () => {
    const updates = queue()
    blocked = Promise.withResolvers()
    updates.chunk('agent_message_chunk', 'm', 'first')
    await vi.advanceTimersByTimeAsync(0)
    for (let count = 0; count < 1000; count += 1) updates.chunk('agent_message_chunk', 'm', 'x')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(sent).toHaveLength(1)
    blocked.resolve()
    await vi.advanceTimersByTimeAsync(0)
    expect(shown()).toEqual(['first', 'x'.repeat(1000)])
  })
})
