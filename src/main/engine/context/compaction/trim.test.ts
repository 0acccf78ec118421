import { describe, expect, it } from 'vitest'
import type { Message } from '../../../../shared/model/turn/message'
import { sentSize, tokensOf, totalOf } from '../tokens/token-estimate'
import { combinePlans, planTrimNewest, planTrimOldest, applyTrim } from './trim'

const long = 'word '.repeat(4000)
const sizeOf = (history: readonly Message[]): number => history.reduce((sum, message) => sum + tokensOf(message), 0)

function exchange(n: number, input = '{}', output = long, thinking = ''): Message[] {
  const call = { type: 'tool_call' as const, callId: `c${n}`, name: 'Act', input }
  return [
    { role: 'assistant', parts: thinking === '' ? [call] : [{ type: 'thinking', text: thinking }, call] },
    { role: 'tool', callId: `c${n}`, name: 'Act', isError: false, content: [{ type: 'text', text: output }] },
  ]
}

const exchanges = (count: number): Message[] => Array.from({ length: count }, (_, n) => exchange(n)).flat()

describe('trimming old results', () => {
  it('trims older results before newer ones, and saves no more than requested', () => {
    const history = exchanges(20)
    const plan = planTrimOldest(history, 15_000)
    expect(plan).toMatchObject({ results: ['c0', 'c1'], calls: [], cuts: [{ callId: 'c2' }] })
    expect(plan.saved).toBeGreaterThan(14_800)
    expect(plan.saved).toBeLessThan(15_300)
    const after = applyTrim(history, plan)
    expect(sizeOf(history) - sizeOf(after)).toBeCloseTo(plan.saved)
    expect(JSON.stringify(after[1])).toContain('left out')
    expect(after.slice(6)).toEqual(history.slice(6))
  })

  it('counts the thinking that a model loses after a trim, so that it saves no more than requested', () => {
    const thinking = 'so I think that '.repeat(120)
    const history = Array.from({ length: 20 }, (_, n) => exchange(n, '{}', long.slice(0, 4000), thinking)).flat()
    const bound = (of: readonly Message[]): number =>
      of.reduce((sum, message) => sum + totalOf(sentSize(message, { losesStale: true })), 0)
    for (const wanted of [3000, 9000, 14_000]) {
      const plan = planTrimOldest(history, wanted, tokensOf, { losesStale: true })
      const saved = bound(history) - bound(applyTrim(history, plan))
      expect(saved / plan.saved).toBeCloseTo(1, 1)
      expect(saved / wanted).toBeCloseTo(1, 1)
      // A model that keeps its thinking loses only results, oldest first.
      expect(planTrimOldest(history, wanted).results[0]).toBe('c0')
    }
  })

  it('keeps messages before the first trimmed one as the same objects, and does not mutate its input', () => {
    const history = exchanges(6)
    const before = JSON.stringify(history)
    const after = applyTrim(history, { results: ['c2'], calls: [], cuts: [] })
    for (const index of [0, 1, 2, 3, 4]) expect(after[index]).toBe(history[index])
    expect(after[5]).not.toBe(history[5])
    expect(JSON.stringify(history)).toBe(before)
  })

  it('keeps the newest messages whole, however much is requested', () => {
    const history = exchanges(20)
    const after = applyTrim(history, planTrimOldest(history, Number.POSITIVE_INFINITY))
    expect(after.slice(-8)).toEqual(history.slice(-8))
  })

  it('shortens the arguments of old calls and keeps them valid JSON', () => {
    const history = Array.from({ length: 10 }, (_, n) =>
      exchange(n, JSON.stringify({ path: 'a.ts', content: long }), 'ok'),
    ).flat()
    const plan = planTrimOldest(history, 7000)
    expect(plan.calls).toEqual(['c0'])
    const [first] = applyTrim(history, plan)
    const input: unknown =
      first?.role === 'assistant' && first.parts[0]?.type === 'tool_call' && JSON.parse(first.parts[0].input)
    expect(input).toMatchObject({ path: 'a.ts', content: expect.stringContaining('characters left out') })
  })

  it('cuts new results only if requested, largest first, with a note', () => {
    const history = [...exchange(1, '{}', 'short'), ...exchange(2)]
    const plan = planTrimNewest(history, 3000)
    expect(plan.saved).toBeGreaterThan(2500)
    const after = applyTrim(history, plan)
    expect(after[1]).toBe(history[1])
    expect(JSON.stringify(after[3])).toContain('Ask for a smaller part')
  })

  it('does not cut a result that is left out anyway', () => {
    const cut = { results: [], calls: [], cuts: [{ callId: 'c1', chars: 9 }], saved: 1 }
    expect(combinePlans({ results: ['c1'], calls: [], cuts: [], saved: 5 }, cut)).toMatchObject({
      results: ['c1'],
      cuts: [],
    })
  })

  it('marks the thinking of the answers after the first change, and of none before', () => {
    const history = [
      ...exchange(1, '{}', long, 'a'),
      ...exchange(2, '{}', long, 'b'),
      ...exchange(3),
      ...exchange(4, '{}', long, 'd'),
    ]
    const after = applyTrim(history, { results: ['c2'], calls: [], cuts: [] })
    const stale = after.flatMap((message) => (message.role === 'assistant' ? [message.staleThinking] : []))
    expect(stale).toEqual([undefined, undefined, undefined, true])
  })

  it('produces the same bytes when it is applied again to cut results', () => {
    const history = exchanges(4)
    const [first, second] = [
      { results: [], calls: [], cuts: [{ callId: 'c0', chars: 900 }] },
      { results: ['c0'], calls: [], cuts: [{ callId: 'c1', chars: 300 }] },
    ]
    const live = applyTrim(applyTrim(history, first), second)
    const replayed = applyTrim(applyTrim(JSON.parse(JSON.stringify(history)) as Message[], first), second)
    expect(JSON.stringify(replayed)).toBe(JSON.stringify(live))
  })
})
