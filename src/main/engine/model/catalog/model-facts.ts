import { providerFacts } from '../../../../shared/configuration/provider-types'
import type { ModelSettings } from '../../config/agent-settings/model-settings'
import type { ProviderSettings } from '../../config/settings/settings'
import type { ModelInfo, ModelTraits } from '../provider'
import { knownModel, type ModelFacts, tableProviderOf } from './known-model'
import { CodedError } from '../../../../shared/errors'
import type { ModelAbilities, OfferedModels, PriceSource } from '../../../../shared/configuration/settings'
import { NO_PRICE, type ModelPrices } from '../../../../shared/model/turn/usage'
import { modelsTable } from './models-table'
import { isLocalServer, type ProviderLists } from './provider-lists'
import { losesStaleThinking } from '../thinking'

/** Explains "guess" if the word alone is not clear. */
export const GUESSED_MODEL_NOTE =
  'Nothing is known about a model marked as a guess; its limits are assumptions. Correct them in config.toml ' +
  '(docs/models.md).'

/** Context window in tokens assumed for an unknown model. */
const GUESSED_WINDOW = 128_000

export interface ModelSources {
  provider: ProviderSettings
  /** The provider's name in the configuration. */
  providerId: string
  model: string
  /** The model's settings in the configuration. */
  configured?: ModelSettings | undefined
  /** The facts in the provider's own list. */
  listed?: ModelFacts | undefined
}

type Facts = Pick<
  ModelInfo,
  'contextWindow' | 'maxOutputTokens' | 'toolCalls' | 'imagesIn' | 'thinking' | 'traits' | 'knownFrom' | 'pricesFrom'
>

/**
 * The facts of a model: from the configuration, else the provider's list, else the table of known models, else a safe
 * guess.
 */
export function modelFacts({ provider, providerId, model, configured, listed }: ModelSources): Facts {
  const table = knownModel(provider, providerId, model)
  const can = configured?.capabilities
  const [prices, pricesFrom] = pricesOf(provider, configured, listed, table)
  const traits = traitsOf({ provider, model, configured, listed, table, prices })
  const maxOutputTokens = configured?.maxOutputTokens ?? table?.maxOutputTokens
  return {
    contextWindow: configured?.contextWindow ?? listed?.contextWindow ?? table?.contextWindow ?? GUESSED_WINDOW,
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    toolCalls: can?.includes('tools') ?? listed?.toolCalls ?? table?.toolCalls ?? true,
    imagesIn: can?.includes('image_in') ?? listed?.imagesIn ?? table?.imagesIn ?? allTakeImages(provider),
    thinking: can?.includes('thinking') ?? table?.thinking ?? listed?.thinking ?? false,
    ...(traits && { traits }),
    ...(pricesFrom && { pricesFrom }),
    knownFrom:
      configured?.contextWindow !== undefined
        ? 'config'
        : listed?.contextWindow !== undefined
          ? 'provider'
          : table?.contextWindow !== undefined
            ? 'table'
            : 'guess',
  }
}

function traitsOf({
  provider,
  model,
  configured,
  listed,
  table,
  prices,
}: Pick<ModelSources, 'provider' | 'model' | 'configured' | 'listed'> & {
  table: ModelFacts | undefined
  prices: ModelPrices | undefined
}): ModelTraits | undefined {
  const can = configured?.capabilities
  const imagesOff = can !== undefined && !can.includes('image_in')
  const traits: ModelTraits = {
    // Which edit tools a model was trained on is known only from its name.
    ...(/(?:^|[/.])(?:gpt-|codex|o[134](?:-|$))/i.test(model) && { toolDialect: 'gpt' as const }),
    // All models of this vendor accept video.
    ...(provider.type === 'google' && provider.baseUrl === undefined && { videoIn: true }),
    ...table?.traits,
    ...listed?.traits,
    ...(losesStaleThinking(provider.type, model, table?.traits) && { losesStaleThinking: true }),
    ...(can?.includes('pdf_in') ? { pdfIn: true } : imagesOff && { pdfIn: false }),
    ...(can?.includes('video_in') ? { videoIn: true } : imagesOff && { videoIn: false }),
    ...(!providerFacts(provider.type).video && { videoIn: false }),
    ...(configured?.toolDialect && { toolDialect: configured.toolDialect }),
    ...(prices && { prices }),
  }
  return Object.keys(traits).length > 0 ? traits : undefined
}

/** The model's prices and their source. The usual local servers cost nothing. */
function pricesOf(
  { baseUrl }: ProviderSettings,
  configured: ModelSettings | undefined,
  listed: ModelFacts | undefined,
  table: ModelFacts | undefined,
): [] | [ModelPrices, PriceSource] {
  if (configured?.prices) return [configured.prices, 'config']
  if (isLocalServer(baseUrl)) return [NO_PRICE, 'local']
  if (listed?.traits?.prices) return [listed.traits.prices, 'provider']
  return table?.traits?.prices ? [table.traits.prices, 'table'] : []
}

/** Whether all models of this vendor accept images; for other vendors that is unknown. */
function allTakeImages({ type, baseUrl }: ProviderSettings): boolean {
  return baseUrl === undefined && (type === 'anthropic' || type === 'google' || type === 'openai-responses')
}

/** The models of a provider: those it lists itself, or else those known to belong to it. */
export async function offeredModels(
  lists: ProviderLists,
  provider: ProviderSettings,
  providerId: string,
  key: string | undefined,
): Promise<OfferedModels> {
  const offered = (model: string): OfferedModels['models'][number] => ({
    model,
    ...modelAbilities(modelFacts({ provider, providerId, model, listed: lists.get(provider, model) })),
  })
  try {
    const models = await lists.fetchModels(provider, key)
    return { from: 'provider', models: models.map(({ model }) => offered(model)) }
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    const known = modelsTable().providers[tableProviderOf(provider) ?? '']?.models ?? {}
    return { from: 'table', models: Object.keys(known).map(offered), problem: error.message }
  }
}

/** The facts about a model that an interface shows. */
export function modelAbilities({
  contextWindow,
  maxOutputTokens,
  toolCalls,
  imagesIn,
  thinking,
  traits,
  knownFrom,
  pricesFrom,
}: Omit<ModelInfo, 'id' | 'model' | 'label' | 'providerId' | 'origin'>): ModelAbilities {
  return {
    contextWindow,
    toolCalls,
    imagesIn,
    thinking,
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(traits?.pdfIn && { pdfIn: true }),
    ...(traits?.videoIn && { videoIn: true }),
    ...(knownFrom && { knownFrom }),
    ...(traits?.prices && pricesFrom && { prices: traits.prices, pricesFrom }),
  }
}
