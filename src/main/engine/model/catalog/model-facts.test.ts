import type { ProviderType } from '../../../../shared/configuration/provider-types'
import { describe, expect, it } from 'vitest'
import { buildPrompt } from '../adapter/prompt'
import { modelFacts } from './model-facts'

const facts = (type: ProviderType, model: string, capabilities?: ('tools' | 'image_in' | 'video_in')[]) =>
  modelFacts({
    provider: { type, ...(type === 'openai-compatible' && { baseUrl: 'http://127.0.0.1:9/v1' }) },
    providerId: 'p',
    model,
    configured: capabilities && { provider: 'p', model, capabilities },
  })

/** The media types that are sent, on a wire that can carry video. */
function sent({ imagesIn, traits }: Pick<ReturnType<typeof facts>, 'imagesIn' | 'traits'>): unknown[] {
  const media = (mediaType: string) => ({ type: 'media' as const, mediaType, data: 'AAAA' })
  const [message] = buildPrompt(
    {
      model: 'p/m',
      system: '',
      thinking: false,
      messages: [{ role: 'user', parts: [media('image/png'), media('video/mp4')] }],
      imagesIn,
      ...(traits && { traits }),
    },
    {
      metadataKey: 'x',
      imagesInResults: true,
      marksErrors: true,
      video: true,
      rawInput: false,
      cacheMarks: false,
      callId: (id) => id,
      thinking: 'signed-parts',
      thinkingReplay: () => ({}),
      isSigned: () => false,
    },
  )
  return Array.isArray(message?.content)
    ? message.content.flatMap((part) => (part.type === 'file' ? [part.mediaType] : []))
    : []
}

describe('video_in', () => {
  it('sends no video to a model that is only known to accept images', () => {
    expect(sent(facts('openai-compatible', 'local-vision', ['tools', 'image_in']))).toEqual(['image/png'])
  })

  it('sends video if the configuration has video_in, with or without images', () => {
    expect(sent(facts('openai-compatible', 'local-vision', ['image_in', 'video_in']))).toEqual([
      'image/png',
      'video/mp4',
    ])
    expect(sent(facts('openai-compatible', 'local-video', ['video_in']))).toEqual(['video/mp4'])
  })

  it('sends video to models that are known to accept it, unless the wire cannot carry it', () => {
    expect(facts('google', 'gemini-of-tomorrow').traits?.videoIn).toBe(true)
    expect(facts('moonshot', 'kimi-k3').traits?.videoIn).toBe(true)
    expect(facts('anthropic', 'claude-opus-5-5', ['image_in', 'video_in']).traits?.videoIn).toBe(false)
    expect(facts('openai-responses', 'gpt-6.1-sol').traits?.videoIn).toBe(false)
  })
})

it('stale thinking is sent to the Anthropic models known to accept it, and to no other model with sealed thinking', () => {
  const loses = (...of: Parameters<typeof facts>): boolean => facts(...of).traits?.losesStaleThinking === true
  expect([loses('anthropic', 'claude-opus-5-5'), loses('anthropic', 'no-one-knows-it')]).toEqual([true, true])
  expect([loses('openai-responses', 'gpt-6.1-sol'), loses('google', 'gemini-3.7-flash')]).toEqual([true, true])
  expect([loses('anthropic', 'claude-opus-4-8'), loses('anthropic', 'kimi-k2.6')]).toEqual([false, false])
  expect(loses('openai-compatible', 'deepseek-v4-pro')).toBe(false)
})
