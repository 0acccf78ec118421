import { EFFORTS, type Effort } from '../../../../shared/model/turn/effort'
import type { ModelPrices } from '../../../../shared/model/turn/usage'
import type { TableReader } from '../toml/table-reader'

export const CAPABILITIES = ['tools', 'image_in', 'pdf_in', 'video_in', 'thinking'] as const
export type Capability = (typeof CAPABILITIES)[number]

/**
 * `[models.…]` of config.toml. Missing values come from the provider's list or the table of known models, or are
 * guessed.
 */
export interface ModelSettings {
  /** Key into `providers`. */
  provider: string
  /** The provider's name for it. */
  model: string
  label?: string
  /** Tokens. */
  contextWindow?: number
  maxOutputTokens?: number
  capabilities?: readonly Capability[]
  /** The edit tools it gets. */
  toolDialect?: 'gpt' | 'general'
  prices?: ModelPrices
  /** How much it should think. Default: the vendor's default. */
  effort?: Effort
}

/** The fields of a model's entry other than its name and provider. */
export function readModelFacts(entry: TableReader): Omit<ModelSettings, 'provider' | 'model'> {
  const label = entry.string('label')
  const contextWindow = entry.number('context_window', { min: 1000, max: 100_000_000 })
  const maxOutputTokens = entry.number('max_output_tokens', { min: 1, max: 100_000_000 })
  const capabilities = entry.strings<Capability>('capabilities', CAPABILITIES)
  const toolDialect = entry.oneOf('tool_dialect', ['gpt', 'general'])
  const prices = readPrices(entry.table('prices'))
  const effort = entry.oneOf('effort', EFFORTS)
  return {
    ...(label !== undefined && { label }),
    ...(contextWindow !== undefined && { contextWindow }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(capabilities && { capabilities: [...new Set(capabilities)] }),
    ...(toolDialect && { toolDialect }),
    ...(prices && { prices }),
    ...(effort !== undefined && { effort }),
  }
}

function readPrices(reader: TableReader | undefined): ModelPrices | undefined {
  if (!reader) return undefined
  const price = (key: string): number | undefined => reader.number(key, { min: 0, max: 1_000_000, whole: false })
  const [input, output, cacheRead, cacheWrite, cacheWriteHour] = [
    price('input'),
    price('output'),
    price('cache_read'),
    price('cache_write'),
    price('cache_write_hour'),
  ]
  reader.finish()
  if (input === undefined || output === undefined) {
    for (const key of ['input', 'output'])
      if (!reader.has(key)) reader.mistake(undefined, `needs ${key}: dollars per million tokens`)
    return undefined
  }
  return {
    input,
    output,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
    ...(cacheWriteHour !== undefined && { cacheWriteHour }),
  }
}
