import { describe, expect, it } from 'vitest'
import type { Message } from '../../../shared/model/turn/message'
import { buildPrompt } from './adapter/prompt'
import type { ModelRequest } from './provider'
import { anthropicProtocol } from './protocol/anthropic'
import { chatProtocol } from './protocol/chat'
import { googleProtocol } from './protocol/google'
import { responsesProtocol } from './protocol/responses'
import type { ModelProtocol } from './protocol/protocol'

const SETTINGS = { baseUrl: undefined, key: 'key' }
const METADATA = {
  chat: { field: 'reasoning_content' },
  openai: { itemId: 'rs_1', reasoningEncryptedContent: 'sealed' },
  anthropic: { signature: 'signed' },
  google: { thoughtSignature: 'signed' },
}
type Answer = Extract<Message, { role: 'assistant' }>

const answer = (more: Partial<Answer> = {}): Answer => ({
  role: 'assistant',
  model: 'p/one',
  parts: [
    { type: 'thinking', text: 'I look.', metadata: METADATA },
    { type: 'text', text: 'Looking.', metadata: { openai: { itemId: 'msg_1', phase: 'commentary' } } },
    {
      type: 'tool_call',
      callId: 'c1',
      name: 'Read',
      input: '{}',
      metadata: { openai: { itemId: 'fc_1' }, google: { thoughtSignature: 'signed too' } },
    },
  ],
  ...more,
})

/** What is sent back of this answer, as JSON. */
function returned(wire: ModelProtocol, message: Answer, asked: Partial<ModelRequest> = {}): string {
  const messages: Message[] = [
    { role: 'user', parts: [{ type: 'text', text: 'go' }] },
    message,
    { role: 'tool', callId: 'c1', name: 'Read', isError: false, content: [] },
  ]
  const request = { system: '', messages, imagesIn: false, thinking: true, model: 'one', modelId: 'p/one', ...asked }
  return JSON.stringify(buildPrompt(request, wire.rules)[1])
}

describe('thinking is sent back to the model that wrote it', () => {
  it('signed thinking and what depends on it are not sent to another model of the same provider', async () => {
    const other = { model: 'two', modelId: 'p/two' }
    const anthropic = await anthropicProtocol(SETTINGS)
    expect(returned(anthropic, answer())).toContain('signed')
    expect(returned(anthropic, answer(), other)).not.toMatch(/signed|I look/)
    const google = await googleProtocol(SETTINGS)
    expect(returned(google, answer())).toContain('signed too')
    expect(returned(google, answer(), other)).not.toContain('signed')
    const responses = await responsesProtocol(SETTINGS)
    expect(returned(responses, answer())).toMatch(/sealed.*msg_1.*fc_1/)
    // An item without the reasoning it belongs to would be rejected; the phase of the text is still sent.
    expect(returned(responses, answer(), other)).not.toMatch(/sealed|msg_1|fc_1/)
    expect(returned(responses, answer(), other)).toContain('commentary')
  })

  it('an answer of an old log that does not name its model is sent back as before', async () => {
    const { model: _unknown, ...old } = answer()
    expect(returned(await anthropicProtocol(SETTINGS), old, { model: 'two', modelId: 'p/two' })).toContain('signed')
  })

  it('plain thinking is sent back to the family of its model', async () => {
    const wire = await chatProtocol(SETTINGS, 'plain')
    const kimi = answer({ model: 'moonshot/kimi-k2.5' })
    expect(returned(wire, kimi, { model: 'kimi-k2.6', modelId: 'moonshot/kimi-k2.6' })).toContain('I look.')
    expect(returned(wire, kimi, { model: 'moonshotai/Kimi-K2.6', modelId: 'my/favourite' })).toContain('I look.')
    expect(returned(wire, kimi, { model: 'qwen3-max', modelId: 'other/qwen3-max' })).not.toMatch(
      /I look|reasoning_content/,
    )
  })

  it('Kimi and DeepSeek get the field with every call while they think, because they reject a call without it', async () => {
    const wire = await chatProtocol(SETTINGS, 'plain')
    const foreign = answer({ model: 'other/qwen3-max' })
    expect(returned(wire, foreign, { model: 'kimi-k2.6', modelId: 'moonshot/kimi-k2.6' })).toContain(
      '"reasoning_content":""',
    )
    const still = { model: 'deepseek-v4', modelId: 'd/deepseek-v4', thinking: false }
    expect(returned(wire, foreign, still)).not.toContain('reasoning_content')
  })

  it('stale thinking is withheld only from models that bind it or may do so', async () => {
    const wire = await anthropicProtocol(SETTINGS)
    const stale = answer({ staleThinking: true })
    expect(returned(wire, stale)).toContain('signed')
    expect(returned(wire, stale, { traits: { bindsThinking: true } })).not.toContain('signed')
    expect(returned(wire, stale, { model: 'claude-opus-5-5' })).not.toContain('signed')
    expect(returned(wire, stale, { traits: { losesStaleThinking: true } })).not.toContain('signed')
    for (const other of [await responsesProtocol(SETTINGS), await googleProtocol(SETTINGS)]) {
      expect(returned(other, answer())).toMatch(/sealed|c2lnbmVk|signed/)
      expect(returned(other, stale)).not.toMatch(/sealed|c2lnbmVk|signed/)
    }
  })

  it('dropped thinking is not sent back, and no thinking at all if it is switched off', async () => {
    for (const wire of [
      await anthropicProtocol(SETTINGS),
      await googleProtocol(SETTINGS),
      await responsesProtocol(SETTINGS),
      await chatProtocol(SETTINGS, 'plain'),
    ])
      expect(returned(wire, answer({ thinkingDropped: true }))).not.toMatch(/signed|sealed|I look|fc_1/)
    expect(
      returned(await anthropicProtocol(SETTINGS), answer(), { model: 'claude-sonnet-4-5', effort: 'none' }),
    ).not.toContain('signed')
  })

  it('over chat, a long call id and its result are sent back unchanged to the model that wrote it, and shortened to others', async () => {
    const { rules } = await chatProtocol(SETTINGS, 'plain')
    const callId = `call_${'x'.repeat(90)}`
    const messages: Message[] = [
      { role: 'user', parts: [{ type: 'text', text: 'go' }] },
      answer({ parts: [{ type: 'tool_call', callId, name: 'Read', input: '{}' }] }),
      { role: 'tool', callId, name: 'Read', isError: false, content: [] },
    ]
    const idsFor = (modelId: string): unknown[] => {
      const request = { system: '', messages, imagesIn: false, thinking: true, model: 'm', modelId }
      return buildPrompt(request, rules).flatMap(({ content }) =>
        Array.isArray(content) ? content.flatMap((part) => ('toolCallId' in part ? [part.toolCallId] : [])) : [],
      )
    }
    expect(idsFor('p/one')).toEqual([callId, callId])
    const [call, result] = idsFor('p/two') as [string, string]
    expect(call).toBe(result)
    expect(call.length).toBeLessThanOrEqual(40)
  })

  it('messages converted for one model are converted again for another', async () => {
    const { rules } = await anthropicProtocol(SETTINGS)
    const pieces = new WeakMap()
    const messages = [answer()]
    const request = { system: '', messages, imagesIn: false, thinking: true, model: 'one', modelId: 'p/one' }
    const first = JSON.stringify(buildPrompt(request, rules, pieces))
    expect(JSON.stringify(buildPrompt({ ...request, modelId: 'p/two' }, rules, pieces))).not.toContain('signed')
    expect(JSON.stringify(buildPrompt(request, rules, pieces))).toBe(first)
  })
})
