import { CodedError } from '../../../../shared/model/errors'
import type { ModelAbilities, OfferedModels } from '../../../../shared/model/settings'
import type { ProviderSettings } from '../../config/settings'
import type { ModelInfo } from '../provider'
import { tableProviderOf } from './known-model'
import { modelFacts } from './model-facts'
import { modelsTable } from './models-table'
import type { ProviderLists } from './provider-lists'

/** The models a provider has: as it lists them itself, else those that are known of it. */
export async function offeredModels(
  lists: ProviderLists,
  provider: ProviderSettings,
  providerId: string,
  key: string | undefined,
): Promise<OfferedModels> {
  const offered = (model: string): OfferedModels['models'][number] => ({
    model,
    ...abilitiesOf(modelFacts({ provider, providerId, model, listed: lists.of(provider, model) })),
  })
  try {
    const models = await lists.ask(provider, key)
    return { from: 'provider', models: models.map(({ model }) => offered(model)) }
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    const known = modelsTable().providers[tableProviderOf(provider) ?? '']?.models ?? {}
    return { from: 'table', models: Object.keys(known).map(offered), problem: error.message }
  }
}

/** What an interface shows of what is known of a model. */
export function abilitiesOf({
  contextWindow,
  maxOutputTokens,
  toolCalls,
  imagesIn,
  thinking,
  traits,
  knownFrom,
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
  }
}
