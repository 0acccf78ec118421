import type { ProviderType } from '../../../shared/configuration/provider-types'
import { describe, expect, it } from 'vitest'
import { collect } from '../../../../test/support/collect-chunks'
import type { AssistantPart, Message } from '../../../shared/model/turn/message'
import { createProvider } from './adapter/adapter'
import type { ModelRequest, ModelTraits } from './provider'
import type { Fetch } from '../network/http-fetch'

interface Sent {
  body: Record<string, unknown>
  headers: Headers
}

const ask = (said: string): Message => ({ role: 'user', parts: [{ type: 'text', text: said }] })
const result: Message = {
  role: 'tool',
  callId: 'c1',
  name: 'Read',
  isError: false,
  content: [{ type: 'text', text: 'line 1' }],
}

/** What a provider sends for this request; its server does not answer. */
async function sent(
  type: ProviderType,
  request: Partial<ModelRequest> & { model: string },
  baseUrl?: string,
): Promise<Sent> {
  const requests: Sent[] = []
  const fetch: Fetch = async (_input, init) => {
    requests.push({
      body: JSON.parse(Buffer.from(init?.body as string).toString('utf8')),
      headers: new Headers(init?.headers),
    })
    throw new TypeError('no server')
  }
  const provider = await createProvider({ type, ...(baseUrl !== undefined && { baseUrl }) }, { key: 'key', fetch })
  const whole: ModelRequest = {
    system: '',
    messages: [ask('go')],
    tools: [],
    imagesIn: false,
    thinking: true,
    ...request,
  }
  await expect(collect(provider.stream(whole, new AbortController().signal))).rejects.toThrow('no server')
  return requests[0]!
}

const betas = ({ headers }: Sent): string[] =>
  (headers.get('anthropic-beta') ?? '').split(',').map((beta) => beta.trim())
const of = (body: Record<string, unknown>, ...keys: string[]) =>
  Object.fromEntries(keys.filter((key) => key in body).map((key) => [key, body[key]]))

describe('anthropic: thinking in a request', () => {
  const said = async (model: string, more: Partial<ModelRequest> = {}, baseUrl?: string) =>
    of((await sent('anthropic', { model, ...more }, baseUrl)).body, 'thinking', 'output_config', 'max_tokens')

  it('adaptive models think, and no level is sent unless one was chosen', async () => {
    expect(await said('claude-opus-4-8')).toEqual({
      thinking: { type: 'adaptive', display: 'summarized' },
      max_tokens: 128_000,
    })
    expect(await said('claude-opus-4-8', { effort: 'xhigh' })).toMatchObject({ output_config: { effort: 'xhigh' } })
    expect(await said('claude-sonnet-4-6', { effort: 'xhigh' })).toMatchObject({ output_config: { effort: 'high' } })
    expect(await said('claude-opus-4-8', { effort: 'none' })).toMatchObject({ thinking: { type: 'disabled' } })
  })

  it('a model that cannot stop thinking gets its lowest level', async () => {
    expect(await said('claude-opus-5-5', { effort: 'none' })).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'low' },
    })
  })

  it('models that bind their thinking are told to drop it if its prefix has changed, even if no thinking is requested', async () => {
    const block_binding = { prefix_mismatch_behavior: 'drop_block' }
    const request = await sent('anthropic', { model: 'claude-sonnet-5-5', effort: 'max' })
    expect(of(request.body, 'thinking', 'output_config')).toEqual({
      thinking: { type: 'adaptive', display: 'summarized', block_binding },
      output_config: { effort: 'max' },
    })
    expect(betas(request)).toContain('thinking-binding-controls-2026-08-01')
    expect(await said('claude-sonnet-5-5', { thinking: false })).toMatchObject({ thinking: { block_binding } })
    expect(await said('proxied', { traits: { thinkingControl: 'adaptive', bindsThinking: true } })).toMatchObject({
      thinking: { type: 'adaptive', block_binding },
    })
    expect(await said('claude-opus-5')).not.toHaveProperty('thinking.block_binding')
  })

  it('budget models get a real budget, with room for the answer, and the header to think between calls', async () => {
    const request = await sent('anthropic', { model: 'claude-sonnet-4-5' })
    expect(of(request.body, 'thinking', 'max_tokens')).toEqual({
      thinking: { type: 'enabled', budget_tokens: 24_576 },
      max_tokens: 64_000,
    })
    expect(betas(request)).toContain('interleaved-thinking-2025-05-14')
    expect(betas(await sent('anthropic', { model: 'claude-opus-4-8' }))).not.toContain(
      'interleaved-thinking-2025-05-14',
    )
    expect(await said('claude-sonnet-4-5', { effort: 'low' })).toMatchObject({ thinking: { budget_tokens: 4096 } })
    expect(await said('claude-sonnet-4-5', { effort: 'max' })).toEqual({
      thinking: { type: 'enabled', budget_tokens: 64_000 - 8192 },
      max_tokens: 64_000,
    })
    expect(await said('claude-opus-4-1', { effort: 'max' })).toMatchObject({
      thinking: { budget_tokens: 24_000 },
      max_tokens: 32_000,
    })
  })

  it('compatible endpoints get the same budgets, within the longest answer of the model', async () => {
    const kimi = 'https://api.moonshot.example/anthropic'
    expect(await said('kimi-k2.6', {}, kimi)).toEqual({
      thinking: { type: 'enabled', budget_tokens: 24_000 },
      max_tokens: 32_000,
    })
    expect(await said('kimi-k2.6', { effort: 'medium' }, kimi)).toMatchObject({
      thinking: { budget_tokens: 10_240 },
      max_tokens: 32_000,
    })
    expect(await said('glm-4.6', { maxOutputTokens: 8000 }, kimi)).toEqual({
      thinking: { type: 'enabled', budget_tokens: 6000 },
      max_tokens: 8000,
    })
    expect(await said('glm-4.6', { maxOutputTokens: 1200 }, kimi)).toEqual({ max_tokens: 1200 })
    expect(await said('glm-4.6', { thinking: false }, kimi)).toEqual({ max_tokens: 32_000 })
  })

  it('a model that thinks by budget does not think in a turn that started with the thinking of another model, or without any', async () => {
    const call = { type: 'tool_call', callId: 'c1', name: 'Read', input: '{}' } as const
    const thought: AssistantPart = {
      type: 'thinking',
      text: 'I look.',
      metadata: { anthropic: { signature: 'signed' } },
    }
    const modelId = 'a/claude-sonnet-4-5'
    const go = async (answer: Partial<Extract<Message, { role: 'assistant' }>>, last: Message[] = []) => {
      const message: Message = { role: 'assistant', model: modelId, parts: [thought, call], ...answer }
      return said('claude-sonnet-4-5', { modelId, messages: [ask('go'), message, result, ...last] })
    }
    expect(await go({})).toHaveProperty('thinking')
    expect(await go({ thinkingDropped: true })).not.toHaveProperty('thinking')
    expect(await go({ model: 'a/claude-opus-4-8' })).not.toHaveProperty('thinking')
    expect(await go({ parts: [call] }, [ask('faster')])).not.toHaveProperty('thinking')
    expect(
      await go({ parts: [call] }, [{ role: 'assistant', parts: [{ type: 'text', text: 'Done.' }] }, ask('next')]),
    ).toHaveProperty('thinking')
  })
})

describe('openai-responses: thinking in a request', () => {
  const said = async (more: Partial<ModelRequest>) =>
    of((await sent('openai-responses', { model: 'gpt-5.4', ...more })).body, 'reasoning', 'include')

  it('requests reasoning to send back, and names an effort only if one was chosen', async () => {
    expect(await said({})).toEqual({ reasoning: { summary: 'auto' }, include: ['reasoning.encrypted_content'] })
    expect(await said({ effort: 'xhigh' })).toMatchObject({ reasoning: { effort: 'xhigh', summary: 'auto' } })
    expect(await said({ effort: 'max' })).toMatchObject({ reasoning: { effort: 'xhigh' } })
    expect((await said({ effort: 'none' }))['reasoning']).toEqual({ effort: 'none' })
    expect(await said({ model: 'gpt-4.1', thinking: false, effort: 'high' })).toEqual({})
  })
})

describe('google: what a request says of thinking', () => {
  const said = async (model: string, more: Partial<ModelRequest> = {}) => {
    const { body } = await sent('google', { model, ...more })
    return (body['generationConfig'] as Record<string, unknown>)['thinkingConfig']
  }

  it('has levels for Gemini 3, budgets for Gemini 2.5, and neither unless one was chosen', async () => {
    expect(await said('gemini-3.1-pro')).toEqual({ includeThoughts: true })
    expect(await said('gemini-3.1-pro', { effort: 'low' })).toEqual({ includeThoughts: true, thinkingLevel: 'low' })
    expect(await said('gemini-3-pro', { effort: 'medium' })).toEqual({ includeThoughts: true, thinkingLevel: 'low' })
    expect(await said('gemini-2.5-flash')).toEqual({ includeThoughts: true })
    expect(await said('gemini-2.5-flash', { effort: 'medium' })).toEqual({
      includeThoughts: true,
      thinkingBudget: 10_240,
    })
    expect(await said('gemini-2.5-flash', { effort: 'none' })).toEqual({ thinkingBudget: 0 })
    expect(await said('gemini-2.5-pro', { effort: 'none' })).toEqual({ includeThoughts: true, thinkingBudget: 4096 })
  })
})

describe('chat: what a request says of thinking', () => {
  const FIELDS = ['reasoning_effort', 'thinking', 'enable_thinking']
  const said = async (model: string, more: Partial<ModelRequest> = {}, type: ProviderType = 'openai-compatible') =>
    of((await sent(type, { model, ...more }, 'https://models.example/v1')).body, ...FIELDS)
  const traits = (thinkingControl: ModelTraits['thinkingControl']): ModelTraits => ({
    thinkingControl: thinkingControl!,
  })

  it('reasoning_effort is sent only to models that accept it, and only if chosen', async () => {
    expect(await said('gpt-5.4')).toEqual({})
    expect(await said('gpt-5.4', { effort: 'low' })).toEqual({ reasoning_effort: 'low' })
    expect(await said('openai/gpt-oss-120b', { effort: 'max' })).toEqual({ reasoning_effort: 'high' })
    expect(await said('some-model', { effort: 'high' })).toEqual({})
    expect(await said('some-model', { effort: 'high', traits: traits('effort') })).toEqual({ reasoning_effort: 'high' })
  })

  it('switches are sent in the form of the model’s vendor', async () => {
    expect(await said('glm-4.6', { effort: 'none', traits: traits('switch') })).toEqual({
      thinking: { type: 'disabled' },
    })
    expect(await said('qwen3-max', { effort: 'high', traits: traits('switch') })).toEqual({ enable_thinking: true })
    expect(await said('glm-4.6', { traits: traits('switch') })).toEqual({})
  })

  it('moonshot: Kimi thinks as its vendor intends, unless it is switched off', async () => {
    expect(await said('kimi-k2.6', {}, 'moonshot')).toEqual({})
    expect(await said('kimi-k2.6', { effort: 'high' }, 'moonshot')).toEqual({ thinking: { type: 'enabled' } })
    expect(await said('kimi-k2.6', { effort: 'none' }, 'moonshot')).toEqual({ thinking: { type: 'disabled' } })
    expect(await said('kimi-k2.6', { thinking: false }, 'moonshot')).toEqual({ thinking: { type: 'disabled' } })
    expect(await said('kimi-k2-thinking', { effort: 'none' }, 'moonshot')).toEqual({})
  })
})
