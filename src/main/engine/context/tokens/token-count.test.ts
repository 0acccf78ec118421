import { describe, expect, it } from 'vitest'
import type { Message } from '../../../../shared/model/turn/message'
import { tokensOf, emptySize, totalOf, type ContentSize } from './token-estimate'
import { createTokenCalibration, createTokenCount } from './token-count'
import { applyTrim } from '../compaction/trim'

const words = (count: number): string => 'word '.repeat(count)
const asked = (text: string): Message => ({ role: 'user', parts: [{ type: 'text', text }] })
const answer = (callId: string): Message => ({
  role: 'assistant',
  parts: [{ type: 'tool_call', callId, name: 'Read', input: '{"path":"a.ts"}' }],
})
const result = (callId: string, text: string): Message => ({
  role: 'tool',
  callId,
  name: 'Read',
  isError: false,
  content: [{ type: 'text', text }],
})
const usage = (input: number, output = 0) => ({ input, output, cached: 0, thinking: 0 })
/** The count of a provider with this many bytes per token. */
const real = (messages: readonly Message[], bytes: number): number =>
  messages.reduce((sum, message) => sum + Buffer.byteLength(JSON.stringify(message)) / bytes, 2000)

describe('counting a history', () => {
  it('uses the provider’s count, and estimates only what came after it', () => {
    const history = [asked(words(1000))]
    const count = createTokenCount({ history, fixed: () => 500, sizes: createTokenCalibration() })
    history.push(answer('a'))
    count.counted(usage(5000, 40))
    expect(count.used()).toBeCloseTo(5040)
    history.push(result('a', words(1000)))
    expect(count.used()).toBeGreaterThan(5040 + 1000)
  })

  it('leaves out thinking that is not sent: unsigned, signed for another model, or lost after a trim', () => {
    const text = words(2000)
    const thought = (more: object, metadata?: object): Message =>
      ({
        role: 'assistant',
        parts: [
          { type: 'thinking', text, ...(metadata && { metadata }) },
          { type: 'text', text: 'yes' },
        ],
        ...more,
      }) as Message
    const used = (message: Message): number =>
      createTokenCount({
        history: [message],
        fixed: () => 0,
        sizes: createTokenCalibration(),
        to: { modelId: 'p/m', losesStale: true },
      }).used()
    const signed = { anthropic: { signature: 's' } }
    expect(used(thought({ model: 'p/m' }, signed))).toBeGreaterThan(2000)
    expect(used(thought({ model: 'p/other' }, { chat: { field: 'reasoning' } }))).toBeGreaterThan(2000)
    expect(used(thought({ model: 'p/m' }))).toBeLessThan(50)
    expect(used(thought({ model: 'p/other' }, signed))).toBeLessThan(50)
    expect(used(thought({ model: 'p/m', staleThinking: true }, signed))).toBeLessThan(50)
  })

  it('applies the safety margin to the estimated part only', () => {
    const history = [asked(words(1000))]
    const count = createTokenCount({ history, fixed: () => 0, sizes: createTokenCalibration() })
    expect(count.atMost(1.5)).toBeCloseTo(count.used() * 1.5)
    history.push(answer('a'))
    count.counted(usage(5000, 40))
    history.push(result('a', words(1000)))
    expect(count.atMost(1.5) - 5040).toBeCloseTo((count.used() - 5040) * 1.5)
  })

  it('uses a count only for the messages it was made for: after a trim, it is scaled to the rest', () => {
    const history = [asked('go'), answer('a'), result('a', words(8000)), answer('b'), result('b', words(8000))]
    const count = createTokenCount({ history, fixed: () => 0, sizes: createTokenCalibration() })
    history.push(answer('c'))
    const guess = history.reduce((sum, message) => sum + tokensOf(message), 0)
    count.counted(usage(guess * 2))
    count.replaced()
    history.splice(0, history.length, ...applyTrim(history, { results: ['a'], calls: [], cuts: [] }))
    const share = history.reduce((sum, message) => sum + tokensOf(message), 0) / guess
    expect(count.used() / (guess * 2 * share)).toBeCloseTo(1, 1)
  })

  it.each([2.5, 3.4, 4.5])(
    'is close to the provider after ten requests at %d bytes per token, whatever the results are',
    (bytes) => {
      const kinds = [
        words(2000),
        '文字の列です。'.repeat(400),
        Buffer.from(Array.from({ length: 4500 }, (_, index) => (index * 97 + (index >> 3)) % 256)).toString('base64'),
      ]
      const history = [asked('go')]
      const count = createTokenCount({ history, fixed: () => 1800, sizes: createTokenCalibration() })
      let worst = 0
      for (let n = 0; n < 60; n += 1) {
        const sent = real(history, bytes)
        if (n >= 10) worst = Math.max(worst, Math.abs(count.used() - sent) / sent)
        history.push(answer(`c${n}`))
        count.counted(usage(sent, 20))
        history.push(result(`c${n}`, kinds[n % 3]!))
      }
      expect(worst).toBeLessThan(0.05)
      count.replaced()
      const trim = { results: Array.from({ length: 20 }, (_, n) => `c${n}`), calls: [], cuts: [] }
      history.splice(0, history.length, ...applyTrim(history, trim))
      expect(Math.abs(count.used() - real(history, bytes)) / real(history, bytes)).toBeLessThan(0.05)
    },
  )

  it('ignores a server that counts nothing, or only uncached tokens', () => {
    const history = [asked(words(20_000))]
    const count = createTokenCount({ history, fixed: () => 0, sizes: createTokenCalibration() })
    const before = count.used()
    history.push(answer('a'))
    count.counted(usage(12))
    expect(count.used()).toBeGreaterThanOrEqual(before)
  })
})

const size = (of: Partial<ContentSize>): ContentSize => ({ ...emptySize(), ...of })

describe('the calibration of a model', () => {
  it('equals the estimate as long as nothing was counted', () => {
    const sizes = createTokenCalibration()
    expect(sizes.hasLearned()).toBe(false)
    const one = size({ plain: 100, wide: 50, dense: 20, head: 7, media: 5 })
    expect(sizes.tokens(one)).toBeCloseTo(totalOf(one))
  })

  it('is close after a few requests, for each kind separately', () => {
    const sizes = createTokenCalibration()
    for (let n = 0; n < 24; n += 1) {
      const [plain, wide, dense] = [3000 + 100 * n, n % 3 === 0 ? 2000 : 0, n % 4 === 1 ? 4000 : 0]
      sizes.learn(size({ plain, wide, dense }), plain * 0.7 + wide * 1.3 + dense * 0.5)
    }
    expect(sizes.tokens(size({ plain: 10_000 })) / 7000).toBeCloseTo(1, 1)
    expect(sizes.tokens(size({ wide: 10_000 })) / 13_000).toBeCloseTo(1, 1)
    expect(sizes.tokens(size({ dense: 10_000 })) / 5000).toBeCloseTo(1, 1)
  })

  it('ignores counts that must be of something else', () => {
    const sizes = createTokenCalibration()
    sizes.learn(size({ plain: 10_000 }), 10)
    sizes.learn(size({ plain: 10_000 }), 900_000)
    sizes.learn(size({ plain: 10_000 }), -5)
    sizes.learn(size({ plain: 10 }), 40)
    expect(sizes.hasLearned()).toBe(false)
    expect(sizes.tokens(size({ plain: 1000 }))).toBeCloseTo(1000)
  })

  it('does not mistake pictures for text', () => {
    const sizes = createTokenCalibration()
    sizes.learn(size({ plain: 2000, media: 8000 }), 9600)
    expect(sizes.tokens(size({ media: 8000 }))).toBe(8000)
    expect(sizes.tokens(size({ plain: 2000 }))).toBeLessThan(2000)
  })
})
