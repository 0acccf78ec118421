import { PROVIDER_TYPES, PROVIDER_TYPE_ALIASES } from '../../../../shared/configuration/provider-types'
import { PERMISSION_MODES } from '../../../../shared/model/approval'
import { type NotificationSettings } from '../../../../shared/configuration/settings'
import {
  DEFAULT_SETTINGS,
  type CheckpointSettings,
  type AgentSettings,
  type CacheSettings,
  type LoopSettings,
  type ProviderSettings,
  type Settings,
  type TaskSettings,
  type ToolSettings,
} from './settings'
import { readDiagnostics, readEditorSettings } from './editor-settings'
import { readFeatures } from './feature-settings'
import { readHooks } from './hook-settings'
import { readModelFacts, type ModelSettings } from './model-settings'
import { readMcpSettings, readToolSearch } from './mcp-settings'
import { readPermissionRules, unreadableRules } from './permission-settings'
import { readSandboxSettings } from './sandbox-settings'
import { TableReader, type Mistake } from './table-reader'
import { readDesktop, readEnvironmentSettings } from './desktop-settings'
import { readNetworkSettings, readWebSettings } from './network-settings'
import { isTable, type TomlTable } from '../toml/parse-toml'

const url = { test: isHttpUrl, must: 'an address like "https://host/v1"' }
const envName = {
  test: (name: string) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name),
  must: 'the name of an environment variable',
}
const headerName = /^[!#$%&'*+.^_`|~\w-]+$/
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * The settings a parsed config.toml means, and what is wrong with it. A wrong value is left out (its default applies) and reported; a
 * provider or model that cannot work without it is left out as a whole.
 */
export function readSettings(table: TomlTable, file: string): { settings: Settings; mistakes: Mistake[] } {
  const mistakes: Mistake[] = []
  const top = new TableReader(table, mistakes)
  const defaultModel = top.string('default_model')
  const smallModel = top.string('small_model')
  const fallbackModel = top.string('fallback_model')
  const defaultPermissionMode = top.oneOf('default_permission_mode', PERMISSION_MODES)
  const providers = readProviders(top.table('providers'))
  const models = readModels(top.table('models'), providers)
  const loop = readLoop(top.table('loop'))
  const tools = readTools(top.table('tools'))
  const features = readFeatures(top.table('features'))
  const notifications = readNotifications(top.table('notifications'))
  const tasks = readTasks(top.table('tasks'))
  const web = readWebSettings(top.table('web'))
  const sandbox = readSandboxSettings(top.table('sandbox'))
  const checkpoints = readCheckpoints(top.table('checkpoints'))
  const agents = readAgents(top.table('agents'), top.table('background'))
  const toolSearch = readToolSearch(top.table('tool_search'))
  const cache = readCache(top.table('cache'))
  const diagnostics = readDiagnostics(top.table('diagnostics'))
  const mcp = readMcpSettings(top.table('mcp'))
  const editor = readEditorSettings(top.table('editor'))
  const environment = readEnvironmentSettings(top.table('environment'))
  const network = readNetworkSettings(top.table('network'))
  const desktop = readDesktop(top.table('desktop'))
  const rules = readPermissionRules(top.table('permission'), { scope: 'user', file })
  if (top.has('permission') && !isTable(table['permission']))
    rules.push(unreadableRules({ scope: 'user', file }, 'permission is not a table'))
  const hooks = readHooks(top, { scope: 'user', file })
  top.finish()
  const settings: Settings = {
    defaultModel,
    smallModel,
    fallbackModel,
    defaultPermissionMode: defaultPermissionMode ?? DEFAULT_SETTINGS.defaultPermissionMode,
    providers: record(providers.usable),
    models: record(models),
    loop,
    tools,
    features,
    permission: { rules },
    sandbox,
    notifications,
    tasks,
    web,
    hooks,
    checkpoints,
    agents,
    toolSearch,
    cache,
    diagnostics,
    mcp,
    editor,
    environment,
    network,
    desktop,
  }
  return { settings, mistakes }
}

interface Providers {
  usable: [string, ProviderSettings][]
  /** Also those with a mistake, so that their models are not called nameless. */
  named: Set<string>
}

function readProviders(reader: TableReader | undefined): Providers {
  const usable: [string, ProviderSettings][] = []
  for (const [id, provider] of reader?.tables() ?? []) {
    const type = provider.oneOf('type', PROVIDER_TYPES, PROVIDER_TYPE_ALIASES)
    if (!provider.has('type')) provider.mistake(undefined, `needs a type: ${PROVIDER_TYPES.join(', ')}`)
    const baseUrl = provider.string('base_url', url)?.replace(/\/+$/, '')
    const apiKeyEnv = provider.string('api_key_env', envName)
    const apiKey = provider.secret('api_key', 'must be the key in quotes, on one line')
    const headers = readHeaders(provider.table('headers'))
    provider.finish()
    // With a wrong address the whole provider: its key must not go to another one.
    if (type === undefined || (provider.has('base_url') && baseUrl === undefined)) continue
    if (type === 'openai-compatible' && baseUrl === undefined) {
      provider.mistake(undefined, 'needs a base_url: an openai-compatible server has no usual address')
      continue
    }
    usable.push([
      id,
      {
        type,
        ...(baseUrl !== undefined && { baseUrl }),
        ...(apiKeyEnv !== undefined && { apiKeyEnv }),
        ...(apiKey !== undefined && { apiKey }),
        ...(headers !== undefined && { headers }),
      },
    ])
  }
  return { usable, named: new Set(reader?.keys()) }
}

function readHeaders(reader: TableReader | undefined): Record<string, string> | undefined {
  if (!reader) return undefined
  const headers: [string, string][] = []
  for (const name of reader.keys()) {
    const value = reader.secret(name, 'must be the value in quotes, on one line')
    if (value === undefined) continue
    if (headerName.test(name) && headerValue.test(value)) headers.push([name, value])
    else reader.mistake(name, 'is not a header that can be sent')
  }
  return record(headers)
}

function readModels(reader: TableReader | undefined, providers: Providers): [string, ModelSettings][] {
  const models: [string, ModelSettings][] = []
  for (const [id, entry] of reader?.tables() ?? []) {
    const provider = entry.string('provider')
    const model = entry.string('model')
    for (const needed of ['provider', 'model']) if (!entry.has(needed)) entry.mistake(undefined, `needs a ${needed}`)
    const facts = readModelFacts(entry)
    entry.finish()
    if (provider === undefined || model === undefined) continue
    if (!providers.usable.some(([name]) => name === provider)) {
      entry.mistake(
        'provider',
        providers.named.has(provider)
          ? `is "${provider}", which has a mistake`
          : `is "${provider}", but there is no [providers.${provider}]`,
      )
      continue
    }
    models.push([id, { provider, model, ...facts }])
  }
  return models
}

function readLoop(reader: TableReader | undefined): LoopSettings {
  const defaults = DEFAULT_SETTINGS.loop
  if (!reader) return defaults
  const maxSteps = reader.number('max_steps', { min: 1, max: 100_000 }) ?? defaults.maxSteps
  const maxAttempts = reader.number('max_attempts', { min: 1, max: 100 }) ?? defaults.maxAttempts
  const idleTimeoutS = reader.number('idle_timeout_s', { min: 1, max: 86_400, whole: false })
  const retryBaseMs = reader.number('retry_base_ms', { min: 1, max: 600_000 }) ?? defaults.retryBaseMs
  const retryMaxMs = reader.number('retry_max_ms', { min: 1, max: 3_600_000 }) ?? defaults.retryMaxMs
  if (retryMaxMs < retryBaseMs)
    reader.mistake('retry_max_ms', `is ${retryMaxMs}, less than retry_base_ms (${retryBaseMs}); ${retryBaseMs} is used`)
  reader.finish()
  return {
    maxSteps,
    maxAttempts,
    idleTimeoutMs: idleTimeoutS === undefined ? defaults.idleTimeoutMs : Math.round(idleTimeoutS * 1000),
    retryBaseMs,
    retryMaxMs: Math.max(retryBaseMs, retryMaxMs),
  }
}

function readTools(reader: TableReader | undefined): ToolSettings {
  if (!reader) return DEFAULT_SETTINGS.tools
  const disabled = reader.strings('disabled') ?? []
  const hideEnv = reader.strings('hide_env') ?? []
  const passEnv = reader.strings('pass_env') ?? []
  const limits = reader.table('max_result_chars')
  const maxResultChars: [string, number][] = []
  for (const tool of limits?.keys() ?? []) {
    const chars = limits?.number(tool, { min: 100, max: 10_000_000 })
    if (chars !== undefined) maxResultChars.push([tool, chars])
  }
  reader.finish()
  return {
    disabled: [...new Set(disabled)],
    maxResultChars: record(maxResultChars),
    hideEnv: [...new Set(hideEnv)],
    passEnv: [...new Set(passEnv)],
  }
}

function readNotifications(reader: TableReader | undefined): NotificationSettings {
  const defaults = DEFAULT_SETTINGS.notifications
  if (!reader) return defaults
  const enabled = reader.flag('enabled') ?? defaults.enabled
  const sound = reader.flag('sound') ?? defaults.sound
  reader.finish()
  return { enabled, sound }
}

function readTasks(reader: TableReader | undefined): TaskSettings {
  const defaults = DEFAULT_SETTINGS.tasks
  if (!reader) return defaults
  const onExit = reader.oneOf('on_exit', ['keep', 'stop', 'ask']) ?? defaults.onExit
  const atTimeLimit = reader.oneOf('at_time_limit', ['stop', 'background']) ?? defaults.atTimeLimit
  const logMb = reader.number('log_mb', { min: 1, max: 100_000 })
  const keepDays = reader.number('keep_days', { min: 0, max: 36_500 }) ?? defaults.keepDays
  const keepTasks = reader.number('keep_tasks', { min: 0, max: 100_000 }) ?? defaults.keepTasks
  reader.finish()
  return {
    onExit,
    atTimeLimit,
    logBytes: logMb === undefined ? defaults.logBytes : logMb * 1024 * 1024,
    keepDays,
    keepTasks,
  }
}

function readCheckpoints(reader: TableReader | undefined): CheckpointSettings {
  const defaults = DEFAULT_SETTINGS.checkpoints
  if (!reader) return defaults
  const keepDays = reader.number('keep_days', { min: 0, max: 36_500 }) ?? defaults.keepDays
  const maxMb = reader.number('max_mb', { min: 1, max: 1_000_000 })
  const maxFileMb = reader.number('max_file_mb', { min: 1, max: 1000 })
  const dMail = reader.flag('d_mail') ?? defaults.dMail
  reader.finish()
  return {
    keepDays,
    dMail,
    maxBytes: maxMb === undefined ? defaults.maxBytes : maxMb * 1024 * 1024,
    maxFileBytes: maxFileMb === undefined ? defaults.maxFileBytes : maxFileMb * 1024 * 1024,
  }
}

function readCache(reader: TableReader | undefined): CacheSettings {
  const long = reader?.flag('long') ?? DEFAULT_SETTINGS.cache.long
  reader?.finish()
  return { long }
}

function readAgents(reader: TableReader | undefined, background: TableReader | undefined): AgentSettings {
  const defaults = DEFAULT_SETTINGS.agents
  const maxDepth = reader?.number('max_depth', { min: 0, max: 8 }) ?? defaults.maxDepth
  const maxRunning = reader?.number('max_running', { min: 1, max: 1000 }) ?? defaults.maxRunning
  reader?.finish()
  const timeoutS = background?.number('agent_task_timeout_s', { min: 0, max: 604_800 })
  background?.finish()
  return {
    maxDepth,
    maxRunning,
    ...(timeoutS !== undefined && timeoutS > 0 && { backgroundTimeoutMs: timeoutS * 1000 }),
  }
}

/** Without a prototype: an id like `constructor` finds nothing that is not configured. */
function record<T>(entries: [string, T][]): Record<string, T> {
  const made: Record<string, T> = Object.create(null)
  for (const [key, value] of entries) made[key] = value
  return made
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}
