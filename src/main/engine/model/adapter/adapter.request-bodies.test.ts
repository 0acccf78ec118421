import { PROVIDER_TYPES, type ProviderType } from '../../../../shared/configuration/provider-types'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { describe, expect, it } from 'vitest'
import { collect } from '../../../../../test/support/collect-chunks'
import type { Message } from '../../../../shared/model/turn/message'
import { createProvider } from './adapter'
import { buildPrompt } from './prompt'
import type { ModelRequest, Provider } from '../provider'
import { chatProtocol } from '../protocol/chat'
import type { Fetch } from '../../network/http-fetch'

const image = (name: string) => ({
  type: 'media' as const,
  mediaType: 'image/png',
  data: Buffer.from(name).toString('base64'),
  name,
})
const text = (said: string) => ({ type: 'text' as const, text: said })
const METADATA = {
  chat: { field: 'reasoning_content' },
  openai: { itemId: 'rs_1', reasoningEncryptedContent: 'sealed' },
  anthropic: { signature: 'signed' },
  google: { thoughtSignature: 'signed' },
}

/** The messages a step adds: together, the steps contain every kind of part, and no two are alike. */
function step(n: number): Message[] {
  const ids = Array.from({ length: (n % 3) + 1 }, (_, index) => `functions.Read:${n}.${index}`)
  const odd = ['é “quoted” \\ \n\t\u0000\u2028', '😀 and half of one: \ud83d', '\ude00 the other half', '', '   '][
    n % 5
  ]!
  const results = ids.map((callId, index): Message => {
    const content =
      (n + index) % 4 === 0 ? [text(`A picture ${n}`), image(`${n}-${index}.png`)] : [text(`${odd} ${n}`), text('more')]
    return { role: 'tool', callId, name: 'Read', isError: (n + index) % 5 === 0, content: n % 6 === 5 ? [] : content }
  })
  return [
    ...(n % 4 === 0
      ? [
          {
            role: 'user' as const,
            parts: n % 8 === 0 ? [text(odd), image(`prompt-${n}.png`)] : [text(`prompt ${n} ${odd}`)],
          },
        ]
      : []),
    {
      role: 'assistant',
      parts: [
        { type: 'thinking', text: n % 2 === 0 ? `I think ${odd}` : '', metadata: METADATA },
        ...(n % 3 === 0 ? [text(`Looking ${odd}`)] : []),
        ...ids.map((callId, index) => ({
          type: 'tool_call' as const,
          callId,
          name: 'Read',
          input: [`{"path": "a-${n}.ts"}`, '{"path":', '{"n":1.0,"deep":{"list":[1,null,"\\u00e9"]}}'][
            (n + index) % 3
          ]!,
        })),
      ],
    },
    ...results,
  ]
}

/** A provider whose requests are not sent, and the bodies of those requests. */
async function recording(type: ProviderType): Promise<{ provider: Provider; sent: string[] }> {
  const sent: string[] = []
  const fetch: Fetch = async (_input, init) => {
    sent.push(Buffer.from(init?.body as string).toString('utf8'))
    throw new TypeError('no server')
  }
  return { provider: await createProvider({ type, baseUrl: 'http://127.0.0.1:1/v1' }, { key: 'key', fetch }), sent }
}

async function ask(provider: Provider, request: ModelRequest): Promise<void> {
  await expect(collect(provider.stream(request, new AbortController().signal))).rejects.toThrow('no server')
}

/** The first body that a new provider sends. */
async function firstBody(type: ProviderType, request: ModelRequest): Promise<string> {
  const { provider, sent } = await recording(type)
  await ask(provider, request)
  return sent[0]!
}

const REQUEST: ModelRequest = {
  model: 'scripted',
  system: 'Be brief. "messages":"messages-0"',
  messages: [],
  tools: [
    { name: 'Read', description: 'Reads.', schema: { type: 'object', properties: { path: { type: 'string' } } } },
  ],
  imagesIn: true,
  thinking: true,
  cacheKey: 'session-1',
  maxOutputTokens: 1000,
}

describe.each(PROVIDER_TYPES)('a request of a %s provider that has sent most of it before', (type) => {
  it('is byte for byte the same as that of a new provider', async () => {
    const { provider, sent } = await recording(type)
    const messages: Message[] = [{ role: 'user', parts: [text('go')] }]
    for (let n = 0; n < 40; n++) {
      messages.push(...step(n))
      const request = { ...REQUEST, messages: [...messages] }
      await ask(provider, request)
      expect(sent[n]).toBe(await firstBody(type, request))
      // A single JSON document, formatted as by JSON.stringify.
      expect(sent[n]).toBe(JSON.stringify(JSON.parse(sent[n]!)))
    }
  })

  it('is correct when an attempt is repeated, the history is cut, or the system prompt, the model or its media types change', async () => {
    const { provider, sent } = await recording(type)
    const messages: Message[] = [
      { role: 'user', parts: [text('go')] },
      ...Array.from({ length: 12 }, (_, n) => step(n)).flat(),
    ]
    const trimmed = messages.map((message): Message =>
      message.role === 'tool' ? { ...message, content: [text('left out')] } : message,
    )
    const requests: ModelRequest[] = [
      { ...REQUEST, messages },
      { ...REQUEST, messages },
      { ...REQUEST, messages, imagesIn: false },
      { ...REQUEST, messages: trimmed },
      { ...REQUEST, messages: messages.slice(messages.findLastIndex((message) => message.role === 'user')) },
      { ...REQUEST, messages, system: 'Be long.', model: 'another', tools: [] },
      { ...REQUEST, messages, system: '' },
      // The same object used twice is still two messages.
      { ...REQUEST, messages: [messages[0]!, messages[0]!, ...messages] },
      { ...REQUEST, messages },
    ]
    for (const request of requests) {
      await ask(provider, request)
      expect(sent.at(-1)).toBe(await firstBody(type, request))
    }
  })

  it('is correct for several concurrent requests', async () => {
    const { provider, sent } = await recording(type)
    const shared: Message[] = [{ role: 'user', parts: [text('go')] }, ...step(0), ...step(1)]
    const requests = [2, 3, 4].map((n) => ({ ...REQUEST, messages: [...shared, ...step(n)] }))
    await Promise.all(requests.map((request) => ask(provider, request)))
    const expected = await Promise.all(requests.map((request) => firstBody(type, request)))
    expect(sent.toSorted()).toEqual(expected.toSorted())
  })
})

describe('a PDF', () => {
  const pdf = {
    type: 'media' as const,
    mediaType: 'application/pdf',
    data: 'JVBERi0=',
    name: 'a.pdf',
    text: '[Page 1 of 1]\nwords',
    pages: 1,
  }
  const messages: Message[] = [
    { role: 'user', parts: [text('go'), pdf] },
    { role: 'assistant', parts: [{ type: 'tool_call', callId: 'c1', name: 'Read', input: '{"path":"b.pdf"}' }] },
    {
      role: 'tool',
      callId: 'c1',
      name: 'Read',
      isError: false,
      content: [text('b.pdf: PDF document'), { ...pdf, name: 'b.pdf' }],
    },
  ]
  const bodyOf = async (type: ProviderType, more: Partial<ModelRequest> = {}) =>
    firstBody(type, { ...REQUEST, messages, ...more })
  const count = (body: string, piece: string): number => body.split(piece).length - 1

  it.each([
    ['anthropic', '{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0="}', 2],
    ['openai-responses', '"file_data":"data:application/pdf;base64,JVBERi0="', 2],
    ['google', '{"inlineData":{"mimeType":"application/pdf","data":"JVBERi0="}}', 2],
  ] as const)('goes to %s as a document, in a prompt and in a result', async (type, piece, times) => {
    const body = await bodyOf(type)
    expect(count(body, piece)).toBe(times)
    expect(body).not.toContain('words')
  })

  it('in a result follows in a user message on Gemini, whose older models accept none in results', async () => {
    const { contents } = JSON.parse(await bodyOf('google')) as { contents: { role: string; parts: object[] }[] }
    expect(JSON.stringify(contents.at(-1)?.parts)).toContain('inlineData')
    expect(
      JSON.stringify(contents.flatMap(({ parts }) => parts).filter((part) => 'functionResponse' in part)),
    ).not.toContain('JVBERi0=')
  })

  it.each(['openai-compatible', 'moonshot'] as const)('goes to %s as the text of its pages', async (type) => {
    const body = await bodyOf(type)
    expect(count(body, '[Page 1 of 1]\\nwords')).toBe(2)
    expect(body).not.toContain('JVBERi0=')
  })

  it.each(['anthropic', 'openai-responses', 'google'] as const)(
    'goes to %s as text if the model accepts no PDFs, or it is too long',
    async (type) => {
      for (const more of [{ traits: { pdfIn: false } }, { imagesIn: false }]) {
        const body = await bodyOf(type, more)
        expect(count(body, '[Page 1 of 1]\\nwords')).toBe(2)
        expect(body).not.toContain('JVBERi0=')
      }
      expect(await bodyOf(type, { imagesIn: false, traits: { pdfIn: true } })).toContain('JVBERi0=')
      expect(await bodyOf(type, { messages: [{ role: 'user', parts: [{ ...pdf, pages: 101 }] }] })).not.toContain(
        'JVBERi0=',
      )
    },
  )
})

it('the messages of a chat body are the same as those the package makes from the whole prompt', async () => {
  const messages: Message[] = [
    { role: 'user', parts: [text('go')] },
    ...Array.from({ length: 40 }, (_, n) => step(n)).flat(),
  ]
  const request = { ...REQUEST, messages }
  const { rules } = await chatProtocol({ baseUrl: undefined, key: 'key' }, 'plain')
  let body = ''
  const fetch: Fetch = async (_input, init) => {
    body = init?.body as string
    throw new TypeError('no server')
  }
  const alone = createOpenAICompatible({
    name: 'chat',
    baseURL: 'http://127.0.0.1:1/v1',
    apiKey: 'key',
    fetch,
  }).chatModel('scripted')
  await expect(alone.doStream({ prompt: buildPrompt(request, rules) })).rejects.toThrow('no server')
  const messagesOf = (json: string): string => JSON.stringify((JSON.parse(json) as { messages: unknown }).messages)
  expect(messagesOf(await firstBody('openai-compatible', request))).toBe(messagesOf(body))
})

describe('the last request of a turn', () => {
  const CHOICE: Record<ProviderType, (body: Record<string, unknown>) => unknown> = {
    'openai-compatible': (body) => body['tool_choice'],
    moonshot: (body) => body['tool_choice'],
    'openai-responses': (body) => body['tool_choice'],
    anthropic: (body) => (body['tool_choice'] as { type: string }).type,
    google: (body) =>
      (body['toolConfig'] as { functionCallingConfig: { mode: string } }).functionCallingConfig.mode.toLowerCase(),
  }

  it.each(PROVIDER_TYPES)('%s: forbids tools, and lists them as before', async (type) => {
    const request = { ...REQUEST, messages: step(0) }
    const before = JSON.parse(await firstBody(type, request)) as Record<string, unknown>
    const last = JSON.parse(await firstBody(type, { ...request, toolChoice: 'none' })) as Record<string, unknown>
    expect(CHOICE[type](last)).toBe('none')
    expect(last['tools']).toEqual(before['tools'])
    expect(last['tools']).toHaveLength(1)
  })
})

describe('cache marks', () => {
  const messages: Message[] = [
    { role: 'user', parts: [text('one')] },
    { role: 'assistant', parts: [text('two')] },
    { role: 'user', parts: [text('three')] },
  ]
  /** The marks of the request, by the text of the marked block. */
  async function marked(more: Partial<ModelRequest>): Promise<Record<string, unknown>> {
    const body = JSON.parse(await firstBody('anthropic', { ...REQUEST, messages, ...more })) as {
      tools: Record<string, unknown>[]
      system: Record<string, unknown>[]
      messages: { content: Record<string, unknown>[] }[]
    }
    const blocks = [...body.tools, ...body.system, ...body.messages.flatMap(({ content }) => content)]
    return Object.fromEntries(
      blocks.flatMap((block) =>
        block['cache_control'] ? [[String(block['name'] ?? block['text']), block['cache_control']]] : [],
      ),
    )
  }
  const short = { type: 'ephemeral' }

  it('are at the tools, the system prompt, the end, and where the previous request ended', async () => {
    expect(await marked({})).toEqual({ Read: short, [REQUEST.system]: short, one: short, three: short })
  })

  it('last an hour if requested', async () => {
    const long = { type: 'ephemeral', ttl: '1h' }
    expect(await marked({ cache: 'long' })).toEqual({ Read: long, [REQUEST.system]: long, one: long, three: long })
  })

  it('are not at the end of a one-off request, and absent from one that is not to be cached', async () => {
    expect(await marked({ isOneOff: true })).toEqual({ Read: short, [REQUEST.system]: short, one: short })
    expect(await marked({ cache: 'none' })).toEqual({})
  })
})

it('a call that was made through another tool goes back as written, and its result under that name', () => {
  const messages: Message[] = [
    {
      role: 'assistant',
      parts: [
        {
          type: 'tool_call',
          callId: 'c',
          name: 'real',
          input: '{"n":1}',
          sentAs: { name: 'call_tool', input: '{"name": "real"}' },
        },
      ],
    },
    { role: 'tool', callId: 'c', name: 'real', sentAs: 'call_tool', isError: false, content: [text('done')] },
  ]
  const rules = {
    metadataKey: 'x',
    imagesInResults: false,
    marksErrors: false,
    video: false,
    rawInput: true,
    cacheMarks: false,
  }
  const whole = {
    ...rules,
    callId: (id: string) => id,
    thinking: 'signed-parts' as const,
    thinkingReplay: () => ({}),
    isSigned: () => false,
  }
  expect(buildPrompt({ model: 'm', thinking: false, system: '', messages, imagesIn: false }, whole)).toMatchObject([
    { content: [{ toolName: 'call_tool', input: '{"name": "real"}' }] },
    { content: [{ toolName: 'call_tool' }] },
  ])
})
