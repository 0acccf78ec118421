import { providerFacts } from '../../../../shared/configuration/provider-types'
import { CodedError } from '../../../../shared/errors'
import type {
  ConnectionTest,
  FoundServer,
  ModelAbilities,
  OfferedModels,
} from '../../../../shared/configuration/settings'
import type { ProviderSettings, Settings } from '../../config/settings/settings'
import { isLoopbackName, isLoopbackUrl } from '../../../../shared/loopback'
import { nearest } from '../../../../shared/nearest'
import {
  discoverLocalServers,
  LOCAL_SERVERS,
  type LocalServer,
  type LocalServerKind,
  createProviderLists,
  type ProviderLists,
} from './provider-lists'
import { modelFacts, modelAbilities, offeredModels } from './model-facts'
import type { ClientModels } from '../client-models'
import type { ModelInfo, ModelRequest, Provider, ModelChunk } from '../provider'
import { costOf, NO_PRICE, type ModelPrices } from '../../../../shared/model/turn/usage'
import type { Fetch } from '../../network/http-fetch'

/** For a model found on this machine, where memory usually limits the window more than the model does. */
const LOCAL_WINDOW = 32_768

export const DEMO_MODEL: ModelInfo = {
  id: 'demo/scripted',
  model: 'scripted',
  label: 'Demo (scripted)',
  providerId: 'demo',
  contextWindow: 128_000,
  toolCalls: true,
  imagesIn: false,
  thinking: true,
  scripted: true,
  origin: 'built-in',
}

export interface ResolvedModel {
  info: ModelInfo
  provider: Provider
}

/** Which models exist and how to call them. Its functions can be passed without the object. */
export interface Catalog {
  /** Configured ones in the order of the file, then found ones, then the demo. */
  list(): ModelInfo[]
  /**
   * The model of this id, or the default one. `provider/model` of a configured provider works even without an entry.
   * Throws `model.not_configured` if none is chosen, `model.not_found` with similar names, `model.auth` if the key is
   * missing.
   */
  resolve(id: string | undefined): Promise<ResolvedModel>
  /** The one named in config.toml, or the only configured one. */
  defaultModel(): string | undefined
  /** The defaults for a model of a configured provider that has no entry in the configuration. */
  known(providerId: string, model: string): ModelAbilities | undefined
  /** Asks a provider, which need not be configured, for its models. */
  offered(providerId: string, provider: ProviderSettings, key: string | undefined): Promise<OfferedModels>
  /**
   * The model for small work in a session with this model: the setting, or a cheaper one of the same provider.
   * Undefined if no such model is available.
   */
  smallModel(id: string | undefined): Promise<ResolvedModel | undefined>
  /** One tiny request; never throws. */
  test(id: string, signal?: AbortSignal): Promise<ConnectionTest>
  /** The same for a model of a provider that is not configured. */
  testNew(provider: ProviderSettings, model: string, key: string | undefined): Promise<ConnectionTest>
  /** Probes the usual local ports. The servers found are in `list` until the next call. */
  findLocal(): Promise<FoundServer[]>
}

export interface CatalogOptions {
  settings(): Settings
  keyFor(providerId: string, settings: Settings): string | undefined
  /** Resolves when the environment, which provides keys and proxies, is complete. */
  ready?(): Promise<void>
  /** For the providers' requests; default: Node's. */
  fetch?: typeof globalThis.fetch
  /** The same for requests to models. */
  modelFetch?: Fetch
  /** Where to look for local servers; default: their usual ports. */
  localServers?: readonly LocalServerKind[]
  /** Where the providers' own lists of models are kept between processes. */
  listsFile?: string
  /** Models that clients make the calls to. */
  clientModels?: Pick<ClientModels, 'list' | 'defaultModel' | 'smallModel' | 'provider'>
  /** Pause between the demo's words, in ms; default: about that of a fast model. */
  demoPaceMs?: number
}

export function createCatalog(options: CatalogOptions): Catalog {
  const { settings } = options
  const modelFetch = options.modelFetch ?? options.fetch
  const lists = createProviderLists({
    ...(options.listsFile !== undefined && { file: options.listsFile }),
    ...(options.fetch && { fetch: options.fetch }),
  })
  let local: readonly LocalServer[] = []
  const providers = new Map<string, { made: string; provider: Promise<Provider> }>()

  /** Models configured here are called with the keys stored here. */
  const clientModels = (): ModelInfo[] =>
    options.clientModels?.list().filter(({ id }) => settings().models[id] === undefined) ?? []

  const list = (): ModelInfo[] => [
    ...configuredModels(settings(), lists),
    ...foundModels(local, settings()),
    ...clientModels(),
    DEMO_MODEL,
  ]

  const defaultModel = (): string | undefined => {
    const { defaultModel: named, models } = settings()
    if (named !== undefined) return named
    const [only, ...others] = Object.keys(models)
    return only === undefined ? options.clientModels?.defaultModel() : others.length === 0 ? only : undefined
  }

  const findLocal = async (): Promise<FoundServer[]> => {
    local = await discoverLocalServers(options.localServers ? { servers: options.localServers } : {})
    return local.map(({ name, baseUrl, models }) => ({ name, baseUrl, models }))
  }

  const find = async (id: string): Promise<ModelInfo> => {
    const known = list().find((info) => info.id === id) ?? unlistedModel(id, settings(), lists)
    if (known) return known
    // A session may have been started with a model found in an earlier run.
    const slug = id.slice(0, id.indexOf('/'))
    if ((options.localServers ?? LOCAL_SERVERS).some((server) => server.slug === slug)) {
      await findLocal()
      const found = list().find((info) => info.id === id)
      if (found) return found
    }
    throw unknownModel(id, list(), settings())
  }

  const create = async (provider: ProviderSettings, key: string | undefined): Promise<Provider> => {
    const { createProvider } = await import('../adapter/adapter')
    return createProvider(provider, { key, ...(modelFetch && { fetch: modelFetch }) })
  }

  const providerOf = (info: ModelInfo): Promise<Provider> => {
    const now = settings()
    const server = info.origin === 'found' ? local.find((candidate) => candidate.slug === info.providerId) : undefined
    const provider: ProviderSettings | undefined = server
      ? { type: 'openai-compatible', baseUrl: server.baseUrl }
      : now.providers[info.providerId]
    if (!provider)
      throw new CodedError(
        'model.not_found',
        `The model "${info.id}" names a provider "${info.providerId}" that is not configured.`,
      )
    const key = server ? undefined : options.keyFor(info.providerId, now)
    if (key === undefined && needsKey(provider)) throw new CodedError('model.auth', noKey(info.providerId, provider))
    // Created again when its settings or its key change.
    const made = JSON.stringify([provider, key ?? null])
    const existing = providers.get(info.providerId)
    if (existing?.made === made) return existing.provider
    const creating = create(provider, key)
    providers.set(info.providerId, { made, provider: creating })
    creating.catch(() => providers.delete(info.providerId))
    return creating
  }

  const resolve = async (id: string | undefined): Promise<ResolvedModel> => {
    await options.ready?.()
    const wanted = id ?? defaultModel()
    if (wanted === undefined) throw new CodedError('model.not_configured', notChosen(settings()))
    const info = await find(wanted)
    if (info.origin === 'client' && options.clientModels)
      return { info, provider: options.clientModels.provider(info.id) }
    if (info.id !== DEMO_MODEL.id) {
      const provider = await providerOf(info)
      return { info, provider: info.traits?.prices ? pricedProvider(provider, info.traits.prices) : provider }
    }
    const { createDemoProvider } = await import('../demo-provider')
    return {
      info,
      provider: createDemoProvider(options.demoPaceMs === undefined ? {} : { paceMs: options.demoPaceMs }),
    }
  }

  return {
    list,
    resolve,
    defaultModel,
    findLocal,
    known(providerId, model) {
      const provider = settings().providers[providerId]
      return provider && modelAbilities(modelFacts({ provider, providerId, model, listed: lists.get(provider, model) }))
    },
    offered: (providerId, provider, key) => offeredModels(lists, provider, providerId, key),
    async smallModel(id) {
      try {
        const named = settings().smallModel ?? options.clientModels?.smallModel()
        const { info } = await resolve(id)
        const small = named ?? info.traits?.smallModel
        if (small === undefined || small === info.id || info.scripted) return undefined
        return await resolve(small)
      } catch {
        // If it is unavailable, the session's own model does the work.
        return undefined
      }
    },
    async test(id, signal) {
      const { testConnection } = await import('../test-connection')
      return testConnection(() => resolve(id), signal)
    },
    async testNew(provider, model, key) {
      const { testConnection } = await import('../test-connection')
      return testConnection(async () => {
        await options.ready?.()
        if (key === undefined && needsKey(provider)) throw new CodedError('model.auth', 'A key is required.')
        const facts = modelFacts({ provider, providerId: 'new', model, listed: lists.get(provider, model) })
        const info = { id: `new/${model}`, model, label: model, providerId: 'new', ...facts }
        return { info: { ...info, origin: 'configured' }, provider: await create(provider, key) }
      })
    },
  }
}

function configuredModels(settings: Settings, lists: ProviderLists): ModelInfo[] {
  return Object.entries(settings.models).flatMap(([id, said]) => {
    const { provider: providerId, model, label = model } = said
    const provider = settings.providers[providerId]
    if (!provider) return []
    const facts = modelFacts({ provider, providerId, model, configured: said, listed: lists.get(provider, model) })
    const effort = said.effort === undefined ? {} : { effort: said.effort }
    return [{ id, model, label, providerId, ...facts, ...effort, origin: 'configured' as const }]
  })
}

function foundModels(servers: readonly LocalServer[], settings: Settings): ModelInfo[] {
  // A server configured under the same address is listed as configured.
  const taken = new Set(Object.values(settings.providers).map((provider) => addressOf(provider.baseUrl)))
  return servers
    .filter((server) => !taken.has(addressOf(server.baseUrl)) && settings.providers[server.slug] === undefined)
    .flatMap((server) =>
      server.models.map((model) => ({
        id: `${server.slug}/${model}`,
        model,
        label: `${model} (${server.name})`,
        providerId: server.slug,
        contextWindow: server.windows[model] ?? LOCAL_WINDOW,
        toolCalls: true,
        imagesIn: false,
        thinking: false,
        traits: { prices: NO_PRICE },
        pricesFrom: 'local' as const,
        knownFrom: server.windows[model] === undefined ? ('guess' as const) : ('provider' as const),
        origin: 'found' as const,
      })),
    )
}

/** `provider/model` without an entry: the provider is configured, so the name is used as written. */
function unlistedModel(id: string, settings: Settings, lists: ProviderLists): ModelInfo | undefined {
  const slash = id.indexOf('/')
  const providerId = id.slice(0, slash)
  const provider = slash > 0 ? settings.providers[providerId] : undefined
  const model = id.slice(slash + 1)
  if (!provider || model === '') return undefined
  const facts = modelFacts({ provider, providerId, model, listed: lists.get(provider, model) })
  return { id, model, label: model, providerId, ...facts, origin: 'configured' }
}

function addressOf(baseUrl: string | undefined): string {
  if (baseUrl === undefined || !URL.canParse(baseUrl)) return ''
  const url = new URL(baseUrl)
  return isLoopbackName(url.hostname) ? `loopback:${url.port || '80'}` : url.host
}

/**
 * Whether a request without a key is certain to be rejected: at the vendor's own address, or at a remote one for which
 * a key variable is configured.
 */
function needsKey(provider: ProviderSettings): boolean {
  if (provider.baseUrl === undefined) return true
  const isLocal = isLoopbackUrl(provider.baseUrl)
  const hasHeader = Object.keys(provider.headers ?? {}).some((name) =>
    /^(authorization|x-api-key|x-goog-api-key)$/i.test(name),
  )
  return !isLocal && !hasHeader && provider.apiKeyEnv !== undefined
}

function noKey(providerId: string, provider: ProviderSettings): string {
  if (provider.apiKeyEnv !== undefined) {
    return (
      `There is no key for the provider "${providerId}": ` +
      `the environment variable ${provider.apiKeyEnv} is not set. Set it, or type the key in under Settings.`
    )
  }
  return (
    `There is no key for the provider "${providerId}". Type it in under Settings, ` +
    `or name an environment variable that holds it: api_key_env = "${providerFacts(provider.type).keyVariable}".`
  )
}

function notChosen(settings: Settings): string {
  const ids = Object.keys(settings.models)
  if (ids.length === 0) return `No model is configured. There is only the demo model "${DEMO_MODEL.id}".`
  return (
    `Several models are configured and none is the default: ${ids.join(', ')}. ` +
    'Set default_model in config.toml, or name one.'
  )
}

function unknownModel(id: string, models: readonly ModelInfo[], settings: Settings): CodedError {
  const near = nearest(
    id,
    models.map((info) => info.id),
  )
  const hint =
    near.length > 0
      ? `Did you mean ${near.map((name) => `"${name}"`).join(' or ')}?`
      : `There are: ${models.map((info) => info.id).join(', ')}.`
  const slash = id.indexOf('/')
  const provider = slash > 0 ? ` No provider "${id.slice(0, slash)}" is configured.` : ''
  const isProvider =
    slash < 0 && settings.providers[id] !== undefined ? ` "${id}" is a provider: write ${id}/model.` : ''
  return new CodedError('model.not_found', `There is no model "${id}".${isProvider || provider} ${hint}`)
}

/** The same provider, with the cost added to its usage. */
export function pricedProvider(provider: Provider, prices: ModelPrices): Provider {
  return {
    // Avoids nesting generators, because every word of an answer passes through here.
    stream: (request, signal) => ({
      [Symbol.asyncIterator]() {
        const chunks = provider.stream(request, signal)[Symbol.asyncIterator]()
        return {
          next: () => chunks.next().then((result) => priced(result, prices, request.cache)),
          async return() {
            await chunks.return?.()
            return { done: true, value: undefined }
          },
        }
      },
    }),
  }
}

function priced(
  { done, value }: IteratorResult<ModelChunk, unknown>,
  prices: ModelPrices,
  cache: ModelRequest['cache'] = 'short',
): IteratorResult<ModelChunk> {
  if (done) return { done, value: undefined }
  if (value.type !== 'finish' || !value.usage) return { value }
  return {
    value: {
      ...value,
      usage: { ...value.usage, cost: costOf(value.usage, prices, cache === 'long' ? 'long' : 'short') },
    },
  }
}
