import type { ProviderType } from './provider-types'
import type { Appearance, LanguageSettings } from './appearance'
import type { ShortcutChoices } from './shortcuts'
import type { ModelPrices, LimitScope, PriceTable } from '../model/turn/usage'
import type { Effort } from '../model/turn/effort'
import type { FeatureView } from './features'
import type { SandboxMode } from '../model/task/sandbox'

/** A mistake in config.toml, with its place. Line and column count from 1. */
export interface ConfigProblem {
  file: string
  line?: number
  column?: number
  message: string
}

/** A provider as the settings page sees it: never the key itself. */
export interface ProviderView {
  id: string
  type: ProviderType
  baseUrl?: string
  apiKeyEnv?: string
  /**
   * Where the key comes from: typed in and stored, an environment variable that is set, the file, or nowhere. `locked`:
   * one is stored, but cannot be opened now.
   */
  keyFrom: 'stored' | 'environment' | 'file' | 'locked' | 'none'
}

/** Where keys typed in are kept. */
export interface KeysView {
  /**
   * `system`: encrypted, with a key from the key store of the system. `file`: in a file that only the user can read.
   */
  store: 'system' | 'file'
  /** The key store, as an object of a sentence. */
  name?: string
  /** Why it is not used, as an end of the sentence "… because". */
  reason?: string
}

/** Where keys are kept, as a sentence. */
export function keyStorageText({ store, name, reason }: KeysView): string {
  if (store === 'system') return `Keys are stored encrypted, with a key that ${name ?? 'the system'} keeps.`
  return `Keys are stored in a file that only you can read${reason === undefined ? '' : `, because ${reason}`}.`
}

/** The source of a model's properties. `guess`: the model is unknown, so these are safe assumptions. */
export type ModelInfoSource = 'config' | 'provider' | 'table' | 'guess'

/** Who says what a model costs. `local`: it runs on this computer. */
export type PriceSource = 'config' | 'provider' | 'table' | 'local'

/** What a model can take and do. */
export interface ModelAbilities {
  /** Tokens. */
  contextWindow: number
  /** Tokens of an answer that are asked for; absent: as many as the provider gives. */
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

/** A model as the settings page edits it. */
export interface ModelView extends ModelAbilities {
  id: string
  providerId: string
  model: string
  label: string
  /** Its effort levels in ascending order; empty: not adjustable. */
  efforts: Effort[]
  /** The default level, from config.toml or else its vendor; absent: not known. */
  usualEffort?: Effort
  scripted?: boolean
  origin: 'configured' | 'found' | 'built-in' | 'client'
  /** What the configuration says of it, and what would count without that; absent where it is not configured. */
  said?: { label?: string; contextWindow?: number; maxOutputTokens?: number; abilities?: true }
  known?: ModelAbilities
}

/** The models that a provider offers. */
export interface OfferedModels {
  /** `table`: the provider could not be asked, as `problem` says, and these are the ones known of it. */
  from: 'provider' | 'table'
  models: (ModelAbilities & { model: string })[]
  problem?: string
}

/** A local model server that answered on its usual loopback port. */
export interface FoundServer {
  name: string
  baseUrl: string
  models: string[]
}

/** How the app calls for a person when something waits and it is not in front. */
export interface NotificationSettings {
  enabled: boolean
  /** Play a sound. */
  sound: boolean
  /** Also when a session has finished while the user looks elsewhere. */
  finished: boolean
}

/** When tools of servers are loaded on demand instead of being sent with each request. */
export interface ToolSearchView {
  enabled: boolean
  /** Either is enough, once the tools take more: a percentage of the model's window, and tokens. */
  minPct: number
  minTokens: number
  /** Results of a search score above this. */
  matchingThreshold: number
}

/** What `[sandbox]` of config.toml says, and what this machine has. Paths are as written. */
export interface SandboxView {
  mode: SandboxMode
  write: string[]
  read: string[]
  hosts: string[]
  sockets: string[]
  /** Whether the built-in lists count, too. */
  defaults: boolean
  builtIn: { write: string[]; hosts: string[] }
  /**
   * Whether commands can be sandboxed on this machine; absent while that is not known. `remedy` is a sentence, or a
   * command to run.
   */
  status?: { available: boolean; reason?: string | undefined; remedy?: string | undefined }
}

/** A change of it; what is left out stays as it is. */
export type SandboxChange = { [Key in keyof Omit<SandboxView, 'builtIn' | 'status'>]?: SandboxView[Key] | undefined }

/** `[budget]` of config.toml: what may be spent. Absent: no limit. */
export type BudgetView = { [Scope in LimitScope]?: number } & { [Scope in `${LimitScope}Tokens`]?: number }

export interface SettingsView {
  file: string
  problems: ConfigProblem[]
  defaultModel?: string
  /** For titles and small work; absent: the table's for the same provider. */
  smallModel?: string
  /** Takes over for the rest of a turn when a model is overloaded. */
  fallbackModel?: string
  defaultPermissionMode: 'ask' | 'accept-edits' | 'auto'
  keys: KeysView
  providers: ProviderView[]
  models: ModelView[]
  /** Where the figures of known models come from. */
  prices: PriceTable
  budget: BudgetView
  /** Every tool with its toggle. */
  tools: {
    name: string
    description: string
    enabled: boolean
    /** What it needs and does not have, as a sentence. */ missing?: string
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

/** How a connection test went. */
export interface ConnectionTest {
  ok: boolean
  durationMs: number
  /** The answer's beginning, or what went wrong and what to do. */
  message: string
}

/** `[desktop]` of config.toml: how the desktop app behaves. Other hosts ignore it. */
export interface DesktopSettings {
  /** An icon in the tray or menu bar with what runs and what is pending. */
  tray: boolean
  /** Closing the last window leaves the app running in the tray. */
  closeToTray: boolean
  startAtLogin: boolean
  /** The computer does not go to sleep while a turn runs. */
  keepAwake: boolean
  /** Keyboard shortcut that opens the quick prompt from anywhere, e.g. `Ctrl+Shift+Space`; empty: none. */
  quickPrompt: string
  /** Opening a project opens a window of its own. */
  windowPerProject: boolean
  /** Windows and Linux: the menu bar is shown. Its shortcuts work either way. */
  menuBar: boolean
}

const MODIFIER = '(?:CommandOrControl|CmdOrCtrl|Command|Cmd|Control|Ctrl|Alt|Option|AltGr|Shift|Super|Meta)'
const KEY =
  "(?:[A-Z0-9]|F(?:[1-9]|1\\d|2[0-4])|Space|Tab|Enter|Return|Up|Down|Left|Right|Home|End|PageUp|PageDown|Insert|Plus|[-=[\\];',./`\\\\])"

/** What a shortcut may be: modifiers and a key, as Electron writes them; or empty. */
export const QUICK_PROMPT = {
  pattern: new RegExp(`^(?:(?:${MODIFIER}\\+)+${KEY})?$`, 'i'),
  must: 'must be modifiers and a key, for example Ctrl+Shift+Space',
}

/** What the page shows of the desktop app that runs it. */
export interface DesktopView {
  /** Whether windows are drawn with the graphics card; a change applies at the next start. */
  acceleratedGraphics: boolean
  /** Why the shortcut of the quick prompt does not work. */
  quickPromptProblem?: string
  /** Sessions that were working when the app last ended without warning, and have not been resumed. */
  interrupted: { sessionId: string; title: string }[]
}
