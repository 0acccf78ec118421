import { describe, expect, it } from 'vitest'
import type { ToolSchema } from '../../src/main/engine/model/provider'
import { askFor, collect } from '../support/collect-chunks'
import { ALL_TYPES, playing, TEST_KEY, unstopped, WIRE_OF } from '../support/wire-cases'

const TOOLS: ToolSchema[] = [
  {
    name: 'Read',
    description: 'Reads a file.',
    schema: {
      type: 'object',
      properties: { path: { type: 'string' } },
      required: ['path'],
      additionalProperties: false,
    },
  },
  {
    name: 'Grep',
    description: 'Searches.',
    schema: { type: 'object', properties: { mode: { enum: ['content', 'files'] }, pattern: { type: 'string' } } },
  },
]

const ANSWER = {
  thinking: 'Zuerst prüfe ich 日本 🚀 alles.',
  text: 'Ich sehe nach: naïve café 🌍👩‍🚀 日本語。',
  toolCalls: [
    { name: 'Read', input: { path: 'src/größe.ts' } },
    { name: 'Grep', input: { mode: 'content', pattern: 'a"b\\n🚀' } },
  ],
  usage: { input: 1200, output: 80, cached: 1000, thinking: 30 },
}

describe.each(ALL_TYPES)('%s', (type) => {
  it.each([undefined, 1, 5])(
    'returns thinking, text, parallel calls and usage as the server wrote them (bytes split by %s)',
    async (splitBytes) => {
      await playing(
        type,
        [{ ...ANSWER, deltaChars: 3, ...(splitBytes && { faults: { splitBytes } }) }],
        async (provider) => {
          const answer = await collect(provider.stream(askFor('hi', { tools: TOOLS, thinking: true }), unstopped()))
          expect(answer.thinking).toBe(ANSWER.thinking)
          expect(answer.text).toBe(ANSWER.text)
          expect(answer.calls.map(({ name, input }) => ({ name, input }))).toEqual(
            ANSWER.toolCalls.map(({ name, input }) => ({ name, input: JSON.stringify(input) })),
          )
          expect(new Set(answer.calls.map((call) => call.callId)).size).toBe(2)
          expect(answer.reason).toBe('tool_calls')
          // Anthropic's wire does not count thinking separately.
          expect(answer.usage).toEqual({ ...ANSWER.usage, ...(WIRE_OF[type] === 'anthropic' && { thinking: 0 }) })
        },
      )
    },
  )

  it('announces a call while its arguments arrive, with all their characters', async () => {
    await playing(type, [{ toolCalls: [{ name: 'Read', input: { path: 'x'.repeat(100) } }] }], async (provider) => {
      const { chunks, calls } = await collect(provider.stream(askFor('hi', { tools: TOOLS }), unstopped()))
      const drafts = chunks.flatMap((chunk) => (chunk.type === 'tool.draft' ? [chunk] : []))
      expect(drafts.reduce((sum, draft) => sum + draft.text.length, 0)).toBe(calls[0]!.input.length)
      expect(new Set(drafts.map((draft) => draft.callId))).toEqual(new Set([calls[0]!.callId]))
      expect(drafts[0]!.name).toBe('Read')
    })
  })

  it('sends prompt, system prompt, tools, limit and image, with the key and the configured headers', async () => {
    await playing(type, [{ text: 'ok' }], async (provider, server) => {
      const image = { type: 'media' as const, mediaType: 'image/png', data: 'aW1hZ2U=', name: 'shot.png' }
      const messages = [{ role: 'user' as const, parts: [{ type: 'text' as const, text: 'What is this?' }, image] }]
      await collect(provider.stream(askFor('', { messages, tools: TOOLS, maxOutputTokens: 777 }), unstopped()))
      const [request] = server.requests
      expect(request!.wire).toBe(WIRE_OF[type])
      const body = JSON.stringify(request!.body)
      for (const piece of ['What is this?', 'Be brief.', 'aW1hZ2U=', '"Read"', '"Grep"', '777'])
        expect(body).toContain(piece)
      expect(body).not.toContain('"strict":true')
      expect(JSON.stringify(request!.headers)).toContain(TEST_KEY)
      expect(request!.headers['x-project']).toBe('trestle')
    })
  })

  it('replaces an image with text when the model accepts none, instead of failing', async () => {
    await playing(type, [{ text: 'ok' }], async (provider, server) => {
      const image = { type: 'media' as const, mediaType: 'image/png', data: 'aW1hZ2U=', name: 'shot.png' }
      await collect(
        provider.stream(askFor('', { messages: [{ role: 'user', parts: [image] }], imagesIn: false }), unstopped()),
      )
      const body = JSON.stringify(server.requests[0]!.body)
      expect(body).not.toContain('aW1hZ2U=')
      expect(body).toContain('shot.png')
    })
  })

  it('distinguishes an answer cut off by the limit and a withheld one from a finished one', async () => {
    await playing(
      type,
      [{ text: 'a' }, { text: 'b', finish: 'length' }, { text: 'c', finish: 'refusal' }],
      async (provider) => {
        const reasons = []
        for (let n = 0; n < 3; n += 1) reasons.push((await collect(provider.stream(askFor('hi'), unstopped()))).reason)
        expect(reasons).toEqual(['stop', 'length', 'refusal'])
      },
    )
  })

  it('gives a call without arguments an empty object, not unparsable text', async () => {
    const input = WIRE_OF[type] === 'gemini' ? {} : ''
    await playing(type, [{ toolCalls: [{ name: 'Read', input }] }], async (provider) => {
      const { calls } = await collect(provider.stream(askFor('hi', { tools: TOOLS }), unstopped()))
      expect(calls.map((call) => call.input)).toEqual(['{}'])
    })
  })

  it('never passes on a call that the length limit cut off, even one that appears to have no arguments', async () => {
    const raw = WIRE_OF[type] === 'gemini' ? undefined : ['{"path": "src/in', '']
    for (const input of raw ?? []) {
      await playing(
        type,
        [{ text: 'So:', toolCalls: [{ name: 'Read', input }], finish: 'length' }],
        async (provider) => {
          const { calls, reason, text } = await collect(provider.stream(askFor('hi', { tools: TOOLS }), unstopped()))
          expect({ calls, reason, text }).toEqual({ calls: [], reason: 'length', text: 'So:' })
        },
      )
    }
  })

  it('passes malformed arguments on verbatim, so that the model can be told', async () => {
    if (WIRE_OF[type] === 'gemini') return
    const input = '{"path": "a.ts",, }'
    await playing(
      type,
      [
        {
          toolCalls: [
            { name: 'Read', input },
            { name: 'Grep', input: { pattern: 'x' } },
          ],
        },
      ],
      async (provider) => {
        const { calls, reason } = await collect(provider.stream(askFor('hi', { tools: TOOLS }), unstopped()))
        expect(calls.map((call) => [call.name, call.input])).toEqual(
          expect.arrayContaining([
            ['Read', input],
            ['Grep', '{"pattern":"x"}'],
          ]),
        )
        expect(reason).toBe('tool_calls')
      },
    )
  })

  it('reads an event stream labeled as JSON', async () => {
    await playing(
      type,
      [{ text: 'hello', faults: { headers: { 'content-type': 'application/json' } } }],
      async (provider) => {
        expect((await collect(provider.stream(askFor('hi'), unstopped()))).text).toBe('hello')
      },
    )
  })

  it('reuses one connection for several requests', async () => {
    await playing(type, [{ text: 'a', repeat: 5 }], async (provider, server) => {
      for (let n = 0; n < 5; n += 1) await collect(provider.stream(askFor('hi'), unstopped()))
      expect(server.connections()).toBeLessThanOrEqual(2)
    })
  })

  it('reports every arrival of bytes, so that a slow answer is not treated as stalled', async () => {
    await playing(type, [{ text: 'a'.repeat(200), faults: { splitBytes: 50 } }], async (provider) => {
      let signs = 0
      await collect(provider.stream(askFor('hi', { alive: () => (signs += 1) }), unstopped()))
      expect(signs).toBeGreaterThan(1)
    })
  })
})
