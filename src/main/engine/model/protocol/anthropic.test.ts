import { describe, expect, it } from 'vitest'
import { anthropicEvents } from './anthropic'

describe('the token counts of an Anthropic answer', () => {
  const usageAfter = (usage: unknown) =>
    anthropicEvents()({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage })?.['usage']

  it('include the passes a request was billed for, and omit unknown ones', () => {
    const usage = {
      input_tokens: 181,
      output_tokens: 8,
      iterations: [
        { type: 'compaction', input_tokens: 100, output_tokens: 83, cache_read_input_tokens: 55_096 },
        { type: 'novel', input_tokens: 7, output_tokens: 7 },
        { type: 'message', input_tokens: 181, output_tokens: 8 },
      ],
    }
    expect(usageAfter(usage)).toEqual({
      input_tokens: 181,
      output_tokens: 8,
      iterations: [
        { type: 'compaction', input_tokens: 100, output_tokens: 83 },
        { type: 'message', input_tokens: 181, output_tokens: 8 },
      ],
    })
  })

  it.each([null, 'many', {}, [], [null], ['message'], [{ type: 'novel' }]])(
    'omit passes with another structure: %j',
    (iterations) => {
      expect(usageAfter({ output_tokens: 8, iterations })).toEqual({ output_tokens: 8 })
    },
  )

  it('are zero for a pass without numbers', () => {
    const iterations = [{ type: 'message', input_tokens: 'many', output_tokens: null }]
    expect(usageAfter({ output_tokens: 8, iterations })).toMatchObject({
      iterations: [{ type: 'message', input_tokens: 0, output_tokens: 0 }],
    })
  })
})
