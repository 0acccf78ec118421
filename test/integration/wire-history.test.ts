import type { ProviderType } from '../../src/shared/configuration/provider-types'
import { describe, expect, it } from 'vitest'
import type { AssistantPart, Message } from '../../src/shared/model/turn/message'
import type { ModelRequest } from '../../src/main/engine/model/provider'
import { askFor, collect } from '../support/collect-chunks'
import type { ScriptStep } from '../support/model-script'
import { ALL_TYPES, playing, unstopped, WIRE_OF } from '../support/wire-cases'

type Body = Record<string, unknown>

const listOf = (body: Body, key: string) => body[key] as Record<string, unknown>[]

const TOOLS = [
  { name: 'Read', description: 'Reads.', schema: { type: 'object', properties: { path: { type: 'string' } } } },
]
const IMAGE = { type: 'media' as const, mediaType: 'image/png', data: 'aW1hZ2U=', name: 'shot.png' }
const FIRST: ScriptStep = {
  thinking: 'I should look.',
  text: 'Looking.',
  toolCalls: [
    { name: 'Read', input: '{"path": "a.ts"}' },
    { name: 'Read', input: '{"path":"shot.png"}' },
    { name: 'Read', input: '{"path":' },
  ],
}

const call = (id: string, text: string) => ({ id, type: 'function', function: { name: 'Read', arguments: text } })

/** Lets the model answer once, answers its calls, sends another prompt, and returns the body of the second request. */
async function secondRequest(
  type: ProviderType,
  first: ScriptStep,
  more: Partial<ModelRequest> = {},
): Promise<{ body: Body; parts: AssistantPart[] }> {
  let body: Body | undefined
  let parts: AssistantPart[] = []
  await playing(type, [first, { text: 'done' }], async (provider, server) => {
    const request = askFor('go', { tools: TOOLS, thinking: true, ...more })
    const answer = await collect(provider.stream(request, unstopped()))
    // As returned by the store.
    parts = JSON.parse(JSON.stringify(answer.parts)) as AssistantPart[]
    const results = answer.calls.map((call, index): Message => {
      const content =
        index === 1
          ? [{ type: 'text' as const, text: 'A picture.' }, IMAGE]
          : [{ type: 'text' as const, text: index === 0 ? 'line 1' : 'The arguments are not valid JSON.' }]
      return { role: 'tool', callId: call.callId, name: call.name, isError: index === 2, content }
    })
    const messages: Message[] = [
      ...request.messages,
      { role: 'assistant', parts },
      ...results,
      { role: 'user', parts: [{ type: 'text', text: 'And now?' }] },
    ]
    await collect(provider.stream({ ...request, messages }, unstopped()))
    body = server.requests[1]!.body
  })
  return { body: body!, parts }
}

const withoutBadCall: ScriptStep = { ...FIRST, toolCalls: FIRST.toolCalls!.slice(0, 2) }

describe('history sent back to the provider', () => {
  it.each(['openai-compatible', 'moonshot'] as const)(
    '%s: thinking under its name, raw arguments, results in order, followed by the image',
    async (type) => {
      const { body, parts } = await secondRequest(type, FIRST)
      const ids = parts.flatMap((part) => (part.type === 'tool_call' ? [part.callId] : []))
      expect(body['messages']).toEqual([
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'go' },
        {
          role: 'assistant',
          content: 'Looking.',
          reasoning_content: 'I should look.',
          tool_calls: [call(ids[0]!, '{"path": "a.ts"}'), call(ids[1]!, '{"path":"shot.png"}'), call(ids[2]!, '{}')],
        },
        { role: 'tool', tool_call_id: ids[0], content: 'line 1' },
        {
          role: 'tool',
          tool_call_id: ids[1],
          content: expect.stringMatching(/^A picture\.\n\(The attachment follows/),
        },
        { role: 'tool', tool_call_id: ids[2], content: '[failed]\nThe arguments are not valid JSON.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: expect.stringContaining('shot.png') },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,aW1hZ2U=' } },
          ],
        },
        { role: 'user', content: 'And now?' },
      ])
    },
  )

  it('chat: thinking received as `reasoning` is sent back as `reasoning`', async () => {
    const { body } = await secondRequest('openai-compatible', { ...FIRST, thinkingField: 'reasoning' })
    expect(listOf(body, 'messages')[2]).toMatchObject({ reasoning: 'I should look.' })
    expect(listOf(body, 'messages')[2]).not.toHaveProperty('reasoning_content')
  })

  it('moonshot: an empty reasoning_content beside calls is sent back empty, and blank text is omitted', async () => {
    const { body } = await secondRequest('moonshot', { ...FIRST, thinking: '', text: ' \n' })
    expect(listOf(body, 'messages')[2]).toMatchObject({ role: 'assistant', content: null, reasoning_content: '' })
  })

  it('moonshot: ids and usage are passed as Kimi sends them', async () => {
    const step: ScriptStep = {
      toolCalls: [{ name: 'Read', input: {}, id: 'functions.Read:0' }],
      usage: { input: 50, cached: 40 },
      usageInChoice: true,
    }
    await playing('moonshot', [step], async (provider) => {
      const { calls, usage } = await collect(provider.stream(askFor('go', { tools: TOOLS }), unstopped()))
      expect(calls[0]!.callId).toBe('functions.Read:0')
      expect(usage).toEqual({ input: 50, output: 5, cached: 40, thinking: 0 })
    })
  })

  it('moonshot: schemas have the required types, thinking is toggled where possible, the cache has a key', async () => {
    await playing('moonshot', [{ text: 'a', repeat: 2 }], async (provider, server) => {
      const tools = [
        { name: 'Grep', description: '', schema: { type: 'object', properties: { mode: { enum: ['a', 'b'] } } } },
      ]
      await collect(
        provider.stream(askFor('go', { tools, model: 'kimi-k2.6', cacheKey: 's1', maxOutputTokens: 9 }), unstopped()),
      )
      await collect(provider.stream(askFor('go', { tools, model: 'kimi-k3', thinking: true }), unstopped()))
      const [first, second] = server.requests.map((request) => request.body)
      expect(first).toMatchObject({ thinking: { type: 'disabled' }, prompt_cache_key: 's1', max_completion_tokens: 9 })
      expect(JSON.stringify(first!['tools'])).toContain('"mode":{"enum":["a","b"],"type":"string"}')
      expect(second).not.toHaveProperty('thinking')
    })
  })

  it('responses: nothing is stored there; reasoning is sent back encrypted, images inside their result', async () => {
    const { body, parts } = await secondRequest('openai-responses', FIRST, { cacheKey: 'session-1' })
    const ids = parts.flatMap((part) => (part.type === 'tool_call' ? [part.callId] : []))
    expect(body).toMatchObject({
      store: false,
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'session-1',
    })
    expect(body).not.toHaveProperty('previous_response_id')
    expect(body['input']).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'input_text', text: 'go' }] },
      {
        type: 'reasoning',
        id: 'rs_1',
        encrypted_content: 'sealed-1',
        summary: [{ type: 'summary_text', text: 'I should look.' }],
      },
      { role: 'assistant', content: 'Looking.' },
      expect.objectContaining({ type: 'function_call', call_id: ids[0], name: 'Read', arguments: '{"path": "a.ts"}' }),
      expect.objectContaining({ type: 'function_call', call_id: ids[1], arguments: '{"path":"shot.png"}' }),
      expect.objectContaining({ type: 'function_call', call_id: ids[2], arguments: '{}' }),
      { type: 'function_call_output', call_id: ids[0], output: 'line 1' },
      {
        type: 'function_call_output',
        call_id: ids[1],
        output: [
          { type: 'input_text', text: 'A picture.' },
          { type: 'input_image', image_url: 'data:image/png;base64,aW1hZ2U=' },
        ],
      },
      { type: 'function_call_output', call_id: ids[2], output: '[failed]\nThe arguments are not valid JSON.' },
      { role: 'user', content: [{ type: 'input_text', text: 'And now?' }] },
    ])
  })

  it('anthropic: signed thinking first, results marked as errors, images inside, four cache breakpoints', async () => {
    const { body, parts } = await secondRequest('anthropic', FIRST)
    const ids = parts.flatMap((part) => (part.type === 'tool_call' ? [part.callId] : []))
    const cache_control = { type: 'ephemeral' }
    expect(body['system']).toEqual([{ type: 'text', text: 'Be brief.', cache_control }])
    expect(listOf(body, 'tools')[0]).toEqual({
      name: 'Read',
      description: 'Reads.',
      input_schema: TOOLS[0]!.schema,
      cache_control,
    })
    expect(listOf(body, 'messages')[1]).toEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'I should look.', signature: 'signed-1' },
        { type: 'text', text: 'Looking.' },
        { type: 'tool_use', id: ids[0], name: 'Read', input: { path: 'a.ts' } },
        { type: 'tool_use', id: ids[1], name: 'Read', input: { path: 'shot.png' } },
        { type: 'tool_use', id: ids[2], name: 'Read', input: {} },
      ],
    })
    expect(listOf(body, 'messages')[2]).toEqual({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: ids[0], content: 'line 1' },
        {
          type: 'tool_result',
          tool_use_id: ids[1],
          content: [
            { type: 'text', text: 'A picture.' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aW1hZ2U=' } },
          ],
        },
        { type: 'tool_result', tool_use_id: ids[2], content: 'The arguments are not valid JSON.', is_error: true },
        { type: 'text', text: 'And now?', cache_control },
      ],
    })
    // The end of the request before this one, where its cache was written.
    expect(listOf(body, 'messages')[0]).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'go', cache_control }],
    })
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(4)
  })

  it('gemini: signatures stay with their parts, the results of a step are one content', async () => {
    const { body } = await secondRequest('google', withoutBadCall, { model: 'gemini-3-pro-preview' })
    const [user, model, results, next] = body['contents'] as { role: string; parts: Record<string, unknown>[] }[]
    expect(user).toEqual({ role: 'user', parts: [{ text: 'go' }] })
    expect(model!.parts[0]).toEqual({ text: 'Looking.' })
    expect(model!.parts[1]).toMatchObject({ functionCall: { name: 'Read' }, thoughtSignature: 'c2lnbmVkLS1' })
    expect(model!.parts).toHaveLength(3)
    expect(results!.parts).toHaveLength(2)
    expect(results!.parts[0]).toMatchObject({ functionResponse: { name: 'Read', response: { content: 'line 1' } } })
    expect(JSON.stringify(results!.parts[1])).toContain('aW1hZ2U=')
    expect(next).toEqual({ role: 'user', parts: [{ text: 'And now?' }] })
  })

  it('gemini before 3: an image is sent beside the one response of its call', async () => {
    const { body } = await secondRequest('google', withoutBadCall, { model: 'gemini-2.5-flash' })
    const results = (body['contents'] as { parts: Record<string, unknown>[] }[])[2]!
    expect(results.parts.filter((part) => 'functionResponse' in part)).toHaveLength(2)
    expect(JSON.stringify(results.parts)).toContain('aW1hZ2U=')
  })

  it.each(ALL_TYPES)(
    "%s: omits another provider's metadata of a part, and thinking that cannot be verified",
    async (type) => {
      await playing(type, [{ text: 'ok' }], async (provider, server) => {
        const foreign = { elsewhere: { secretSignature: 'foreign-data' } }
        const messages: Message[] = [
          { role: 'user', parts: [{ type: 'text', text: 'go' }] },
          {
            role: 'assistant',
            parts: [
              { type: 'thinking', text: 'foreign-thought', metadata: foreign },
              { type: 'text', text: 'Looking.', metadata: foreign },
              {
                type: 'tool_call',
                callId: 'functions.Read:0|weird id',
                name: 'Read',
                input: '{"path":"a"}',
                metadata: foreign,
              },
            ],
          },
          { role: 'tool', callId: 'functions.Read:0|weird id', name: 'Read', isError: false, content: [] },
        ]
        await collect(provider.stream(askFor('', { messages, tools: TOOLS }), unstopped()))
        const body = JSON.stringify(server.requests[0]!.body)
        expect(body).not.toContain('foreign-')
        expect(body).toContain('(no output)')
        const plain = body.match(/functions_Read_0_weird_id/g) ?? []
        expect(plain).toHaveLength(['anthropic', 'responses'].includes(WIRE_OF[type]) ? 2 : 0)
      })
    },
  )

  it.each(ALL_TYPES)('%s: omits a cut-off answer of thinking alone, which every provider rejects', async (type) => {
    await playing(type, [{ text: 'ok' }], async (provider, server) => {
      const messages: Message[] = [
        { role: 'user', parts: [{ type: 'text', text: 'go' }] },
        {
          role: 'assistant',
          parts: [
            {
              type: 'thinking',
              text: 'lone-thought',
              metadata: {
                anthropic: { signature: 's' },
                chat: { field: 'reasoning' },
                google: { thoughtSignature: 's' },
              },
            },
          ],
        },
        { role: 'user', parts: [{ type: 'text', text: 'again' }] },
      ]
      await collect(provider.stream(askFor('', { messages }), unstopped()))
      expect(JSON.stringify(server.requests[0]!.body)).not.toContain('lone-thought')
    })
  })
})
