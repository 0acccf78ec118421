import { PROVIDER_TYPES } from '../../configuration/provider-types'
import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import {
  QUICK_PROMPT,
  type ConnectionTest,
  type FoundServer,
  type OfferedModels,
  type SettingsView,
} from '../../configuration/settings'
import { THEMES } from '../../configuration/appearance'
import {
  ACCENTS,
  CONTRASTS,
  DENSITIES,
  FONT_NAME,
  FORMATS,
  INTERFACE_FONTS,
  LANGUAGE_CODES,
  MOTIONS,
  TEXT_SIZES,
} from '../../configuration/appearance'
import { isShortcutText, SHORTCUT_RULE } from '../../configuration/shortcuts'
import { FEATURES } from '../../configuration/features'
import { PERMISSION_MODES } from '../../model/approval/approval'
import { SANDBOX_HOST, SANDBOX_MODES, SANDBOX_PATH, SANDBOX_SOCKET } from '../../model/task/sandbox'

const name = z.string().regex(/^[\w.:@-]+$/, 'letters, digits and . : @ _ - only')
const modelId = z.string().min(1).max(200)
const sandboxPaths = z.array(z.string().max(4096).regex(SANDBOX_PATH.pattern, SANDBOX_PATH.must)).max(1000)
const sandboxHosts = z.array(z.string().max(300).regex(SANDBOX_HOST.pattern, SANDBOX_HOST.must)).max(1000)

/** A provider that need not be saved. */
const newProvider = z.strictObject({
  type: z.enum(PROVIDER_TYPES),
  baseUrl: z.url().optional(),
  apiKey: z.string().optional(),
})

const dollars = z.union([z.literal(0), z.number().min(0.01).max(1_000_000)])
const tokens = z.union([z.literal(0), z.int().min(1000).max(1_000_000_000_000)])

export const settingsContract = {
  get: oc.output(type<SettingsView>()),
  /**
   * Adds or changes a provider in config.toml; comments and order are preserved. `apiKey` goes to the secret store,
   * never to the file.
   */
  saveProvider: oc
    .input(
      z.strictObject({
        id: name,
        type: z.enum(PROVIDER_TYPES),
        baseUrl: z.url().optional(),
        apiKeyEnv: z.string().optional(),
        apiKey: z.string().optional(),
      }),
    )
    .output(type<SettingsView>()),
  /** Removes a provider, its models and its stored key. */
  removeProvider: oc.input(z.strictObject({ id: name })).output(type<SettingsView>()),
  /**
   * Adds or changes a model. Omitted fields and known values are not written: then the provider's list or the table of
   * known models applies.
   */
  saveModel: oc
    .input(
      z.strictObject({
        id: modelId,
        providerId: name,
        model: z.string().min(1),
        label: z.string().optional(),
        contextWindow: z.int().min(1000).max(100_000_000).optional(),
        maxOutputTokens: z.int().min(1).max(100_000_000).optional(),
        toolCalls: z.boolean().optional(),
        imagesIn: z.boolean().optional(),
        videoIn: z.boolean().optional(),
        thinking: z.boolean().optional(),
      }),
    )
    .output(type<SettingsView>()),
  removeModel: oc.input(z.strictObject({ id: modelId })).output(type<SettingsView>()),
  setDefaultModel: oc.input(z.strictObject({ id: modelId })).output(type<SettingsView>()),
  /** The model for titles and small work; without an `id`, the one from the table for the same provider. */
  setSmallModel: oc.input(z.strictObject({ id: modelId.optional() })).output(type<SettingsView>()),
  /** The model that takes over when another is overloaded; without an `id`, the turn fails instead. */
  setFallbackModel: oc.input(z.strictObject({ id: modelId.optional() })).output(type<SettingsView>()),
  /**
   * Lists the models of a provider, using the given key or the one stored for `id`; if the provider cannot be reached,
   * the known models.
   */
  offeredModels: oc.input(newProvider.extend({ id: name.optional() })).output(type<OfferedModels>()),
  setDefaultMode: oc.input(z.strictObject({ mode: z.enum(PERMISSION_MODES) })).output(type<SettingsView>()),
  setToolEnabled: oc.input(z.strictObject({ name: z.string(), enabled: z.boolean() })).output(type<SettingsView>()),
  /** Turns a feature on or off. The change applies to its tools from the next turn on. */
  setFeature: oc
    .input(z.strictObject({ feature: z.enum(FEATURES), enabled: z.boolean() }))
    .output(type<SettingsView>()),
  /** Whether, and how, the app notifies the user when a request is pending. Omitted fields stay unchanged. */
  setNotifications: oc
    .input(
      z.strictObject({
        enabled: z.boolean().optional(),
        sound: z.boolean().optional(),
        finished: z.boolean().optional(),
      }),
    )
    .output(type<SettingsView>()),
  /** Omitted fields stay unchanged. Applies from the next turn on. */
  setToolSearch: oc
    .input(
      z.strictObject({
        enabled: z.boolean().optional(),
        minPct: z.number().min(0).max(100).optional(),
        minTokens: z.int().min(0).max(100_000_000).optional(),
        matchingThreshold: z.number().min(0).max(1000).optional(),
      }),
    )
    .output(type<SettingsView>()),
  /**
   * What commands can reach. Omitted fields stay unchanged; a list replaces the previous one. Applies from the next
   * command on.
   */
  setSandbox: oc
    .input(
      z.strictObject({
        mode: z.enum(SANDBOX_MODES).optional(),
        write: sandboxPaths.optional(),
        read: sandboxPaths.optional(),
        hosts: sandboxHosts.optional(),
        sockets: z.array(z.string().max(4096).regex(SANDBOX_SOCKET.pattern, SANDBOX_SOCKET.must)).max(1000).optional(),
        defaults: z.boolean().optional(),
      }),
    )
    .output(type<SettingsView>()),
  /** How the desktop app behaves. Omitted fields stay unchanged. */
  setDesktop: oc
    .input(
      z.strictObject({
        tray: z.boolean().optional(),
        closeToTray: z.boolean().optional(),
        startAtLogin: z.boolean().optional(),
        keepAwake: z.boolean().optional(),
        quickPrompt: z.string().max(100).regex(QUICK_PROMPT.pattern, QUICK_PROMPT.must).optional(),
        windowPerProject: z.boolean().optional(),
        menuBar: z.boolean().optional(),
      }),
    )
    .output(type<SettingsView>()),
  /** How the interface looks, in all windows. Omitted fields stay unchanged. */
  setAppearance: oc
    .input(
      z.strictObject({
        theme: z.enum(THEMES).optional(),
        accent: z.enum(ACCENTS).optional(),
        contrast: z.enum(CONTRASTS).optional(),
        density: z.enum(DENSITIES).optional(),
        motion: z.enum(MOTIONS).optional(),
        textSize: z.int().min(TEXT_SIZES.min).max(TEXT_SIZES.max).optional(),
        codeSize: z.int().min(TEXT_SIZES.min).max(TEXT_SIZES.max).optional(),
        interfaceFont: z.enum(INTERFACE_FONTS).optional(),
        codeFont: z.string().regex(FONT_NAME.pattern, `must be ${FONT_NAME.must}`).optional(),
      }),
    )
    .output(type<SettingsView>()),
  /** The language, and the formats of dates and numbers. Omitted fields stay unchanged. */
  setLanguage: oc
    .input(
      z.strictObject({
        language: z.enum(LANGUAGE_CODES).optional(),
        formats: z.string().max(40).regex(FORMATS.pattern, `must be ${FORMATS.must}`).optional(),
      }),
    )
    .output(type<SettingsView>()),
  /**
   * Sets the keys of a command; an empty string for no keys, no `keys` for the default. Without an `id`, resets all
   * commands to their default keys.
   */
  setShortcut: oc
    .input(
      z.strictObject({
        id: z.string().min(1).max(100).optional(),
        keys: z.string().max(60).refine(isShortcutText, `must be ${SHORTCUT_RULE}`).optional(),
      }),
    )
    .output(type<SettingsView>()),
  /**
   * How long the engine of the home keeps running when nothing runs and no client is connected, and whether `trestle
   * chat`, `acp` and `serve` start it. Omitted fields stay unchanged.
   */
  setEngine: oc
    .input(z.strictObject({ idleMinutes: z.number().min(0).max(525_600), shared: z.boolean() }).partial())
    .output(type<SettingsView>()),
  /** The editor for files: a command on the PATH, or its full path; empty: the first editor found. */
  setEditor: oc.input(z.strictObject({ command: z.string().trim().max(500) })).output(type<SettingsView>()),
  /** Spending limits, in dollars or tokens; 0: no limit. Omitted fields stay unchanged. */
  setBudget: oc
    .input(
      z.strictObject({
        session: dollars.optional(),
        day: dollars.optional(),
        project: dollars.optional(),
        sessionTokens: tokens.optional(),
        dayTokens: tokens.optional(),
        projectTokens: tokens.optional(),
      }),
    )
    .output(type<SettingsView>()),
  /** Whether the desktop app reads the environment of the login shell when it was not started from a terminal. */
  setLoginShell: oc.input(z.strictObject({ enabled: z.boolean() })).output(type<SettingsView>()),
  /** Sends one tiny request to the model, and returns a message about the result. */
  testModel: oc.input(z.strictObject({ id: modelId })).output(type<ConnectionTest>()),
  /** The same for a model of a provider that is not saved. Nothing is saved. */
  testNewModel: oc
    .input(newProvider.extend({ model: z.string().trim().min(1).max(200) }))
    .output(type<ConnectionTest>()),
  /**
   * Queries the default loopback ports (Ollama, LM Studio, llama.cpp); servers that answered can be used immediately as
   * `found` models.
   */
  findLocal: oc.output(type<FoundServer[]>()),
}
