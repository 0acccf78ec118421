import type { ProviderType } from '../../../../shared/configuration/provider-types'
import type { PermissionMode } from '../../../../shared/model/approval'
import type { NotificationSettings, DesktopSettings } from '../../../../shared/configuration/settings'
import type { PermissionRule } from '../../permission/permission-rule'
import { DEFAULT_FEATURES, type FeatureSettings } from './feature-settings'
import type { Hook } from './hook-settings'
import { type EditorSettings, DEFAULT_DIAGNOSTICS, type DiagnosticsSettings } from './editor-settings'
import { DEFAULT_ENVIRONMENT, type EnvironmentSettings, DEFAULT_DESKTOP } from './desktop-settings'
import { DEFAULT_NETWORK, type NetworkSettings, DEFAULT_WEB_SETTINGS, type WebSettings } from './network-settings'
import { DEFAULT_TOOL_SEARCH, type ToolSearchSettings, DEFAULT_MCP_SETTINGS, type McpSettings } from './mcp-settings'
import type { ModelSettings } from './model-settings'
import { DEFAULT_SANDBOX_SETTINGS, type SandboxSettings } from './sandbox-settings'

/** What config.toml can say, with defaults filled in. `readSettings` makes it. */
export interface Settings {
  defaultModel: string | undefined
  /** For titles and small work; default: the one that the table of known models names for the same provider. */
  smallModel: string | undefined
  /** Takes over for the rest of a turn when the session's model is overloaded. */
  fallbackModel: string | undefined
  defaultPermissionMode: PermissionMode
  providers: Readonly<Record<string, ProviderSettings>>
  models: Readonly<Record<string, ModelSettings>>
  loop: LoopSettings
  tools: ToolSettings
  features: FeatureSettings
  permission: PermissionSettings
  sandbox: SandboxSettings
  notifications: NotificationSettings
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

export interface LoopSettings {
  /** Most steps of a turn. */
  maxSteps: number
  /** Attempts per step, the first included. */
  maxAttempts: number
  /** A stream silent for this long has failed. */
  idleTimeoutMs: number
  /** First retry delay; doubles up to `retryMaxMs`. */
  retryBaseMs: number
  retryMaxMs: number
}

export interface ToolSettings {
  /** Names of tools that are not offered to the model. */
  disabled: readonly string[]
  /** Result limit in characters per tool name. */
  maxResultChars: Readonly<Record<string, number>>
  /** Names of environment variables commands never see, beside the keys of the providers. */
  hideEnv: readonly string[]
  /** Names of environment variables that commands see although they look like secrets; never the keys of the providers. */
  passEnv: readonly string[]
}

export interface PermissionSettings {
  /** In the order of the files, the user's first; their order decides nothing. */
  rules: readonly PermissionRule[]
}

export interface CacheSettings {
  /** Asks providers that support it to cache prompts for an hour instead of minutes. */
  long: boolean
}

export interface AgentSettings {
  /** Maximum depth of nested subagents; 0: no subagents. */
  maxDepth: number
  /** So many work at once, over all sessions of this process; the others wait. */
  maxRunning: number
  /** How long one in the background may take; absent: as long as it likes. */
  backgroundTimeoutMs?: number
}

export interface TaskSettings {
  /** What becomes of background tasks when the app is closed. */
  onExit: 'keep' | 'stop' | 'ask'
  /** What becomes of a command that a call waits for, at its time limit. */
  atTimeLimit: 'stop' | 'background'
  /** Most bytes a task's log takes on disk; beyond it the first part and the newest are kept. */
  logBytes: number
  /** Records and output of ended tasks are kept this long, and of this many. */
  keepDays: number
  keepTasks: number
}

export interface CheckpointSettings {
  /** What a session needs to go back is kept so long after its latest change. */
  keepDays: number
  /** Most that kept contents take on disk; the sessions used the longest ago lose theirs first. */
  maxBytes: number
  /** A larger file is not kept. */
  maxFileBytes: number
  /** Whether the agent may restore checkpoints with SendDMail, and is told their numbers. */
  dMail: boolean
}

export const DEFAULT_SETTINGS: Settings = {
  defaultModel: undefined,
  smallModel: undefined,
  fallbackModel: undefined,
  defaultPermissionMode: 'ask',
  providers: {},
  models: {},
  loop: { maxSteps: 200, maxAttempts: 10, idleTimeoutMs: 120_000, retryBaseMs: 500, retryMaxMs: 32_000 },
  tools: { disabled: [], maxResultChars: {}, hideEnv: [], passEnv: [] },
  features: DEFAULT_FEATURES,
  permission: { rules: [] },
  sandbox: DEFAULT_SANDBOX_SETTINGS,
  notifications: { enabled: true, sound: false },
  tasks: { onExit: 'keep', atTimeLimit: 'background', logBytes: 64 * 1024 * 1024, keepDays: 30, keepTasks: 500 },
  editor: {},
  web: DEFAULT_WEB_SETTINGS,
  hooks: [],
  checkpoints: { keepDays: 30, maxBytes: 2048 * 1024 * 1024, maxFileBytes: 10 * 1024 * 1024, dMail: false },
  agents: { maxDepth: 2, maxRunning: 6 },
  toolSearch: DEFAULT_TOOL_SEARCH,
  cache: { long: false },
  diagnostics: DEFAULT_DIAGNOSTICS,
  mcp: DEFAULT_MCP_SETTINGS,
  environment: DEFAULT_ENVIRONMENT,
  network: DEFAULT_NETWORK,
  desktop: DEFAULT_DESKTOP,
}
