import type { ProviderType } from '../../../../shared/configuration/provider-types'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { EFFORTS } from '../../../../shared/model/turn/effort'
import { knownModel } from './known-model'
import { modelsTable } from './models-table'

/**
 * The current models of every kind of provider, as their vendors publish them (sources: docs/models.md). Not read from
 * the table, so that a wrong source or a bug in the script is detected here.
 */
const CURRENT: [
  type: ProviderType,
  baseUrl: string | undefined,
  model: string,
  window: number,
  media: string,
  thinking: string,
][] = [
  ['anthropic', undefined, 'claude-fable-5-2', 1_000_000, 'image pdf', 'adaptive'],
  ['anthropic', undefined, 'claude-opus-5-5', 1_000_000, 'image pdf', 'adaptive'],
  ['anthropic', undefined, 'claude-sonnet-5-5', 1_000_000, 'image pdf', 'adaptive'],
  ['anthropic', undefined, 'claude-haiku-5-5', 1_000_000, 'image pdf', 'adaptive'],
  ['anthropic', undefined, 'claude-sonnet-4-5', 200_000, 'image pdf', 'budget'],
  ['anthropic', undefined, 'claude-haiku-4-5', 200_000, 'image pdf', 'budget'],
  ['openai-responses', undefined, 'gpt-6.1-sol', 1_050_000, 'image pdf', 'effort'],
  ['openai-responses', undefined, 'gpt-6.1-terra', 1_050_000, 'image pdf', 'effort'],
  ['openai-responses', undefined, 'gpt-6-astra', 1_050_000, 'image pdf', 'effort'],
  ['openai-responses', undefined, 'gpt-6-luna', 1_050_000, 'image pdf', 'effort'],
  ['openai-responses', undefined, 'gpt-5.6', 1_050_000, 'image pdf', 'effort'],
  ['openai-responses', undefined, 'gpt-5.1', 400_000, 'image', 'effort'],
  ['openai-responses', undefined, 'gpt-4.1', 1_047_576, 'image pdf', 'none'],
  ['google', undefined, 'gemini-4-argon', 1_048_576, 'image pdf video', 'effort'],
  ['google', undefined, 'gemini-3.8-flash', 1_048_576, 'image pdf video', 'effort'],
  ['google', undefined, 'gemini-3.1-pro-preview', 1_048_576, 'image pdf video', 'effort'],
  ['google', undefined, 'gemini-2.5-pro', 1_048_576, 'image pdf video', 'budget'],
  ['moonshot', undefined, 'kimi-k3.1-pro', 1_048_576, 'image video', 'effort'],
  ['moonshot', undefined, 'kimi-k3', 1_048_576, 'image video', 'effort'],
  ['moonshot', undefined, 'kimi-k2.7-code', 262_144, 'image video', 'always'],
  ['moonshot', undefined, 'kimi-k2.6', 262_144, 'image video', 'switch'],
  ['moonshot', undefined, 'kimi-k2.5', 262_144, 'image video', 'switch'],
  ['openai-compatible', 'https://api.kimi.com/coding/v1', 'k3.1-pro', 1_048_576, 'image video', 'effort'],
  ['openai-compatible', 'https://openrouter.ai/api/v1', 'anthropic/claude-opus-5.5', 1_000_000, 'image pdf', 'effort'],
  ['openai-compatible', 'https://openrouter.ai/api/v1', 'openai/gpt-6.1-sol', 1_050_000, 'image pdf', 'effort'],
  [
    'openai-compatible',
    'https://openrouter.ai/api/v1',
    'google/gemini-3.8-flash',
    1_048_576,
    'image pdf video',
    'effort',
  ],
  ['openai-compatible', 'https://openrouter.ai/api/v1', 'qwen/qwen3-coder', 262_144, '', 'none'],
  ['openai-compatible', 'https://api.deepseek.com', 'deepseek-v4-pro', 1_000_000, '', 'effort'],
  ['openai-compatible', 'https://api.deepseek.com/v1', 'deepseek-flash', 1_000_000, 'image', 'effort'],
  ['openai-compatible', 'https://api.x.ai/v1', 'grok-4.7', 500_000, 'image pdf', 'effort'],
  ['openai-compatible', 'https://api.mistral.ai/v1', 'mistral-large-4', 1_048_576, 'image', 'effort'],
  ['openai-compatible', 'https://api.mistral.ai/v1', 'devstral-latest', 262_144, '', 'none'],
  ['openai-compatible', 'https://api.groq.com/openai/v1', 'openai/gpt-oss-120b', 131_072, '', 'effort'],
  ['openai-compatible', 'https://api.cerebras.ai/v1', 'gpt-oss-120b', 131_072, '', 'effort'],
  ['openai-compatible', 'https://api.z.ai/api/paas/v4', 'glm-5.3', 1_000_000, '', 'effort'],
  ['openai-compatible', 'https://api.z.ai/api/paas/v4', 'glm-4.7', 204_800, '', 'switch'],
  ['openai-compatible', 'https://api.minimax.io/v1', 'MiniMax-M2.7', 204_800, '', 'always'],
  ['anthropic', 'https://api.minimax.io/anthropic', 'MiniMax-M3', 1_000_000, 'image video', 'always'],
  [
    'openai-compatible',
    'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    'qwen3.8-max',
    1_000_000,
    'image pdf video',
    'effort',
  ],
  [
    'openai-compatible',
    'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    'qwen3.7-plus',
    1_000_000,
    'image video',
    'switch',
  ],
]

const price = z.number().min(0)
const prices = [price, price, price.optional(), price.optional()] as const
const ROW = z.strictObject({
  window: z.int().min(1000).max(20_000_000),
  output: z.int().min(1).optional(),
  in: z.array(z.enum(['image', 'pdf', 'video'])).optional(),
  thinking: z.enum(['effort', 'budget', 'adaptive', 'switch', 'always']).optional(),
  efforts: z.array(z.enum(EFFORTS)).optional(),
  effort: z.enum(EFFORTS).optional(),
  binds: z.literal(true).optional(),
  header: z.literal(true).optional(),
  dialect: z.literal('gpt').optional(),
  price: z.tuple([...prices]).optional(),
  over: z.tuple([z.int().min(1), ...prices]).optional(),
  released: z.iso.date().optional(),
})
const TABLE = z.strictObject({
  generated: z.iso.date(),
  sources: z.array(z.strictObject({ name: z.string(), date: z.iso.date().optional() })).min(1),
  providers: z.record(
    z.string(),
    z.strictObject({ name: z.string(), small: z.string().optional(), models: z.record(z.string(), ROW) }),
  ),
})

const anthropic = (model: string) => knownModel({ type: 'anthropic' }, 'claude', model)

describe('the table of known models', () => {
  it.each(CURRENT)(
    'has the correct window, media and thinking: %s %s %s',
    (type, baseUrl, model, window, media, thinking) => {
      const facts = knownModel({ type, ...(baseUrl !== undefined && { baseUrl }) }, 'mine', model)
      const traits = facts?.traits
      const takes = [facts?.imagesIn && 'image', traits?.pdfIn && 'pdf', traits?.videoIn && 'video']
        .filter(Boolean)
        .join(' ')
      expect({ window: facts?.contextWindow, media: takes, thinking: traits?.thinkingControl }).toEqual({
        window,
        media,
        thinking,
      })
      expect(facts?.thinking).toBe(thinking !== 'none')
    },
  )

  it('has consistent rows: known values, a default among the efforts, cached tokens at no higher price, an existing small model', () => {
    expect(() => TABLE.parse(modelsTable())).not.toThrow()
    const wrong = Object.entries(modelsTable().providers).flatMap(([provider, { small, models }]) => [
      ...(small === undefined || models[small] ? [] : [`${provider}: no small model ${small}`]),
      ...Object.entries(models).flatMap(([model, { thinking, effort, efforts, price }]) => [
        ...(effort && efforts && !efforts.includes(effort) ? [`${model}: ${effort} is not one of its efforts`] : []),
        ...(efforts && !thinking ? [`${model}: efforts without thinking`] : []),
        ...(price && (price[2] ?? 0) > price[0] ? [`${model}: the cache is dearer than input`] : []),
      ]),
    ])
    expect(wrong).toEqual([])
  })

  it.each([
    ['claude-sonnet-5-5-20261001', 'claude-sonnet-5-5'],
    ['claude-haiku-4-5-20251001', 'claude-haiku-4-5'],
    ['claude-opus-4-5-latest', 'claude-opus-4-5'],
    ['claude-opus-4.5', 'claude-opus-4-5'],
    ['anthropic/claude-opus-5.5', 'claude-opus-5-5'],
    ['us.anthropic.claude-opus-4-5-20251101-v1:0', 'claude-opus-4-5'],
    ['claude-sonnet-4', 'claude-sonnet-4-0'],
  ])('finds a model by an alias: %s', (alias, model) => {
    expect(anthropic(alias)).toEqual(anthropic(model))
    expect(anthropic(model)).toBeDefined()
  })

  it('finds models/… of Gemini, and models in preview and after it', () => {
    const google = (model: string) => knownModel({ type: 'google' }, 'g', model)
    expect(google('models/gemini-2.5-pro')?.contextWindow).toBe(1_048_576)
    expect(google('gemini-3.1-pro')).toEqual(google('gemini-3.1-pro-preview'))
  })

  it('has no facts about a model that is not in it, not even for names of object properties', () => {
    expect(anthropic('claude-9')).toBeUndefined()
    expect(anthropic('constructor')).toBeUndefined()
    expect(
      knownModel({ type: 'openai-compatible', baseUrl: 'https://gateway.example/v1' }, 'g', 'toString'),
    ).toBeUndefined()
  })

  it("has Claude's special needs only on its own API: bound thinking, the header, adaptive thinking", () => {
    expect(anthropic('claude-opus-5-5')?.traits).toMatchObject({
      bindsThinking: true,
      defaultEffort: 'medium',
      thinkingControl: 'adaptive',
    })
    expect(anthropic('claude-haiku-5-5')?.traits).toMatchObject({ bindsThinking: true })
    expect(anthropic('claude-opus-4-8')?.traits?.bindsThinking).toBeUndefined()
    expect(anthropic('claude-sonnet-4-5')?.traits).toMatchObject({
      needsInterleavedHeader: true,
      thinkingControl: 'budget',
    })
    const routed = knownModel(
      { type: 'openai-compatible', baseUrl: 'https://openrouter.ai/api/v1' },
      'or',
      'anthropic/claude-opus-5.5',
    )
    expect(routed?.traits?.bindsThinking).toBeUndefined()
  })

  it("gives a gateway the vendor's facts without its prices and its small model", () => {
    const facts = knownModel(
      { type: 'openai-compatible', baseUrl: 'https://gateway.example/v1' },
      'gate',
      'anthropic/claude-opus-5.5',
    )
    expect(facts).toMatchObject({ contextWindow: 1_000_000, imagesIn: true, thinking: true })
    expect(facts?.traits?.prices).toBeUndefined()
    expect(facts?.traits?.smallModel).toBeUndefined()
  })

  it('does not set the window of a model on this machine, which its server determines', () => {
    const facts = knownModel(
      { type: 'openai-compatible', baseUrl: 'http://127.0.0.1:8000/v1' },
      'local',
      'qwen/qwen3-coder',
    )
    expect(facts).toBeDefined()
    expect(facts?.contextWindow).toBeUndefined()
  })

  it('names a cheaper model of the same provider, on OpenRouter of the same vendor, and none for the cheapest', () => {
    expect(anthropic('claude-opus-5-5')?.traits?.smallModel).toBe('claude/claude-haiku-5-5')
    expect(anthropic('claude-haiku-5-5')?.traits?.smallModel).toBeUndefined()
    const routed = knownModel(
      { type: 'openai-compatible', baseUrl: 'https://openrouter.ai/api/v1' },
      'or',
      'x-ai/grok-4.7',
    )
    expect(routed?.traits?.smallModel).toBe('or/x-ai/grok-4.3')
  })

  it("excludes the tokens of the longest answer from the input limit of OpenAI's thinking models", () => {
    const limitOf = (type: ProviderType, model: string) => knownModel({ type }, 'p', model)?.traits?.inputLimit
    expect(limitOf('openai-responses', 'gpt-5')).toBe(272_000)
    expect(limitOf('openai-responses', 'gpt-6.1-sol')).toBe(922_000)
    expect(limitOf('openai-responses', 'gpt-4.1')).toBeUndefined()
    expect(limitOf('anthropic', 'claude-sonnet-5-5')).toBeUndefined()
  })

  it('assigns GPT its own edit tools, and no other family', () => {
    expect(knownModel({ type: 'openai-responses' }, 'o', 'gpt-6-sol')?.traits?.toolDialect).toBe('gpt')
    expect(anthropic('claude-opus-5-5')?.traits?.toolDialect).toBe('general')
  })

  it('prices a long request as its vendor does', () => {
    expect(knownModel({ type: 'openai-responses' }, 'o', 'gpt-6.1-sol')?.traits?.prices).toEqual({
      input: 2,
      output: 10,
      cacheRead: 0.1,
      cacheWrite: 2.5,
      long: { above: 272_000, input: 4, output: 15, cacheRead: 0.2, cacheWrite: 5 },
    })
  })
})
