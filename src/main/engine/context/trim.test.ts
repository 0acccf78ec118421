import { describe, expect, it } from 'vitest'
import type { Message } from '../../../shared/model/message'
import { tokensOf } from './estimate'
import { cutNewest, trimOldest } from './trim'

const long = 'x'.repeat(20_000)
const sizeOf = (history: readonly Message[]): number => history.reduce((sum, message) => sum + tokensOf(message), 0)

function exchange(n: number, input = '{}', output = long): Message[] {
  return [
    { role: 'assistant', parts: [{ type: 'tool_call', callId: `c${n}`, name: 'Act', input }] },
    { role: 'tool', callId: `c${n}`, name: 'Act', isError: false, content: [{ type: 'text', text: output }] },
  ]
}

describe('trimming old results', () => {
  it('would take newer results before older ones, or part calls from results', () => {
    const history = Array.from({ length: 20 }, (_, n) => exchange(n)).flat()
    const before = [...history]
    const saved = trimOldest(history, 10_000)
    expect(saved).toBeGreaterThanOrEqual(10_000)
    expect(sizeOf(before) - sizeOf(history)).toBeCloseTo(saved)
    expect(history).toHaveLength(before.length)
    expect(JSON.stringify(history[1])).toContain('left out')
    expect(JSON.stringify(history[3])).toContain('left out')
    expect(history.slice(4)).toEqual(before.slice(4))
    expect(before[1]).toMatchObject({ content: [{ text: long }] })
  })

  it('leaves the newest whole, however much is wanted', () => {
    const history = Array.from({ length: 20 }, (_, n) => exchange(n)).flat()
    const newest = history.slice(-8)
    trimOldest(history, Number.POSITIVE_INFINITY)
    expect(history.slice(-8)).toEqual(newest)
  })

  it('shortens what old calls have written, and keeps it JSON', () => {
    const history = Array.from({ length: 10 }, (_, n) => exchange(n, JSON.stringify({ path: 'a.ts', content: long }), 'ok')).flat()
    trimOldest(history, 1000)
    const [first] = history
    const input: unknown = first?.role === 'assistant' && first.parts[0]?.type === 'tool_call' && JSON.parse(first.parts[0].input)
    expect(input).toMatchObject({ path: 'a.ts', content: expect.stringContaining('characters left out') })
  })

  it('cuts new results only where asked, the largest first, and says so', () => {
    const history = [...exchange(1, '{}', 'short'), ...exchange(2)]
    const saved = cutNewest(history, 3000)
    expect(saved).toBeGreaterThan(2500)
    expect(history[1]).toMatchObject({ content: [{ text: 'short' }] })
    expect(JSON.stringify(history[3])).toContain('Ask for a smaller part')
  })
})
