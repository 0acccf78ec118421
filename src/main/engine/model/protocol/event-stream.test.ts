import { describe, expect, it } from 'vitest'
import { cpuMs } from '../../../../../test/support/cpu-time'
import { modelFetch } from '../adapter/model-fetch'
import { anthropicProtocol } from './anthropic'
import { chatProtocol } from './chat'
import { googleProtocol } from './google'
import type { ModelProtocol } from './protocol'
import { responsesProtocol } from './responses'

const settings = { baseUrl: 'http://127.0.0.1/v1', key: 'key' }

/** The events that the package gets for each piece of an answer that arrives in these pieces. */
async function eventsPassedOn(
  pieces: readonly (string | Uint8Array)[],
  wire: Promise<ModelProtocol> = chatProtocol(settings, 'plain'),
): Promise<unknown[]> {
  const { readable, pieces: joined } = await wire
  const fetch = modelFetch({
    fetch: async () =>
      new Response(
        new ReadableStream({
          start(controller) {
            for (const piece of pieces)
              controller.enqueue(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece)
            controller.close()
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      ),
    headers: {},
    secrets: [],
    hooks: new WeakMap(),
    readable,
    pieces: joined,
  })
  const text = await (await fetch('http://127.0.0.1/v1')).text()
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => (data === '[DONE]' ? data : JSON.parse(data!)))
}

const lineOf = (event: object): string => `data: ${JSON.stringify(event)}\n\n`
const line = (delta: object, more: object = {}): string => lineOf({ id: 'a', choices: [{ index: 0, delta, ...more }] })

describe('on Chat Completions', () => {
  it('pieces of text that arrive together are passed on as one, in order', async () => {
    const arrived = [line({ role: 'assistant', content: '' }), line({ content: 'one ' }), line({ content: 'two ' })]
    expect(await eventsPassedOn([arrived.join(''), line({ content: 'three' }), 'data: [DONE]\n\n'])).toEqual([
      { id: 'a', choices: [{ delta: { role: 'assistant', content: '' } }] },
      { id: 'a', choices: [{ delta: { content: 'one two ' } }] },
      { id: 'a', choices: [{ delta: { content: 'three' } }] },
      '[DONE]',
    ])
  })

  it('thinking, text, calls and the end stay separate', async () => {
    const call = { tool_calls: [{ index: 0, id: 'c', function: { name: 'Read', arguments: '{}' } }] }
    const arrived = [
      line({ reasoning: 'a' }),
      line({ reasoning: 'b' }),
      line({ content: 'c' }),
      line(call),
      line({ content: 'd' }),
      line({ content: 'e' }, { finish_reason: 'stop' }),
    ]
    expect(await eventsPassedOn([arrived.join('')])).toEqual([
      { id: 'a', choices: [{ delta: { reasoning: 'ab' } }] },
      { id: 'a', choices: [{ delta: { content: 'c' } }] },
      { id: 'a', choices: [{ delta: call }] },
      { id: 'a', choices: [{ delta: { content: 'd' } }] },
      { id: 'a', choices: [{ delta: { content: 'e' }, finish_reason: 'stop' }] },
    ])
  })

  it('calls that arrive together are passed on as one event, in order', async () => {
    const call = (index: number, text: string) => ({
      index,
      id: `c${index}`,
      function: { name: 'Read', arguments: text },
    })
    const more = (index: number, text: string) => ({ index, function: { arguments: text } })
    const parts = [call(0, '{"pa'), more(0, 'th":1}'), call(1, '{}')]
    const arrived = parts.map((part) => line({ tool_calls: [part] }))
    const end = line({}, { finish_reason: 'tool_calls' })
    expect(await eventsPassedOn([arrived.join('') + end])).toEqual([
      { id: 'a', choices: [{ delta: { tool_calls: parts } }] },
      { id: 'a', choices: [{ finish_reason: 'tool_calls' }] },
    ])
    expect(await eventsPassedOn([...arrived, end])).toHaveLength(4)
  })

  it('content that arrives as a list is not joined', async () => {
    const listed = line({ content: [{ type: 'text', text: 'a' }] })
    expect(await eventsPassedOn([listed + listed])).toHaveLength(2)
  })

  it('characters and events that are split between two arrivals are passed on complete', async () => {
    const bytes = new TextEncoder().encode(line({ content: 'Grüße ' }) + line({ content: '🌲🌲' }))
    const whole = { id: 'a', choices: [{ delta: { content: 'Grüße 🌲🌲' } }] }
    for (let cut = 1; cut < bytes.length; cut++) {
      const given = (await eventsPassedOn([bytes.subarray(0, cut), bytes.subarray(cut)])) as (typeof whole)[]
      expect(given.map(({ choices }) => choices[0]!.delta.content).join('')).toBe('Grüße 🌲🌲')
    }
    expect(await eventsPassedOn([bytes])).toEqual([whole])
  })
})

describe('on Responses', () => {
  const piece = (delta: string, more: object = {}) => ({
    type: 'response.output_text.delta',
    item_id: 'm',
    output_index: 0,
    content_index: 0,
    delta,
    logprobs: [],
    ...more,
  })
  const thought = (delta: string, part: number) => ({
    type: 'response.reasoning_summary_text.delta',
    item_id: 'r',
    output_index: 0,
    summary_index: part,
    delta,
  })
  const given = (...events: readonly object[]) =>
    eventsPassedOn([events.map((event) => lineOf(event)).join('')], responsesProtocol(settings))

  it('pieces of one text are passed on as one', async () => {
    expect(await given(piece('a', { obfuscation: 'x' }), piece('b', { obfuscation: 'yz' }))).toEqual([
      piece('ab', { obfuscation: 'yz' }),
    ])
  })

  it('parts of a summary, texts of two items, and deltas with probabilities stay separate', async () => {
    const apart = [
      thought('a', 0),
      thought('b', 1),
      piece('c'),
      piece('d', { item_id: 'n' }),
      piece('e', { item_id: 'n', logprobs: [{ token: 'e', logprob: 0, top_logprobs: [] }] }),
      piece('f', { item_id: 'n' }),
    ]
    expect(await given(...apart)).toEqual(apart)
  })

  it('a single event that names its type first is passed on unchanged', async () => {
    const text = `event: response.output_text.delta\n${lineOf(piece('a'))}`
    expect(await eventsPassedOn([text, text], responsesProtocol(settings))).toEqual([piece('a'), piece('a')])
    expect(await eventsPassedOn([text + text], responsesProtocol(settings))).toEqual([piece('aa')])
  })
})

it('on Anthropic Messages, thinking, text and arguments of one block are joined; signatures and blocks stay separate', async () => {
  const delta = (index: number, what: object) => ({ type: 'content_block_delta', index, delta: what })
  const events = [
    delta(0, { type: 'thinking_delta', thinking: 'a' }),
    delta(0, { type: 'thinking_delta', thinking: 'b' }),
    delta(0, { type: 'signature_delta', signature: 's' }),
    { type: 'content_block_stop', index: 0 },
    delta(1, { type: 'text_delta', text: 'c' }),
    { type: 'ping' },
    delta(1, { type: 'text_delta', text: 'd' }),
    delta(2, { type: 'text_delta', text: 'e' }),
    delta(3, { type: 'input_json_delta', partial_json: '{"pa' }),
    delta(3, { type: 'input_json_delta', partial_json: 'th":1}' }),
  ]
  const arrived = events.map((event) => `event: ${event.type}\n${lineOf(event)}`).join('')
  expect(await eventsPassedOn([arrived], anthropicProtocol(settings))).toEqual([
    delta(0, { type: 'thinking_delta', thinking: 'ab' }),
    ...events.slice(2, 8),
    delta(3, { type: 'input_json_delta', partial_json: '{"path":1}' }),
  ])
})

it('on Gemini, pieces are joined with the last counts; thoughts, signatures and the end stay separate', async () => {
  const event = (part: object, total: number, more: object = {}) => ({
    responseId: 'r',
    candidates: [{ content: { parts: [part] }, ...more }],
    usageMetadata: { totalTokenCount: total },
  })
  const events = [
    event({ text: 'a', thought: true }, 1),
    event({ text: 'b', thought: true }, 2),
    event({ text: 'c' }, 3),
    event({ text: 'd' }, 4),
    event({ text: 'e', thoughtSignature: 's' }, 5),
    event({ text: 'f' }, 6),
    event({ text: 'g' }, 7, { finishReason: 'STOP' }),
  ]
  expect(await eventsPassedOn([events.map((each) => lineOf(each)).join('')], googleProtocol(settings))).toEqual([
    event({ text: 'ab', thought: true }, 2),
    event({ text: 'cd' }, 4),
    ...events.slice(4),
  ])
})

it('the cost of a long event that arrives in pieces is proportional to its length', async () => {
  const piece = new TextEncoder().encode('x'.repeat(1 << 14))
  const event = line({ content: 'TEXT' }).split('TEXT')
  const begin = cpuMs()
  const [given] = await eventsPassedOn([event[0]!, ...Array.from({ length: 1500 }, () => piece), event[1]!])
  expect(JSON.stringify(given)).toContain('xxx')
  // Joining and searching again for each piece would process 18 GB of text.
  expect(cpuMs() - begin).toBeLessThan(2000)
})
