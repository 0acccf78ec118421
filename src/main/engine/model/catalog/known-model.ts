import { type ProviderType, providerFacts } from '../../../../shared/configuration/provider-types'
import { isLoopbackUrl } from '../../../../shared/loopback'
import type { ProviderSettings } from '../../config/settings/settings'
import type { Effort } from '../../../../shared/model/turn/effort'
import type { ModelTraits, ThinkingControl } from '../provider'
import { findModelRow, modelsTable, type FoundRow, type ModelRow, type PriceRow } from './models-table'
import type { ModelPrices } from '../../../../shared/model/turn/usage'

/** What is known about a model. Absent: unknown. */
export interface ModelFacts {
  contextWindow?: number
  maxOutputTokens?: number
  toolCalls?: boolean
  imagesIn?: boolean
  thinking?: boolean
  traits?: ModelTraits
}

/** The providers that hosts belong to, by the end of the host name. */
const HOSTS: readonly (readonly [host: string, provider: string])[] = [
  ['api.anthropic.com', 'anthropic'],
  ['api.openai.com', 'openai'],
  ['generativelanguage.googleapis.com', 'google'],
  ['api.moonshot.ai', 'moonshotai'],
  ['api.moonshot.cn', 'moonshotai'],
  ['api.kimi.com', 'kimi-coding'],
  ['openrouter.ai', 'openrouter'],
  ['api.deepseek.com', 'deepseek'],
  ['api.x.ai', 'xai'],
  ['api.mistral.ai', 'mistral'],
  ['api.groq.com', 'groq'],
  ['api.cerebras.ai', 'cerebras'],
  ['api.z.ai', 'zai'],
  ['open.bigmodel.cn', 'zai'],
  ['api.minimax.io', 'minimax'],
  ['api.minimaxi.com', 'minimax'],
  ['dashscope.aliyuncs.com', 'qwen'],
  ['dashscope-intl.aliyuncs.com', 'qwen'],
  ['dashscope-us.aliyuncs.com', 'qwen'],
]

/** Vendors whose model names are looked up for an unknown host, which may be a gateway to their models. */
const BY_NAME = [
  'anthropic',
  'openai',
  'google',
  'moonshotai',
  'kimi-coding',
  'deepseek',
  'xai',
  'mistral',
  'zai',
  'minimax',
  'qwen',
  'openrouter',
]

/** The provider in the table that this address belongs to. */
export function tableProviderOf({ type, baseUrl }: Pick<ProviderSettings, 'type' | 'baseUrl'>): string | undefined {
  if (baseUrl === undefined) return providerFacts(type).maker
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : ''
  return HOSTS.find(([known]) => host === known || host.endsWith(`.${known}`))?.[1]
}

/**
 * The table's facts about a provider's model; `providerId` is the provider's name in the configuration. Undefined:
 * unknown.
 */
export function knownModel(
  provider: Pick<ProviderSettings, 'type' | 'baseUrl'>,
  providerId: string,
  model: string,
): ModelFacts | undefined {
  const table = modelsTable()
  const own = tableProviderOf(provider)
  if (own !== undefined) {
    const found = findModelRow(table, own, model)
    if (!found) return knownElsewhere(provider, model)
    const small = smallOf(own, found.id)
    const facts = factsOf(found, provider.type)
    return {
      ...facts,
      traits: {
        ...facts.traits,
        ...pricesOf(found.row, own),
        ...(small !== undefined && { smallModel: `${providerId}/${small}` }),
      },
    }
  }
  return knownElsewhere(provider, model)
}

/** The facts of the same model at its vendor; its price here is unknown. */
function knownElsewhere(
  { type, baseUrl }: Pick<ProviderSettings, 'type' | 'baseUrl'>,
  model: string,
): ModelFacts | undefined {
  const maker = providerFacts(type).maker
  for (const provider of maker === undefined ? BY_NAME : [maker, ...BY_NAME.filter((name) => name !== maker)]) {
    const found = findModelRow(modelsTable(), provider, model)
    if (!found) continue
    const facts = factsOf(found, type)
    // On the user's own machine, memory limits the window, regardless of the model's maximum.
    if (type !== 'openai-compatible' || !isLoopbackUrl(baseUrl)) return facts
    const { contextWindow: _window, maxOutputTokens: _output, ...rest } = facts
    return rest
  }
  return undefined
}

/** The longest answer requested from Claude: it must fit into the window together with the conversation. */
const CLAUDE_OUTPUT = 64_000

/**
 * The longest answer to request. Nothing is requested from compatible servers: they have their own limits, and some
 * count the requested length against a rate limit.
 */
function requestedOutput(type: ProviderType, output: number | undefined): number | undefined {
  if (output === undefined || type === 'openai-compatible' || type === 'moonshot') return undefined
  return type === 'anthropic' ? Math.min(output, CLAUDE_OUTPUT) : output
}

/**
 * OpenAI's thinking models reserve the longest answer in their window: a request can use 272,000 of 400,000 tokens, or
 * 922,000 of 1,050,000 (models.dev: `limit.input`).
 */
function inputLimitOf({ id, row: { window, output = 0, thinking = 'none' } }: FoundRow): number | undefined {
  return thinking !== 'none' && /(?:^|\/)gpt-(?:[5-9]|\d\d)/.test(id) ? window - output : undefined
}

function factsOf(found: FoundRow, type: ProviderType): ModelFacts {
  const { row } = found
  const inputLimit = inputLimitOf(found)
  const thinkingControl = controlOn(type, row.thinking ?? 'none', row.efforts)
  const maxOutputTokens = requestedOutput(type, row.output)
  return {
    contextWindow: row.window,
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    toolCalls: true,
    imagesIn: row.in?.includes('image') ?? false,
    thinking: thinkingControl !== 'none',
    traits: {
      thinkingControl,
      pdfIn: row.in?.includes('pdf') ?? false,
      videoIn: row.in?.includes('video') ?? false,
      toolDialect: row.dialect ?? 'general',
      ...(row.output !== undefined && { outputLimit: row.output }),
      ...(inputLimit !== undefined && { inputLimit }),
      ...(row.efforts && { efforts: row.efforts }),
      ...(row.effort && { defaultEffort: row.effort }),
      // Both exist only in Anthropic's protocol.
      ...(type === 'anthropic' && row.binds && { bindsThinking: true }),
      ...(type === 'anthropic' && row.header && { needsInterleavedHeader: true }),
    },
  }
}

/** The table describes the vendor's own API; other APIs of the same kind accept a level. */
function controlOn(
  type: ProviderType,
  control: ThinkingControl,
  efforts: readonly Effort[] | undefined,
): ThinkingControl {
  if (type === 'anthropic') return control === 'effort' ? 'adaptive' : control
  if (type === 'google') return control
  return control === 'adaptive' || control === 'budget' ? (efforts ? 'effort' : 'always') : control
}

function pricesOf({ price, over }: ModelRow, provider: string): Pick<ModelTraits, 'prices'> {
  if (!price) return {}
  const prices = (row: PriceRow): ModelPrices => {
    const these = named(row)
    // Caching for an hour costs twice the input price at Anthropic:
    // platform.claude.com/docs/en/build-with-claude/prompt-caching
    return provider === 'anthropic' ? { ...these, cacheWriteHour: these.input * 2 } : these
  }
  if (!over) return { prices: prices(price) }
  const [above, ...rest] = over
  return { prices: { ...prices(price), long: { above, ...prices(rest) } } }
}

function named([input, output, cacheRead, cacheWrite]: PriceRow): ModelPrices {
  return {
    input,
    output,
    ...(cacheRead !== undefined && cacheRead > 0 && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
  }
}

/** A cheaper model of the same provider; on OpenRouter, one of the same vendor. */
function smallOf(provider: string, model: string): string | undefined {
  const { small, models } = modelsTable().providers[provider]!
  const id = provider === 'openrouter' ? smallOfMaker(model) : small
  const [mine, its] = [models[model]?.price, id === undefined ? undefined : models[id]?.price]
  return id !== undefined && its && (!mine || its[1] < mine[1]) ? id : undefined
}

const OPENROUTER_MAKERS: Readonly<Record<string, string>> = {
  anthropic: 'anthropic',
  openai: 'openai',
  google: 'google',
  'x-ai': 'xai',
  deepseek: 'deepseek',
  moonshotai: 'moonshotai',
  'z-ai': 'zai',
  minimax: 'minimax',
  qwen: 'qwen',
}

function smallOfMaker(model: string): string | undefined {
  const maker = model.slice(0, model.indexOf('/'))
  const small = modelsTable().providers[OPENROUTER_MAKERS[maker] ?? '']?.small
  return small === undefined ? undefined : findModelRow(modelsTable(), 'openrouter', `${maker}/${small}`)?.id
}
