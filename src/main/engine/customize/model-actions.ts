import type { ProviderType } from '../../../shared/configuration/provider-types'
import type {
  ConnectionTest,
  FoundServer,
  ModelAbilities,
  ModelView,
  OfferedModels,
  SettingsView,
} from '../../../shared/configuration/settings'
import { CodedError } from '../../../shared/errors'
import { nearestEffort } from '../../../shared/model/turn/effort'
import type { Config } from '../config/config'
import type { Secrets } from '../config/key-store/secrets'
import type { ModelSettings } from '../config/agent-settings/model-settings'
import type { Settings } from '../config/settings/settings'
import type { TomlEdit } from '../config/toml/edit-toml'
import type { Catalog } from '../model/catalog/catalog'
import { modelAbilities } from '../model/catalog/model-facts'
import type { ModelInfo } from '../model/provider'
import { thinkingFacts } from '../model/thinking'

/** Changes to providers and models in the interface. */
export interface ModelActions {
  models(): ModelInfo[]
  saveProvider(input: {
    id: string
    type: SettingsView['providers'][number]['type']
    baseUrl?: string
    apiKeyEnv?: string
    apiKey?: string
  }): Promise<SettingsView>
  removeProvider(id: string): Promise<SettingsView>
  saveModel(input: {
    id: string
    providerId: string
    model: string
    label?: string
    contextWindow?: number
    maxOutputTokens?: number
    toolCalls?: boolean
    imagesIn?: boolean
    videoIn?: boolean
    thinking?: boolean
  }): Promise<SettingsView>
  removeModel(id: string): Promise<SettingsView>
  setDefaultModel(id: string): Promise<SettingsView>
  setSmallModel(id: string | undefined): Promise<SettingsView>
  setFallbackModel(id: string | undefined): Promise<SettingsView>
  offeredModels(input: { id?: string; type: ProviderType; baseUrl?: string; apiKey?: string }): Promise<OfferedModels>
  testModel(id: string): Promise<ConnectionTest>
  testNewModel(input: { type: ProviderType; baseUrl?: string; apiKey?: string; model: string }): Promise<ConnectionTest>
  findLocal(): Promise<FoundServer[]>
}

export interface ModelActionsDeps {
  config: Config
  secrets: Secrets
  catalog: Catalog
  /** Call when the list of models changed, but not the file. */
  onModels(): void
  view(): SettingsView
  /** Edits the file and returns the new view. */
  edit(...edits: TomlEdit[]): Promise<SettingsView>
}

/** The actions of the settings page on providers and models. */
export function modelActions({ config, secrets, catalog, onModels, view, edit }: ModelActionsDeps): ModelActions {
  return {
    models: () => catalog.list(),
    async saveProvider({ id, type, baseUrl, apiKeyEnv, apiKey }) {
      const table = ['providers', id]
      await config.edit([
        { path: [...table, 'type'], value: type },
        { path: [...table, 'base_url'], value: baseUrl },
        { path: [...table, 'api_key_env'], value: apiKeyEnv },
      ])
      if (apiKey !== undefined && apiKey.trim() !== '') await secrets.set(id, apiKey.trim())
      onModels()
      return view()
    },
    async removeProvider(id) {
      const models = Object.entries(config.settings.models).filter(([, model]) => model.provider === id)
      const forgets = NAMING.filter(({ name }) => models.some(([modelId]) => modelId === config.settings[name]))
      await config.edit([
        ...models.map(([modelId]) => ({ path: ['models', modelId], value: undefined })),
        { path: ['providers', id], value: undefined },
        ...forgets.map(({ key }) => ({ path: [key], value: undefined })),
      ])
      secrets.remove(id)
      onModels()
      return view()
    },
    async saveModel(input) {
      const { id, providerId, model } = input
      const known = catalog.known(providerId, model)
      if (!known)
        throw new CodedError('request.invalid', `providerId: there is no provider "${providerId}"; add it first.`)
      return edit(...modelEdits(input, known, config.settings.models[id]))
    },
    removeModel: (id) =>
      edit(
        { path: ['models', id], value: undefined },
        ...NAMING.filter(({ name }) => config.settings[name] === id).map(({ key }) => ({
          path: [key],
          value: undefined,
        })),
      ),
    async setDefaultModel(id) {
      if (!catalog.list().some((model) => model.id === id))
        throw new CodedError('model.not_found', `There is no model "${id}".`)
      return edit({ path: ['default_model'], value: id })
    },
    setSmallModel: (id) => edit({ path: ['small_model'], value: id }),
    setFallbackModel: (id) => edit({ path: ['fallback_model'], value: id }),
    async offeredModels({ id, type, baseUrl, apiKey }) {
      const known = id === undefined ? undefined : config.settings.providers[id]
      const address = baseUrl?.replace(/\/+$/, '')
      // A stored key and headers are sent only to the address they were set for.
      const same = known?.type === type && known.baseUrl === address ? known : undefined
      const key = apiKey?.trim() || (same && id !== undefined ? secrets.keyFor(id, config.settings) : undefined)
      const provider = same ?? { type, ...(address !== undefined && { baseUrl: address }) }
      const offered = await catalog.offered(id ?? 'new', provider, key)
      onModels()
      return offered
    },
    testModel: (id) => catalog.test(id),
    testNewModel: ({ type, baseUrl, apiKey, model }) =>
      catalog.testNew(
        { type, ...(baseUrl !== undefined && { baseUrl: baseUrl.replace(/\/+$/, '') }) },
        model,
        apiKey?.trim() || undefined,
      ),
    async findLocal() {
      const found = await catalog.findLocal()
      onModels()
      return found
    },
  }
}

/** Settings that name a model, and their keys in config.toml. */
const NAMING = [
  { name: 'defaultModel', key: 'default_model' },
  { name: 'smallModel', key: 'small_model' },
  { name: 'fallbackModel', key: 'fallback_model' },
] as const

/** A model as shown on the settings page, with the user's own values. */
export function modelView(info: ModelInfo, settings: Settings, catalog: Pick<Catalog, 'known'>): ModelView {
  const { id, providerId, model, label, scripted, origin } = info
  // All servers found on this machine use the protocol assumed here.
  const { efforts, defaultEffort } = thinkingFacts(settings.providers[providerId]?.type ?? 'openai-compatible', info)
  const usualEffort = info.effort === undefined ? defaultEffort : nearestEffort(info.effort, efforts)
  const said = origin === 'configured' ? settings.models[id] : undefined
  const known = said && catalog.known(providerId, model)
  return {
    id,
    providerId,
    model,
    label,
    ...modelAbilities(info),
    efforts: [...efforts],
    ...(usualEffort !== undefined && { usualEffort }),
    origin,
    ...(scripted && { scripted }),
    ...(said && {
      said: {
        ...(said.label !== undefined && { label: said.label }),
        ...(said.contextWindow !== undefined && { contextWindow: said.contextWindow }),
        ...(said.maxOutputTokens !== undefined && { maxOutputTokens: said.maxOutputTokens }),
        ...(said.capabilities && { abilities: true as const }),
      },
    }),
    ...(known && { known }),
  }
}

/**
 * The edits that store a model: only values that differ from what is known about it. A known model needs only its name,
 * so that it keeps following the table and the provider's list.
 */
function modelEdits(
  input: Parameters<ModelActions['saveModel']>[0],
  known: ModelAbilities,
  before: ModelSettings | undefined,
): TomlEdit[] {
  const path = (key: string): string[] => ['models', input.id, key]
  return [
    { path: path('provider'), value: input.providerId },
    { path: path('model'), value: input.model },
    { path: path('label'), value: input.label },
    { path: path('context_window'), value: input.contextWindow },
    { path: path('max_output_tokens'), value: input.maxOutputTokens },
    { path: path('capabilities'), value: capabilities(input, known, before) },
  ]
}

function capabilities(
  { toolCalls, imagesIn, videoIn, thinking }: Parameters<ModelActions['saveModel']>[0],
  known: ModelAbilities,
  before: ModelSettings | undefined,
): string[] | undefined {
  const knownVideo = known.videoIn ?? false
  const wanted = {
    toolCalls: toolCalls ?? known.toolCalls,
    imagesIn: imagesIn ?? known.imagesIn,
    videoIn: videoIn ?? before?.capabilities?.includes('video_in') ?? knownVideo,
    thinking: thinking ?? known.thinking,
  }
  const media = (before?.capabilities ?? []).filter((one) => one === 'pdf_in')
  const asKnown =
    wanted.toolCalls === known.toolCalls &&
    wanted.imagesIn === known.imagesIn &&
    wanted.videoIn === knownVideo &&
    wanted.thinking === known.thinking
  if (asKnown && media.length === 0) return undefined
  return [
    ...(wanted.toolCalls ? ['tools'] : []),
    ...(wanted.imagesIn ? ['image_in', ...media] : []),
    ...(wanted.videoIn ? ['video_in'] : []),
    ...(wanted.thinking ? ['thinking'] : []),
  ]
}
