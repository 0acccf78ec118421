import type { ModelTraits } from '../provider'
import { fieldOf } from '../../../../shared/json-fields'
import type { ModelFacts } from './known-model'
import type { ModelPrices } from '../../../../shared/model/turn/usage'

/** A model in a provider's own list, with the facts it lists. */
export interface ListedModel extends ModelFacts {
  model: string
}

/** Models that are not for conversations. */
const OTHER_KINDS =
  /embed|rerank|whisper|moderation|(?:^|[-/])tts|transcribe|dall-e|(?:^|[-/])(?:image|imagen|veo|lyria|sora)-/i

/**
 * The models in the answer to `GET /models`, from any server: `{data:[…]}` of OpenAI, Anthropic, OpenRouter, Moonshot,
 * Mistral, Groq, vLLM, llama.cpp and LM Studio, `{models:[…]}` of Gemini and Ollama. Fields that the list omits are
 * absent.
 */
export function listedModels(body: unknown): ListedModel[] {
  const list = fieldOf(body, 'data') ?? fieldOf(body, 'models')
  if (!Array.isArray(list)) return []
  return list.flatMap((entry: unknown) => {
    const name = fieldOf(entry, 'id') ?? fieldOf(entry, 'name')
    if (typeof name !== 'string' || name === '' || OTHER_KINDS.test(name) || !answersInText(entry)) return []
    return [{ model: name.replace(/^models\//, ''), ...factsIn(entry) }]
  })
}

function answersInText(entry: unknown): boolean {
  const methods = fieldOf(entry, 'supportedGenerationMethods')
  if (Array.isArray(methods)) return methods.includes('generateContent')
  const output = fieldOf(fieldOf(entry, 'architecture'), 'output_modalities')
  return !Array.isArray(output) || output.includes('text')
}

function factsIn(entry: unknown): ModelFacts {
  const top = fieldOf(entry, 'top_provider')
  const can = fieldOf(entry, 'capabilities')
  const media = fieldOf(fieldOf(entry, 'architecture'), 'input_modalities')
  const parameters = fieldOf(entry, 'supported_parameters')
  const takes = (medium: string): boolean | undefined => (Array.isArray(media) ? media.includes(medium) : undefined)
  const window = firstCount(
    fieldOf(entry, 'loaded_context_length'),
    fieldOf(entry, 'max_model_len'),
    fieldOf(entry, 'max_context_length'),
    fieldOf(entry, 'context_length'),
    fieldOf(entry, 'context_window'),
    fieldOf(entry, 'inputTokenLimit'),
    fieldOf(entry, 'max_input_tokens'),
    fieldOf(top, 'context_length'),
    fieldOf(fieldOf(entry, 'meta'), 'n_ctx'),
    fieldOf(fieldOf(entry, 'meta'), 'n_ctx_train'),
  )
  const output = firstCount(
    fieldOf(top, 'max_completion_tokens'),
    fieldOf(entry, 'max_completion_tokens'),
    fieldOf(entry, 'outputTokenLimit'),
    fieldOf(entry, 'max_output_tokens'),
    // Anthropic's name for it, if its name for the window is present too.
    fieldOf(entry, 'max_input_tokens') === undefined ? undefined : fieldOf(entry, 'max_tokens'),
  )
  const toolCalls = firstFlag(
    Array.isArray(parameters) ? parameters.includes('tools') : undefined,
    fieldOf(can, 'function_calling'),
  )
  const imagesIn = firstFlag(
    takes('image'),
    fieldOf(entry, 'supports_image_in'),
    fieldOf(can, 'vision'),
    fieldOf(fieldOf(can, 'image_input'), 'supported'),
    fieldOf(entry, 'type') === 'vlm' || undefined,
  )
  const thinking = firstFlag(
    Array.isArray(parameters) ? parameters.includes('reasoning') : undefined,
    fieldOf(entry, 'supports_reasoning'),
    fieldOf(entry, 'thinking'),
    fieldOf(can, 'reasoning'),
    fieldOf(fieldOf(can, 'thinking'), 'supported'),
  )
  const traits: ModelTraits = {
    ...flag('pdfIn', firstFlag(takes('file'), fieldOf(fieldOf(can, 'pdf_input'), 'supported'))),
    ...flag('videoIn', firstFlag(takes('video'), fieldOf(entry, 'supports_video_in'))),
    ...(output !== undefined && { outputLimit: output }),
    ...pricesIn(fieldOf(entry, 'pricing')),
  }
  return {
    ...(window !== undefined && { contextWindow: window }),
    ...flag('toolCalls', toolCalls),
    ...flag('imagesIn', imagesIn),
    ...flag('thinking', thinking),
    ...(Object.keys(traits).length > 0 && { traits }),
  }
}

/** OpenRouter's prices: dollars per token, as text. Negative: depends on the model that is chosen. */
function pricesIn(pricing: unknown): { prices?: ModelPrices } {
  const price = (name: string): number | undefined => {
    const text = fieldOf(pricing, name)
    const number = typeof text === 'string' || typeof text === 'number' ? Number(text) : Number.NaN
    return number >= 0 ? Math.round(number * 1e12) / 1e6 : undefined
  }
  const [input, output, cacheRead, cacheWrite] = [
    price('prompt'),
    price('completion'),
    price('input_cache_read'),
    price('input_cache_write'),
  ]
  if (input === undefined || output === undefined) return {}
  return {
    prices: {
      input,
      output,
      ...(cacheRead !== undefined && { cacheRead }),
      ...(cacheWrite !== undefined && { cacheWrite }),
    },
  }
}

function firstCount(...values: unknown[]): number | undefined {
  return values.find((value): value is number => typeof value === 'number' && Number.isInteger(value) && value > 0)
}

function firstFlag(...values: unknown[]): boolean | undefined {
  return values.find((value): value is boolean => typeof value === 'boolean')
}

function flag<Name extends string>(name: Name, value: boolean | undefined): Partial<Record<Name, boolean>> {
  return value === undefined ? {} : ({ [name]: value } as Record<Name, boolean>)
}
