import { describe, expect, it } from 'vitest'
import { listedModels } from './listed-models'

const only = (entry: unknown, holder = 'data') => listedModels({ [holder]: [entry] })[0]

describe('a list of models', () => {
  it('reads OpenRouter: window, output, media, thinking, tools, prices per million', () => {
    expect(
      only({
        id: 'anthropic/claude-opus-5.5',
        context_length: 1_000_000,
        architecture: { input_modalities: ['text', 'image', 'file'], output_modalities: ['text'] },
        top_provider: { context_length: 1_000_000, max_completion_tokens: 128_000 },
        supported_parameters: ['tools', 'reasoning'],
        pricing: {
          prompt: '0.000004',
          completion: '0.00002',
          input_cache_read: '0.0000002',
          input_cache_write: '0.000005',
        },
      }),
    ).toEqual({
      model: 'anthropic/claude-opus-5.5',
      contextWindow: 1_000_000,
      toolCalls: true,
      imagesIn: true,
      thinking: true,
      traits: {
        pdfIn: true,
        videoIn: false,
        outputLimit: 128_000,
        prices: { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 },
      },
    })
  })

  it('ignores the price of a router that depends on the chosen model', () => {
    expect(only({ id: 'openrouter/auto', pricing: { prompt: '-1', completion: '-1' } })?.traits?.prices).toBeUndefined()
  })

  it('reads Anthropic', () => {
    const entry = {
      id: 'claude-sonnet-5-5',
      max_input_tokens: 1_000_000,
      max_tokens: 128_000,
      capabilities: { image_input: { supported: true }, pdf_input: { supported: true }, thinking: { supported: true } },
    }
    expect(only(entry)).toEqual({
      model: 'claude-sonnet-5-5',
      contextWindow: 1_000_000,
      imagesIn: true,
      thinking: true,
      traits: { pdfIn: true, outputLimit: 128_000 },
    })
  })

  it('reads Gemini, and omits models that do not answer with text', () => {
    const models = [
      {
        name: 'models/gemini-3.8-flash',
        inputTokenLimit: 1_048_576,
        outputTokenLimit: 65_536,
        supportedGenerationMethods: ['generateContent'],
        thinking: true,
      },
      { name: 'models/gemini-embedding-2', inputTokenLimit: 2048, supportedGenerationMethods: ['embedContent'] },
      { name: 'models/veo-3.1', supportedGenerationMethods: ['predictLongRunning'] },
    ]
    expect(listedModels({ models })).toEqual([
      { model: 'gemini-3.8-flash', contextWindow: 1_048_576, thinking: true, traits: { outputLimit: 65_536 } },
    ])
  })

  it.each([
    [
      'Moonshot',
      { context_length: 262_144, supports_image_in: true, supports_video_in: true, supports_reasoning: true },
      { contextWindow: 262_144, imagesIn: true, thinking: true, traits: { videoIn: true } },
    ],
    [
      'Mistral',
      { max_context_length: 262_144, capabilities: { vision: false, function_calling: true } },
      { contextWindow: 262_144, imagesIn: false, toolCalls: true },
    ],
    [
      'Groq',
      { context_window: 131_072, max_completion_tokens: 65_536 },
      { contextWindow: 131_072, traits: { outputLimit: 65_536 } },
    ],
    ['vLLM', { max_model_len: 40_960 }, { contextWindow: 40_960 }],
    [
      'llama.cpp, which may run with less than the model was trained on',
      { meta: { n_ctx: 8192, n_ctx_train: 131_072 } },
      { contextWindow: 8192 },
    ],
    [
      'LM Studio, which may have loaded less than the most',
      { type: 'vlm', max_context_length: 131_072, loaded_context_length: 16_384 },
      { contextWindow: 16_384, imagesIn: true },
    ],
  ])('reads %s', (_name, entry, facts) => {
    expect(only({ id: 'm', ...entry })).toEqual({ model: 'm', ...facts })
  })

  it('omits facts that the list lacks, or that are not numbers', () => {
    expect(only({ id: 'gpt-6.1-sol', object: 'model' })).toEqual({ model: 'gpt-6.1-sol' })
    expect(only({ id: 'odd', context_length: 'many', max_model_len: -1 })).toEqual({ model: 'odd' })
    for (const body of [null, 'text', {}, { data: 'x' }, { data: [null, 7, {}] }])
      expect(listedModels(body)).toEqual([])
  })
})
