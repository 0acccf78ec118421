import { expect, it } from 'vitest'
import { collect } from '../../../../../test/support/collect-chunks'
import type { ProviderType } from '../../../../shared/configuration/provider-types'
import type { Message } from '../../../../shared/model/turn/message'
import type { Fetch } from '../../network/http-fetch'
import { createProvider } from '../adapter/adapter'

interface Sent {
  messages: {
    role: string
    content: unknown
    tool_calls?: { id: string }[]
    tool_call_id?: string
    reasoning_content?: string
  }[]
  input: { call_id?: string }[]
  stream_options?: unknown
}

/** The body of a request with this conversation. */
async function sent(type: ProviderType, model: string, messages: Message[], baseUrl = 'http://127.0.0.1:1/v1') {
  let body = ''
  const fetch: Fetch = async (_input, init) => {
    body = Buffer.from(init?.body as string).toString('utf8')
    throw new TypeError('no server')
  }
  const provider = await createProvider({ type, baseUrl }, { key: 'key', fetch })
  const request = { model, thinking: true, system: 'S', messages, tools: [], imagesIn: false }
  await expect(collect(provider.stream(request, new AbortController().signal))).rejects.toThrow('no server')
  return JSON.parse(body) as Sent
}

const said = (text: string): Message => ({ role: 'user', parts: [{ type: 'text', text }] })
const calling = (...ids: string[]): Message[] => [
  {
    role: 'assistant',
    parts: [
      { type: 'thinking', text: 'Hm.', metadata: { chat: { field: 'reasoning_content' } } },
      ...ids.map((callId) => ({ type: 'tool_call' as const, callId, name: 'Read', input: '{}' })),
    ],
  },
  ...ids.map((callId): Message => ({
    role: 'tool',
    callId,
    name: 'Read',
    isError: false,
    content: [{ type: 'text', text: 'x' }],
  })),
]

it("Mistral's models get call ids of nine letters and digits, an answer between results and the user, and no thinking", async () => {
  const messages = [said('go'), ...calling('Abc123xyZ', 'toolu_01_c7'), said('stop that'), said('and this')]
  const body = await sent('openai-compatible', 'mistralai/devstral-latest', messages)
  expect(body.messages.map(({ role }) => role)).toEqual([
    'system',
    'user',
    'assistant',
    'tool',
    'tool',
    'assistant',
    'user',
    'user',
  ])
  const [own, other] = body.messages[2]!.tool_calls!.map(({ id }) => id)
  expect(own).toBe('Abc123xyZ')
  expect(other).toMatch(/^[a-z0-9]{9}$/)
  expect(body.messages.flatMap(({ tool_call_id: id }) => id ?? [])).toEqual([own, other])
  expect(body.messages[2]).not.toHaveProperty('reasoning_content')
  // Other models get everything unchanged.
  const usual = await sent('openai-compatible', 'gpt-oss-120b', messages)
  expect(usual.messages.map(({ role }) => role)).not.toContain(undefined)
  expect(usual.messages).toHaveLength(7)
  expect(usual.messages[2]).toMatchObject({ reasoning_content: 'Hm.' })
})

it("Mistral's own server is not sent the field that it rejects, for any model", async () => {
  const url = 'https://api.mistral.ai/v1'
  expect(await sent('openai-compatible', 'zai-glm-5-3', [said('go')], url)).not.toHaveProperty('stream_options')
  expect(await sent('openai-compatible', 'm', [said('go')])).toMatchObject({ stream_options: { include_usage: true } })
})

it('two call ids are never sent as the same one, however long or unusual they are', async () => {
  const long = `call_${'x'.repeat(80)}`
  const ids = [`${long}1`, `${long}2`, 'functions.Read:0', 'functions_Read_0']
  const { input } = await sent('openai-responses', 'gpt-6-sol', [said('go'), ...calling(...ids)])
  const wire = new Set(input.flatMap(({ call_id: id }) => id ?? []))
  expect(wire.size).toBe(4)
  for (const id of wire) expect(id).toMatch(/^[\w-]{1,64}$/)
  expect(wire).toContain('functions_Read_0')
})
