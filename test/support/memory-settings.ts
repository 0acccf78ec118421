import type { SandboxView, SettingsView } from '../../src/shared/configuration/settings'
import { USUAL_APPEARANCE } from '../../src/shared/configuration/appearance'
import { FEATURES } from '../../src/shared/configuration/features'
import type { EngineChange } from '../../src/main/engine/foundation/engine-options'
import type { SettingsActions } from '../../src/main/engine/customize/settings-actions'

/** Settings of a memory engine, kept in a variable; reports each change. */
export function memorySettings(changed: (change: EngineChange) => void): SettingsActions {
  let settingsView: SettingsView = {
    file: 'config.toml',
    problems: [],
    defaultPermissionMode: 'ask',
    keys: { store: 'file' },
    providers: [],
    models: [],
    prices: { generated: '2026-11-22', sources: ['a table'] },
    budget: {},
    tools: [{ name: 'Read', description: 'Reads a file', enabled: true }],
    features: FEATURES.map((feature) => ({ feature, enabled: false, tokens: 0 })),
    notifications: { enabled: true, sound: false, finished: true },
    desktop: {
      tray: true,
      closeToTray: false,
      startAtLogin: false,
      keepAwake: true,
      quickPrompt: '',
      windowPerProject: false,
      menuBar: false,
    },
    appearance: USUAL_APPEARANCE,
    language: { language: 'en', formats: 'system' },
    engine: { idleMinutes: 10, shared: false },
    shortcuts: {},
    toolSearch: { enabled: false, minPct: 5, minTokens: 50_000, matchingThreshold: 1.5 },
    sandbox: {
      mode: 'auto',
      write: [],
      read: [],
      hosts: [],
      sockets: [],
      defaults: true,
      builtIn: { write: ['~/.npm'], hosts: [] },
    },
  }
  const update = async (change: Partial<SettingsView>): Promise<SettingsView> => {
    settingsView = { ...settingsView, ...change }
    changed({ kind: 'settings' })
    return settingsView
  }
  return {
    view: () => settingsView,
    viewSoon: async () => settingsView,
    models: () => [],
    saveProvider: ({ id, type, apiKey }) =>
      update({
        providers: [...settingsView.providers, { id, type, keyFrom: apiKey === undefined ? 'none' : 'stored' }],
      }),
    removeProvider: (id) => update({ providers: settingsView.providers.filter((provider) => provider.id !== id) }),
    saveModel: ({ contextWindow = 128_000, toolCalls = true, imagesIn = false, thinking = false, ...model }) => {
      const abilities = { contextWindow, toolCalls, imagesIn, thinking }
      return update({
        models: [
          ...settingsView.models,
          { ...model, ...abilities, label: model.label ?? model.id, efforts: [], origin: 'configured' },
        ],
      })
    },
    removeModel: (id) => update({ models: settingsView.models.filter((model) => model.id !== id) }),
    setDefaultModel: (defaultModel) => update({ defaultModel }),
    setSmallModel: (id) => update(id === undefined ? {} : { smallModel: id }),
    setFallbackModel: (id) => update(id === undefined ? {} : { fallbackModel: id }),
    offeredModels: async () => ({ from: 'table', models: [], problem: 'No server answers here.' }),
    setDefaultMode: (defaultPermissionMode) => update({ defaultPermissionMode }),
    setToolEnabled: (name, enabled) =>
      update({ tools: settingsView.tools.map((tool) => (tool.name === name ? { ...tool, enabled } : tool)) }),
    setToolSearch: (change) => update({ toolSearch: { ...settingsView.toolSearch, ...change } }),
    setSandbox: (change) => update({ sandbox: { ...settingsView.sandbox, ...(change as Partial<SandboxView>) } }),
    setBudget: (change) => update({ budget: { ...settingsView.budget, ...change } }),
    setDesktop: (change) => update({ desktop: { ...settingsView.desktop, ...change } }),
    setNotifications: (change) => update({ notifications: { ...settingsView.notifications, ...change } }),
    setFeature: (feature, enabled) =>
      update({
        features: settingsView.features.map((each) => (each.feature === feature ? { ...each, enabled } : each)),
      }),
    setEditor: () => update({}),
    setLoginShell: () => update({}),
    engine: () => ({ idleMs: 600_000, shared: false }),
    setEngine: (change) => update({ engine: { ...settingsView.engine, ...change } }),
    appearance: () => settingsView.appearance,
    setAppearance: (change) => update({ appearance: { ...settingsView.appearance, ...change } }),
    setLanguage: (change) => update({ language: { ...settingsView.language, ...change } }),
    setShortcut: (id, keys) => {
      const { [id ?? '']: _old, ...others } = id === undefined ? {} : settingsView.shortcuts
      return update({ shortcuts: id === undefined || keys === undefined ? others : { ...others, [id]: keys } })
    },
    testModel: async () => ({ ok: true, durationMs: 1, message: 'Hello' }),
    testNewModel: async () => ({ ok: true, durationMs: 1, message: 'Hello' }),
    findLocal: async () => [],
  }
}
