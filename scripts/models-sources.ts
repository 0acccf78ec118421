import type { ThinkingControl } from '../src/main/engine/model/provider.ts'
import type { Effort } from '../src/shared/model/turn/effort.ts'
import type { Medium, ModelRow, PriceRow } from '../src/main/engine/model/catalog/models-table.ts'

interface Cost {
  input: number
  output: number
  cacheRead?: number
  cacheWrite?: number
}

/** The used fields of a model in the npm package. */
export interface PackageModel {
  id: string
  type: string
  reasoning?: boolean | null
  input: string[]
  contextWindow: number
  maxTokens: number
  cost: Cost & { tiers?: (Cost & { inputTokensAbove: number })[] }
  /** Null: the level is rejected. Absent for xhigh and max: unknown; for the others: accepted. */
  thinkingLevelMap?: Partial<Record<'off' | Exclude<Effort, 'none'>, string | null>>
  compat?: { forceAdaptiveThinking?: boolean; supportsReasoningEffort?: boolean; thinkingFormat?: string }
}

/** The same for https://models.dev/api.json. */
export interface ModelsDevModel {
  reasoning?: boolean
  tool_call?: boolean
  release_date?: string
  modalities?: { input: string[]; output: string[] }
  limit?: { context: number; output: number }
  cost?: { input: number; output: number; cache_read?: number; cache_write?: number }
}

const LEVELS = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

/** A row of the table, from the package's entry for a model. */
export function rowOfPackage(model: PackageModel, api: string, provider: string): ModelRow {
  const media = mediaOf(model.input)
  const thinking = thinkingOf(model, api, provider)
  const efforts = effortsOf(model, thinking)
  const price = priceOf(model.cost)
  const [tier] = model.cost.tiers ?? []
  const over = tier && priceOf(tier)
  return {
    window: model.contextWindow,
    output: model.maxTokens,
    ...(media.length > 0 && { in: media }),
    ...(thinking !== 'none' && { thinking }),
    ...(efforts.length > 0 && { efforts }),
    ...(price && { price }),
    ...(tier && over && { over: [tier.inputTokensAbove, ...over] }),
  }
}

/**
 * The same from models.dev; undefined for a model that cannot use tools. It does not describe how thinking is
 * controlled.
 */
export function rowOfModelsDev({
  reasoning,
  tool_call,
  release_date,
  modalities,
  limit,
  cost,
}: ModelsDevModel): ModelRow | undefined {
  if (
    !limit ||
    limit.context < 1000 ||
    limit.output < 1 ||
    tool_call === false ||
    modalities?.output.includes('text') === false
  )
    return undefined
  const media = mediaOf(modalities?.input ?? [])
  const price =
    cost &&
    priceOf({
      input: cost.input,
      output: cost.output,
      cacheRead: cost.cache_read ?? 0,
      cacheWrite: cost.cache_write ?? 0,
    })
  return {
    window: limit.context,
    output: limit.output,
    ...(media.length > 0 && { in: media }),
    ...(reasoning && { thinking: 'always' }),
    ...(price && { price }),
    ...(release_date !== undefined && { released: release_date }),
  }
}

function mediaOf(input: readonly string[]): Medium[] {
  return (['image', 'pdf', 'video'] as const).filter((medium) => input.includes(medium))
}

/**
 * Undefined for free models: inclusion in a plan is not a price. A cache price of 0 means that the source lists no
 * price.
 */
function priceOf({ input, output, cacheRead = 0, cacheWrite = 0 }: Cost): PriceRow | undefined {
  if (input <= 0 && output <= 0) return undefined
  if (cacheWrite > 0) return [input, output, cacheRead, cacheWrite]
  return cacheRead > 0 ? [input, output, cacheRead] : [input, output]
}

function thinkingOf(
  { reasoning, compat, thinkingLevelMap }: PackageModel,
  api: string,
  provider: string,
): ThinkingControl {
  if (!reasoning) return 'none'
  if (compat?.forceAdaptiveThinking && provider !== 'openrouter') return 'adaptive'
  // With an OpenAI-compatible API, OpenRouter accepts a level for every model that thinks.
  if (provider === 'openrouter') return 'effort'
  if (provider === 'minimax') return 'always'
  if (api === 'anthropic-messages') return 'budget'
  if (api === 'google-generative-ai') return thinkingLevelMap ? 'effort' : 'budget'
  if (compat?.supportsReasoningEffort === false) return thinkingLevelMap?.off === null ? 'always' : 'switch'
  return thinkingLevelMap && LEVELS.some((level) => typeof thinkingLevelMap[level] === 'string') ? 'effort' : 'always'
}

function effortsOf({ thinkingLevelMap: map = {} }: PackageModel, thinking: ThinkingControl): Effort[] {
  if (thinking === 'none' || thinking === 'always') return []
  const off: Effort[] = map.off === null ? [] : ['none']
  if (thinking === 'switch') return [...off, 'high']
  const usual = thinking === 'effort' ? [] : (['low', 'medium', 'high'] as const)
  const named = LEVELS.filter((level) => typeof map[level] === 'string')
  const levels = LEVELS.filter(
    (level) => named.includes(level) || (map[level] !== null && usual.some((one) => one === level)),
  )
  // If no level is listed: the three that every such server supports.
  return [...off, ...(levels.length > 0 ? levels : (['low', 'medium', 'high'] as const))]
}
