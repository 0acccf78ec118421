import { PROVIDER_TYPES, PROVIDER_TYPE_ALIASES } from '../../../../shared/configuration/provider-types'
import { PERMISSION_MODES } from '../../../../shared/model/approval/approval'
import { DEFAULT_SETTINGS, type ProviderSettings, type Settings } from './settings'
import {
  readDiagnostics,
  readEditorSettings,
  APPEARANCE,
  INTERFACE,
  INTERFACE_TABLES,
  readShortcuts,
  SKILLS,
} from './interface-settings'
import { FEATURE_TABLE, LOCATION_TABLE, MEMORY_TABLE, TITLES } from './feature-settings'
import { BUDGET } from '../agent-settings/budget-settings'
import { DEVICES, ENGINE, DESKTOP, DESKTOP_TABLES, ENVIRONMENT, NOTIFICATIONS } from './host-settings'
import { readHooks } from '../agent-settings/hook-settings'
import { readMailSettings } from './mail-settings'
import { readModelFacts, type ModelSettings } from '../agent-settings/model-settings'
import { MCP, MCP_TABLES, TOOL_SEARCH } from '../agent-settings/mcp-settings'
import type { SettingTable } from '../toml/setting-table'
import {
  SESSION_TABLES,
  CACHE,
  CHECKPOINTS,
  readAgents,
  readLoop,
  TASKS,
  TOOLS,
} from '../agent-settings/session-settings'
import { readPermissionRules, unreadableRules } from '../agent-settings/permission-settings'
import { readSandboxSettings } from '../agent-settings/sandbox-settings'
import { TableReader, type Mistake } from '../toml/table-reader'
import { readNetworkSettings, readWebSettings } from './network-settings'
import { isTable, type TomlTable } from '../toml/parse-toml'
import { WORKTREE } from '../agent-settings/worktree-settings'

/** The tables whose documentation is generated from them. */
export const SETTING_TABLES: readonly SettingTable[] = [
  ...SESSION_TABLES,
  FEATURE_TABLE,
  MEMORY_TABLE,
  LOCATION_TABLE,
  ...MCP_TABLES,
  ...DESKTOP_TABLES,
  ...INTERFACE_TABLES,
  TITLES,
  WORKTREE,
  BUDGET,
  ENGINE,
  DEVICES,
]

const url = { test: isHttpUrl, must: 'an address like "https://host/v1"' }
const envName = {
  test: (name: string) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name),
  must: 'the name of an environment variable',
}
const headerName = /^[!#$%&'*+.^_`|~\w-]+$/
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * The settings in a parsed config.toml, and its mistakes. An invalid value is reported, and its default applies; a
 * provider or model that cannot work without it is left out.
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
  const tools = TOOLS.read(top.table('tools'))
  const features = FEATURE_TABLE.read(top.table('features'))
  const memory = MEMORY_TABLE.read(top.table('memory'))
  const location = LOCATION_TABLE.read(top.table('location'))
  const mail = readMailSettings(top.table('mail'))
  const notifications = NOTIFICATIONS.read(top.table('notifications'))
  const titles = TITLES.read(top.table('titles'))
  const tasks = TASKS.read(top.table('tasks'))
  const web = readWebSettings(top.table('web'))
  const sandbox = readSandboxSettings(top)
  const checkpoints = CHECKPOINTS.read(top.table('checkpoints'))
  const agents = readAgents(top.table('agents'), top.table('background'))
  const toolSearch = TOOL_SEARCH.read(top.table('tool_search'))
  const cache = CACHE.read(top.table('cache'))
  const diagnostics = readDiagnostics(top.table('diagnostics'))
  const mcp = MCP.read(top.table('mcp'))
  const editor = readEditorSettings(top.table('editor'))
  const environment = ENVIRONMENT.read(top.table('environment'))
  const network = readNetworkSettings(top.table('network'))
  const desktop = DESKTOP.read(top.table('desktop'))
  const appearance = APPEARANCE.read(top.table('appearance'))
  const language = INTERFACE.read(top.table('interface'))
  const shortcuts = readShortcuts(top.table('shortcuts'))
  const skills = SKILLS.read(top.table('skills'))
  const worktree = WORKTREE.read(top.table('worktree'))
  const budget = BUDGET.read(top.table('budget'))
  const engine = ENGINE.read(top.table('engine'))
  const devices = DEVICES.read(top.table('devices'))
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
    memory,
    location,
    mail,
    permission: { rules },
    sandbox,
    notifications,
    titles,
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
    appearance,
    language,
    shortcuts,
    skills,
    worktree,
    budget,
    engine,
    devices,
  }
  return { settings, mistakes }
}

interface Providers {
  usable: [string, ProviderSettings][]
  /** All providers, including those with a mistake, for better messages about their models. */
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
    // Leaves out the whole provider if its address is invalid: its key must not be sent to the default address.
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

/** No prototype, so that an id like `constructor` finds nothing unless configured. */
function record<T>(entries: [string, T][]): Record<string, T> {
  const made: Record<string, T> = Object.create(null)
  for (const [key, value] of entries) made[key] = value
  return made
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}
