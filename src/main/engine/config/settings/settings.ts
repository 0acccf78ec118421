import type { ProviderType } from '../../../../shared/configuration/provider-types'
import type { Appearance, LanguageSettings } from '../../../../shared/configuration/appearance'
import type { ShortcutChoices } from '../../../../shared/configuration/shortcuts'
import type { PermissionMode } from '../../../../shared/model/approval/approval'
import type { NotificationSettings, DesktopSettings } from '../../../../shared/configuration/settings'
import type { PermissionRule } from '../../permission/permission-rule'
import {
  FEATURE_TABLE,
  LOCATION_TABLE,
  MEMORY_TABLE,
  type FeatureSettings,
  type LocationSettings,
  type MemorySettings,
  TITLES,
} from './feature-settings'
import { BUDGET, type BudgetSettings } from '../agent-settings/budget-settings'
import {
  DEVICES,
  type DeviceSettings,
  ENGINE,
  type EngineSettings,
  DESKTOP,
  ENVIRONMENT,
  NOTIFICATIONS,
  type EnvironmentSettings,
} from './host-settings'
import type { Hook } from '../agent-settings/hook-settings'
import {
  APPEARANCE,
  INTERFACE,
  SKILLS,
  type EditorSettings,
  DEFAULT_DIAGNOSTICS,
  type DiagnosticsSettings,
} from './interface-settings'
import { readMailSettings, type MailSettings } from './mail-settings'
import { DEFAULT_NETWORK, type NetworkSettings, DEFAULT_WEB_SETTINGS, type WebSettings } from './network-settings'
import { MCP, TOOL_SEARCH, type McpSettings, type ToolSearchSettings } from '../agent-settings/mcp-settings'
import {
  CACHE,
  CHECKPOINTS,
  readAgents,
  readLoop,
  TASKS,
  TOOLS,
  type AgentSettings,
  type CacheSettings,
  type CheckpointSettings,
  type LoopSettings,
  type TaskSettings,
  type ToolSettings,
} from '../agent-settings/session-settings'
import type { ModelSettings } from '../agent-settings/model-settings'
import { WORKTREE, type WorktreeSettings } from '../agent-settings/worktree-settings'
import { DEFAULT_SANDBOX_SETTINGS, type SandboxSettings } from '../agent-settings/sandbox-settings'

/** All settings of config.toml, with defaults. Created by `readSettings`. */
export interface Settings {
  defaultModel: string | undefined
  /** For titles and small tasks. Default: the small model of the same provider in the table of known models. */
  smallModel: string | undefined
  /** Takes over for the rest of a turn when the session's model is overloaded. */
  fallbackModel: string | undefined
  defaultPermissionMode: PermissionMode
  providers: Readonly<Record<string, ProviderSettings>>
  models: Readonly<Record<string, ModelSettings>>
  loop: LoopSettings
  tools: ToolSettings
  features: FeatureSettings
  memory: MemorySettings
  location: LocationSettings
  mail: MailSettings
  permission: PermissionSettings
  sandbox: SandboxSettings
  notifications: NotificationSettings
  titles: typeof TITLES.defaults
  tasks: TaskSettings
  web: WebSettings
  /** In the order of the files, the user's first. */
  hooks: readonly Hook[]
  checkpoints: CheckpointSettings
  agents: AgentSettings
  toolSearch: ToolSearchSettings
  cache: CacheSettings
  diagnostics: DiagnosticsSettings
  mcp: McpSettings
  editor: EditorSettings
  environment: EnvironmentSettings
  network: NetworkSettings
  desktop: DesktopSettings
  appearance: Appearance
  language: LanguageSettings
  /** Keys of commands, by id. */
  shortcuts: ShortcutChoices
  skills: { disabled: readonly string[] }
  worktree: WorktreeSettings
  budget: BudgetSettings
  engine: EngineSettings
  devices: DeviceSettings
}

export interface ProviderSettings {
  type: ProviderType
  /** Without a trailing slash; default: the provider's own. */
  baseUrl?: string
  /** Name of the environment variable that holds the key. */
  apiKeyEnv?: string
  /** The key itself, as written in the file. */
  apiKey?: string
  headers?: Readonly<Record<string, string>>
}

export interface PermissionSettings {
  /** In the order of the files, the user's first. The order has no effect. */
  rules: readonly PermissionRule[]
}

export const DEFAULT_SETTINGS: Settings = {
  defaultModel: undefined,
  smallModel: undefined,
  fallbackModel: undefined,
  defaultPermissionMode: 'ask',
  providers: {},
  models: {},
  loop: readLoop(undefined),
  tools: TOOLS.defaults,
  features: FEATURE_TABLE.defaults,
  memory: MEMORY_TABLE.defaults,
  location: LOCATION_TABLE.defaults,
  mail: readMailSettings(undefined),
  permission: { rules: [] },
  sandbox: DEFAULT_SANDBOX_SETTINGS,
  notifications: NOTIFICATIONS.defaults,
  titles: TITLES.defaults,
  tasks: TASKS.defaults,
  editor: {},
  web: DEFAULT_WEB_SETTINGS,
  hooks: [],
  checkpoints: CHECKPOINTS.defaults,
  agents: readAgents(undefined, undefined),
  toolSearch: TOOL_SEARCH.defaults,
  cache: CACHE.defaults,
  diagnostics: DEFAULT_DIAGNOSTICS,
  mcp: MCP.defaults,
  environment: ENVIRONMENT.defaults,
  network: DEFAULT_NETWORK,
  desktop: DESKTOP.defaults,
  appearance: APPEARANCE.defaults,
  language: INTERFACE.defaults,
  shortcuts: {},
  skills: SKILLS.defaults,
  worktree: WORKTREE.defaults,
  budget: BUDGET.defaults,
  engine: ENGINE.defaults,
  devices: DEVICES.defaults,
}
