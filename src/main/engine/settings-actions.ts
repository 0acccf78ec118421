import { type EngineSettings, DESKTOP } from './config/settings/host-settings'
import type { Appearance, LanguageSettings } from '../../shared/configuration/appearance'
import { interfaceActions } from './interface-actions'
import type { ProviderType } from '../../shared/configuration/provider-types'
import { CodedError } from '../../shared/errors'
import {
  type BudgetView,
  type DesktopSettings,
  type ModelView,
  type ProviderView,
  type SandboxView,
  type SettingsView,
  type ToolSearchView,
  type ModelAbilities,
  type ConnectionTest,
  type FoundServer,
  type OfferedModels,
  type SandboxChange,
} from '../../shared/configuration/settings'
import { FEATURES, featureOf, type Feature } from '../../shared/configuration/features'
import { nearestEffort } from '../../shared/model/effort'
import type { Catalog } from './model/catalog/catalog'
import { priceTable } from './model/catalog/models-table'
import type { SandboxSupport } from './sandbox/sandbox-support'
import type { ModelInfo } from './model/provider'
import { thinkingFacts } from './model/thinking'
import { modelAbilities } from './model/catalog/model-facts'
import type { Config } from './config/config'
import { DEFAULT_CACHES } from './config/settings/sandbox-settings'
import type { KeyStore } from './config/key-store/key-store'
import type { Secrets } from './config/key-store/secrets'
import type { Settings } from './config/settings/settings'
import { BUDGET } from './config/settings/budget-settings'
import { TOOL_SEARCH } from './config/settings/mcp-settings'
import type { ModelSettings } from './config/settings/model-settings'
import type { PermissionMode } from '../../shared/model/approval'

const MINUTE_MS = 60_000

const NO_SEARCH = 'No search provider is set. Add [web.search] to the configuration file.'

export interface SettingsActionsDeps {
  config: Config
  secrets: Secrets
  keyStore: Pick<KeyStore, 'status'>
  catalog: Catalog
  tools: readonly { name: string; description: string }[]
  /** Tokens that a feature adds to each request. */
  featureTokens(feature: Feature): number
  /** The list of models changed without a change of the file. */
  onModels(): void
  /** The built-in list of hosts, and what this machine has to make sandboxes with. */
  sandbox: { hosts: readonly string[]; support(): SandboxSupport }
}

/** What the settings page can do, on config.toml, the stored keys and the catalog. */
export function createSettingsActions({
  config,
  secrets,
  keyStore,
  catalog,
  tools,
  featureTokens,
  onModels,
  sandbox,
}: SettingsActionsDeps): SettingsActions {
  function view(): SettingsView {
    const { settings, problems, file } = config
    const defaultModel = catalog.defaultModel()
    return {
      file,
      problems: [...problems],
      ...(defaultModel !== undefined && { defaultModel }),
      ...(settings.smallModel !== undefined && { smallModel: settings.smallModel }),
      ...(settings.fallbackModel !== undefined && { fallbackModel: settings.fallbackModel }),
      defaultPermissionMode: settings.defaultPermissionMode,
      keys: keyStore.status(),
      providers: Object.entries(settings.providers).map(([id, { type, baseUrl, apiKeyEnv }]): ProviderView => {
        return {
          id,
          type,
          keyFrom: secrets.keyFrom(id, settings),
          ...(baseUrl !== undefined && { baseUrl }),
          ...(apiKeyEnv !== undefined && { apiKeyEnv }),
        }
      }),
      models: catalog.list().map((info) => modelView(info, settings, catalog)),
      prices: priceTable(),
      budget: settings.budget,
      features: FEATURES.map((feature) => ({
        feature,
        enabled: settings.features[feature],
        tokens: featureTokens(feature),
      })),
      tools: tools.filter(hasToggle).map(({ name, description }) => ({
        name,
        description,
        enabled: !settings.tools.disabled.includes(name),
        ...(name === 'WebSearch' && !settings.web.search && { missing: NO_SEARCH }),
      })),
      notifications: settings.notifications,
      toolSearch: settings.toolSearch,
      desktop: settings.desktop,
      sandbox: sandboxView(),
      appearance: settings.appearance,
      language: settings.language,
      engine: { idleMinutes: settings.engine.idleMs / MINUTE_MS, shared: settings.engine.shared },
      shortcuts: { ...settings.shortcuts },
    }
  }

  function sandboxView(): SandboxView {
    const { mode, write, read, hosts, sockets, defaults } = config.settings.sandbox
    const found = sandbox.support()
    const status =
      found.kind === 'none' ? { available: false, reason: found.reason, remedy: found.remedy } : { available: true }
    return {
      mode,
      write: [...write],
      read: [...read],
      hosts: [...hosts],
      sockets: [...sockets],
      defaults,
      builtIn: { write: [...DEFAULT_CACHES], hosts: [...sandbox.hosts] },
      status,
    }
  }

  async function edit(...edits: Parameters<Config['edit']>[0]): Promise<SettingsView> {
    await config.edit(edits)
    return view()
  }

  return {
    view,
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
      // A stored key, and headers, go to no other address than the one they are for.
      const same = known?.type === type && known.baseUrl === address ? known : undefined
      const key = apiKey?.trim() || (same && id !== undefined ? secrets.keyFor(id, config.settings) : undefined)
      const provider = same ?? { type, ...(address !== undefined && { baseUrl: address }) }
      const offered = await catalog.offered(id ?? 'new', provider, key)
      onModels()
      return offered
    },
    setNotifications: ({ enabled, sound, finished }) =>
      edit(
        ...(enabled === undefined ? [] : [{ path: ['notifications', 'enabled'], value: enabled }]),
        ...(sound === undefined ? [] : [{ path: ['notifications', 'sound'], value: sound }]),
        ...(finished === undefined ? [] : [{ path: ['notifications', 'finished'], value: finished }]),
      ),
    setToolSearch: (change) =>
      edit(
        ...Object.entries(change).flatMap(([name, value]) =>
          value === undefined
            ? []
            : [{ path: ['tool_search', TOOL_SEARCH.fields[name as keyof ToolSearchView].key], value }],
        ),
      ),
    setSandbox: (change) =>
      edit(
        ...Object.entries(change).flatMap(([name, value]) => {
          if (value === undefined) return []
          // An empty list says nothing, and neither does the default.
          const saysNothing = (Array.isArray(value) && value.length === 0) || (name === 'defaults' && value === true)
          return [{ path: ['sandbox', name], value: saysNothing ? undefined : value }]
        }),
      ),
    setDesktop: (change) =>
      edit(
        ...Object.entries(change).flatMap(([name, value]) => {
          if (value === undefined) return []
          const path = ['desktop', DESKTOP.fields[name as keyof DesktopSettings].key]
          return [{ path, value: value === '' ? undefined : value }]
        }),
      ),
    setEditor: (command) => edit({ path: ['editor', 'command'], value: command === '' ? undefined : command }),
    engine: () => config.settings.engine,
    appearance: () => config.settings.appearance,
    ...interfaceActions(edit),
    setBudget: (change) =>
      edit(
        ...Object.entries(change).map(([name, value]) => ({
          path: ['budget', BUDGET.fields[name as keyof BudgetView].key],
          value: value === 0 ? undefined : value,
        })),
      ),
    setLoginShell: (enabled) => edit({ path: ['environment', 'login_shell'], value: enabled ? undefined : false }),
    setDefaultMode: (mode) => edit({ path: ['default_permission_mode'], value: mode }),
    async setToolEnabled(name, enabled) {
      if (!tools.some((tool) => tool.name === name))
        throw new CodedError('request.invalid', `name: there is no tool "${name}".`)
      const others = config.settings.tools.disabled.filter((disabled) => disabled !== name)
      const disabled = enabled ? others : [...others, name]
      return edit({ path: ['tools', 'disabled'], value: disabled.length > 0 ? disabled : undefined })
    },
    setFeature: (feature, enabled) => edit({ path: ['features', feature], value: enabled ? true : undefined }),
    testModel: (id) => catalog.test(id),
    async findLocal() {
      const found = await catalog.findLocal()
      onModels()
      return found
    },
  }
}

/** Tools of a feature are turned on and off with it. */
function hasToggle({ name }: { name: string }): boolean {
  return featureOf(name) === undefined
}

/** Settings that name a model, and their keys in config.toml. */
const NAMING = [
  { name: 'defaultModel', key: 'default_model' },
  { name: 'smallModel', key: 'small_model' },
  { name: 'fallbackModel', key: 'fallback_model' },
] as const

function modelView(info: ModelInfo, settings: Settings, catalog: Pick<Catalog, 'known'>): ModelView {
  const { id, providerId, model, label, scripted, origin } = info
  // Servers found on this machine all speak the protocol that is assumed here.
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

type Edits = Parameters<Config['edit']>[0]

/**
 * The edits that store a model: only values that differ from what is known about it. A known model needs only its name,
 * so that it keeps following the table and the provider's list.
 */
function modelEdits(
  input: Parameters<SettingsActions['saveModel']>[0],
  known: ModelAbilities,
  before: ModelSettings | undefined,
): Edits {
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
  { toolCalls, imagesIn, videoIn, thinking }: Parameters<SettingsActions['saveModel']>[0],
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

/**
 * Settings as the interface changes them; each returns the new view and leaves comments and order of the file alone.
 */
export interface SettingsActions {
  view(): SettingsView
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
  setDefaultMode(mode: PermissionMode): Promise<SettingsView>
  setToolEnabled(name: string, enabled: boolean): Promise<SettingsView>
  setFeature(feature: Feature, enabled: boolean): Promise<SettingsView>
  setNotifications(change: { enabled?: boolean; sound?: boolean; finished?: boolean }): Promise<SettingsView>
  setToolSearch(change: Partial<ToolSearchView>): Promise<SettingsView>
  setSandbox(change: SandboxChange): Promise<SettingsView>
  setDesktop(change: Partial<DesktopSettings>): Promise<SettingsView>
  setEditor(command: string): Promise<SettingsView>
  /** 0: no limit. */
  setBudget(change: BudgetView): Promise<SettingsView>
  setLoginShell(enabled: boolean): Promise<SettingsView>
  /** `[engine]`. */
  engine(): EngineSettings
  setEngine(change: Partial<SettingsView['engine']>): Promise<SettingsView>
  /** How the interface looks, for a page that is served. */
  appearance(): Appearance
  setAppearance(change: Partial<Appearance>): Promise<SettingsView>
  setLanguage(change: Partial<LanguageSettings>): Promise<SettingsView>
  /** Gives a command keys, `''` for none; without keys, its usual ones. Without an id: all commands their usual ones. */
  setShortcut(id: string | undefined, keys: string | undefined): Promise<SettingsView>
  testModel(id: string): Promise<ConnectionTest>
  findLocal(): Promise<FoundServer[]>
}
