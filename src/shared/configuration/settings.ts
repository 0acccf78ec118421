import type { ProviderType } from './provider-types'
import type { Appearance, LanguageSettings } from './appearance'
import type { ShortcutChoices } from './shortcuts'
import type { ModelPrices, LimitScope, PriceTable } from '../model/turn/usage'
import type { Effort } from '../model/turn/effort'
import type { FeatureView } from './features'
import type { SandboxMode } from '../model/task/sandbox'

/** An error in config.toml, with its position. Line and column count from 1. */
export interface ConfigProblem {
  file: string
  line?: number
  column?: number
  message: string
}

/** A provider, for the settings page: never the key itself. */
export interface ProviderView {
  id: string
  type: ProviderType
  baseUrl?: string
  apiKeyEnv?: string
  /**
   * The source of the key: entered by the user and stored, a set environment variable, the file, or none. `locked`: one
   * is stored, but cannot be decrypted now.
   */
  keyFrom: 'stored' | 'environment' | 'file' | 'locked' | 'none'
}

/** Where entered keys are stored. */
export interface KeysView {
  /**
   * `system`: encrypted, with a key from the key store of the system. `file`: in a file that only the user can read.
   */
  store: 'system' | 'file'
  /** The key store, as the object of a sentence. */
  name?: string
  /** Why it is not used, to complete the sentence "… because". */
  reason?: string
}

/** Where keys are stored, as a sentence. */
export function keyStorageText({ store, name, reason }: KeysView): string {
  if (store === 'system') return `Keys are stored encrypted, with a key that ${name ?? 'the system'} keeps.`
  return `Keys are stored in a file that only you can read${reason === undefined ? '' : `, because ${reason}`}.`
}

/** The source of a model's properties. `guess`: the model is unknown, so these are safe assumptions. */
export type ModelInfoSource = 'config' | 'provider' | 'table' | 'guess'

/** The source of a model's prices. `local`: it runs on this computer. */
export type PriceSource = 'config' | 'provider' | 'table' | 'local'

/** The limits and abilities of a model. */
export interface ModelAbilities {
  /** Tokens. */
  contextWindow: number
  /** Maximum tokens requested for an answer; absent: the provider's maximum. */
  maxOutputTokens?: number
  toolCalls: boolean
  imagesIn: boolean
  pdfIn?: boolean
  videoIn?: boolean
  thinking: boolean
  knownFrom?: ModelInfoSource
  /** Absent: unknown. */
  prices?: ModelPrices
  pricesFrom?: PriceSource
}

/** A model, for editing on the settings page. */
export interface ModelView extends ModelAbilities {
  id: string
  providerId: string
  model: string
  label: string
  /** Its effort levels in ascending order; empty: not adjustable. */
  efforts: Effort[]
  /** The default level, from config.toml or otherwise its vendor; absent: unknown. */
  usualEffort?: Effort
  scripted?: boolean
  origin: 'configured' | 'found' | 'built-in' | 'client'
  /** What the configuration sets, and what would apply without it; absent for a model that is not configured. */
  said?: { label?: string; contextWindow?: number; maxOutputTokens?: number; abilities?: true }
  known?: ModelAbilities
}

/** The models that a provider offers. */
export interface OfferedModels {
  /** `table`: the provider could not be queried, for the reason in `problem`; these are its known models. */
  from: 'provider' | 'table'
  models: (ModelAbilities & { model: string })[]
  problem?: string
}

/** A local model server that answered on its default loopback port. */
export interface FoundServer {
  name: string
  baseUrl: string
  models: string[]
}

/** How the app notifies the user when a request is pending and the app is in the background. */
export interface NotificationSettings {
  enabled: boolean
  /** Play a sound. */
  sound: boolean
  /** Also when a session has finished while the app is in the background. */
  finished: boolean
}

/** When tools of servers are loaded on demand instead of being sent with each request. */
export interface ToolSearchView {
  enabled: boolean
  /** The tools must exceed one of these limits: a percentage of the model's window, or a number of tokens. */
  minPct: number
  minTokens: number
  /** The score of search results must exceed this. */
  matchingThreshold: number
}

/** `[sandbox]` of config.toml, and the sandbox of this machine. Paths are as written. */
export interface SandboxView {
  mode: SandboxMode
  write: string[]
  read: string[]
  hosts: string[]
  sockets: string[]
  /** Whether the built-in lists also apply. */
  defaults: boolean
  builtIn: { write: string[]; hosts: string[] }
  /**
   * Whether commands can be sandboxed on this machine; absent while unknown. `remedy` is a sentence, or a command to
   * run.
   */
  status?: { available: boolean; reason?: string | undefined; remedy?: string | undefined }
}

/** A change of it; omitted fields stay unchanged. */
export type SandboxChange = { [Key in keyof Omit<SandboxView, 'builtIn' | 'status'>]?: SandboxView[Key] | undefined }

/** `[budget]` of config.toml: spending limits. Absent: no limit. */
export type BudgetView = { [Scope in LimitScope]?: number } & { [Scope in `${LimitScope}Tokens`]?: number }

export interface SettingsView {
  file: string
  problems: ConfigProblem[]
  defaultModel?: string
  /** For titles and small work; absent: the one from the table for the same provider. */
  smallModel?: string
  /** Takes over for the rest of a turn when a model is overloaded. */
  fallbackModel?: string
  defaultPermissionMode: 'ask' | 'accept-edits' | 'auto'
  keys: KeysView
  providers: ProviderView[]
  models: ModelView[]
  /** The source of the prices of known models. */
  prices: PriceTable
  budget: BudgetView
  /** Every tool with its toggle. */
  tools: {
    name: string
    description: string
    enabled: boolean
    /** A requirement that is missing, as a sentence. */ missing?: string
  }[]
  features: FeatureView[]
  notifications: NotificationSettings
  toolSearch: ToolSearchView
  desktop: DesktopSettings
  sandbox: SandboxView
  appearance: Appearance
  language: LanguageSettings
  /** The engine while the desktop app is closed. */
  engine: {
    idleMinutes: number
    /** Whether `trestle chat`, `acp` and `serve` start it. */
    shared: boolean
  }
  /** The keys that the user chose for commands. */
  shortcuts: ShortcutChoices
}

/** The result of a connection test. */
export interface ConnectionTest {
  ok: boolean
  durationMs: number
  /** The start of the answer, or the error and what to do. */
  message: string
}

/** `[desktop]` of config.toml: how the desktop app behaves. Other hosts ignore it. */
export interface DesktopSettings {
  /** An icon in the tray or menu bar with running and pending sessions. */
  tray: boolean
  /** Closing the last window leaves the app running in the tray. */
  closeToTray: boolean
  startAtLogin: boolean
  /** Prevents the computer from sleeping while a turn runs. */
  keepAwake: boolean
  /** Keyboard shortcut that opens the quick prompt from anywhere, e.g. `Ctrl+Shift+Space`; empty: no shortcut. */
  quickPrompt: string
  /** Opening a project opens a new window. */
  windowPerProject: boolean
  /** Windows and Linux: the menu bar is shown. Its shortcuts work either way. */
  menuBar: boolean
}

const MODIFIER = '(?:CommandOrControl|CmdOrCtrl|Command|Cmd|Control|Ctrl|Alt|Option|AltGr|Shift|Super|Meta)'
const KEY =
  "(?:[A-Z0-9]|F(?:[1-9]|1\\d|2[0-4])|Space|Tab|Enter|Return|Up|Down|Left|Right|Home|End|PageUp|PageDown|Insert|Plus|[-=[\\];',./`\\\\])"

/** The format of a shortcut: modifiers and a key, as Electron writes them; or empty. */
export const QUICK_PROMPT = {
  pattern: new RegExp(`^(?:(?:${MODIFIER}\\+)+${KEY})?$`, 'i'),
  must: 'must be modifiers and a key, for example Ctrl+Shift+Space',
}

/** What the page shows about the desktop app it runs in. */
export interface DesktopView {
  /** Whether windows use graphics acceleration; a change applies at the next start. */
  acceleratedGraphics: boolean
  /** Why the shortcut of the quick prompt does not work. */
  quickPromptProblem?: string
  /** Sessions that were working when the app last ended without warning, and have not been resumed. */
  interrupted: { sessionId: string; title: string }[]
}
