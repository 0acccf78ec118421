import { ENGINE, type EngineSettings, DESKTOP } from '../config/settings/host-settings'
import type { Appearance, LanguageSettings } from '../../../shared/configuration/appearance'
import { modelActions, modelView, type ModelActions } from './model-actions'
import { CodedError } from '../../../shared/errors'
import type {
  BudgetView,
  DesktopSettings,
  ProviderView,
  SandboxView,
  SettingsView,
  ToolSearchView,
  SandboxChange,
} from '../../../shared/configuration/settings'
import { FEATURES, featureOf, type Feature } from '../../../shared/configuration/features'
import type { Catalog } from '../model/catalog/catalog'
import { modelsTableProblem, priceTable } from '../model/catalog/models-table'
import type { SandboxSupport } from '../sandbox/sandbox-support'
import type { Config } from '../config/config'
import { DEFAULT_CACHES } from '../config/agent-settings/sandbox-settings'
import type { KeyStore } from '../config/key-store/key-store'
import type { Secrets } from '../config/key-store/secrets'
import type { TomlEdit } from '../config/toml/edit-toml'
import { BUDGET } from '../config/agent-settings/budget-settings'
import { TOOL_SEARCH } from '../config/agent-settings/mcp-settings'
import type { PermissionMode } from '../../../shared/model/approval/approval'
import { SHORTCUT_COMMANDS } from '../../../shared/configuration/shortcuts'
import { APPEARANCE, INTERFACE } from '../config/settings/interface-settings'

const MINUTE_MS = 60_000

const NO_SEARCH = 'No search provider is set. Add [web.search] to the configuration file.'

/** Tokens by feature. `count` counts them all without blocking other work; afterwards `of` returns immediately. */
export interface FeatureTokens {
  of(feature: Feature): number
  count(): Promise<void>
}

interface SettingsActionsDeps {
  config: Config
  secrets: Secrets
  keyStore: Pick<KeyStore, 'status'>
  catalog: Catalog
  tools: readonly { name: string; description: string }[]
  /** Tokens that a feature adds to each request, counted on first use. */
  featureTokens: FeatureTokens
  /** Call when the list of models changed, but not the file. */
  onModels(): void
  /** The built-in list of hosts, and this machine's support for sandboxes. */
  sandbox: { hosts: readonly string[]; support(): SandboxSupport; probe(): Promise<unknown> }
}

/** The actions of the settings page on config.toml, the stored keys and the catalog. */
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
    const tableProblem = modelsTableProblem()
    return {
      file,
      problems: [...problems, ...(tableProblem ? [tableProblem] : [])],
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
        tokens: featureTokens.of(feature),
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

  async function edit(...edits: TomlEdit[]): Promise<SettingsView> {
    await config.edit(edits)
    return viewSoon()
  }

  async function viewSoon(): Promise<SettingsView> {
    await Promise.all([sandbox.probe(), featureTokens.count()])
    return view()
  }

  return {
    view,
    viewSoon,
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
          // An empty list or a default value is not written.
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
    ...modelActions({ config, secrets, catalog, onModels, view, edit }),
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
  }
}

/** Tools of a feature are turned on and off with it. */
function hasToggle({ name }: { name: string }): boolean {
  return featureOf(name) === undefined
}

/** Changes to settings in the interface. Each returns the new view and keeps the comments and order of the file. */
export interface SettingsActions extends ModelActions {
  view(): SettingsView
  /**
   * Like `view`, without blocking other work: the first view starts a sandbox to check that it works, and counts the
   * tokens of all tools.
   */
  viewSoon(): Promise<SettingsView>
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
  /** The appearance of the interface, for the web page. */
  appearance(): Appearance
  setAppearance(change: Partial<Appearance>): Promise<SettingsView>
  setLanguage(change: Partial<LanguageSettings>): Promise<SettingsView>
  /**
   * Sets a command's keys, `''` for none; without keys, resets them to the default. Without an id, resets all commands.
   */
  setShortcut(id: string | undefined, keys: string | undefined): Promise<SettingsView>
}

/** How long the idle engine keeps running, in minutes as in config.toml. */
const IDLE = { key: ENGINE.fields.idleMs.key, value: ENGINE.fields.idleMs.value / MINUTE_MS }

/**
 * Changes to the interface's appearance, language and keyboard shortcuts, and to the engine. Default values are not
 * written.
 */
function interfaceActions(edit: (...edits: TomlEdit[]) => Promise<SettingsView>) {
  return {
    setAppearance: (change: Partial<Appearance>) => edit(...editsOf('appearance', APPEARANCE.fields, change)),
    setLanguage: (change: Partial<LanguageSettings>) => edit(...editsOf('interface', INTERFACE.fields, change)),
    setEngine: (change: Partial<SettingsView['engine']>) =>
      edit(...editsOf('engine', { idleMinutes: IDLE, shared: ENGINE.fields.shared }, change)),
    setShortcut(id: string | undefined, keys: string | undefined) {
      if (id === undefined) return edit({ path: ['shortcuts'], value: undefined })
      const usual = SHORTCUT_COMMANDS.find((one) => one.id === id)?.keys ?? ''
      return edit({
        path: ['shortcuts', id],
        value: keys === usual ? undefined : keys,
      })
    },
  }
}

function editsOf<Values extends object>(
  table: string,
  fields: Readonly<Record<string, { key: string; value: unknown }>>,
  change: Partial<Values>,
): TomlEdit[] {
  return Object.entries(change).flatMap(([name, value]) => {
    const field = fields[name]
    if (value === undefined || !field) return []
    return [{ path: [table, field.key], value: value === field.value ? undefined : (value as TomlEdit['value']) }]
  })
}
