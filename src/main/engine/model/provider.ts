import type { Effort } from '../../../shared/model/turn/effort'
import type { FinishReason } from '../../../shared/events/event'
import type { Message, ProviderMetadata, Usage } from '../../../shared/model/turn/message'
import type { PriceSource } from '../../../shared/configuration/settings'
import type { ModelPrices } from '../../../shared/model/turn/usage'

/** A tool as described to the model. `schema` is JSON Schema. */
export interface ToolSchema {
  name: string
  description: string
  schema: Record<string, unknown>
}

/**
 * How the thinking of a model is controlled: `effort` levels; a `budget` of tokens; `adaptive`: the model decides,
 * effort guides it;
 * `switch`: on or off; `always`: it always thinks, and cannot be adjusted.
 */
export type ThinkingControl = 'none' | 'effort' | 'budget' | 'adaptive' | 'switch' | 'always'

/** What is known about a model besides its window. Absent fields: unknown. */
export interface ModelTraits {
  thinkingControl?: ThinkingControl
  /** The levels it accepts, and the one its vendor uses if none is sent. */
  efforts?: readonly Effort[]
  defaultEffort?: Effort
  /** Rejects its own earlier thinking if anything before it has changed. */
  bindsThinking?: boolean
  /** Is not sent thinking if anything before it has changed, because its provider may reject it. */
  losesStaleThinking?: boolean
  /** Thinks between tool calls only if a header requests it. */
  needsInterleavedHeader?: boolean
  pdfIn?: boolean
  videoIn?: boolean
  /** The edit tools the model was trained on. */
  toolDialect?: 'gpt' | 'general'
  /** Maximum tokens of an answer; `ModelInfo.maxOutputTokens` is what is requested. */
  outputLimit?: number
  /** Maximum input tokens; absent: the whole window. */
  inputLimit?: number
  prices?: ModelPrices
  /** The id (`provider/model`) of a cheaper model of the same provider, for titles and small work. */
  smallModel?: string
}

/** One request to a model. */
export interface ModelRequest {
  /** What the provider calls the model. */
  model: string
  /** `provider/model` as in config.toml: thinking is sent back only to the model that wrote it. Absent: unknown. */
  modelId?: string
  system: string
  /** Immutable once sent, because conversions are cached by object. A changed message is a new object. */
  messages: readonly Message[]
  /** Empty: the model must answer in text. */
  tools: readonly ToolSchema[]
  /** The longest answer, its thinking included. */
  maxOutputTokens?: number
  /** Without `maxOutputTokens`: tokens left in the window. A wire that must send a limit sends no more than this. */
  availableOutputTokens?: number
  /** Whether media parts can be sent; otherwise they are described in text. */
  imagesIn: boolean
  thinking: boolean
  /** Absent: the vendor's default. */
  effort?: Effort
  traits?: ModelTraits
  /** `none`: the tools stay in the request, so that its start can be cached, but must not be called. */
  toolChoice?: 'none'
  /** How long the provider should cache the request. `none`: it will not be sent again. Absent: `short`. */
  cache?: 'none' | 'short' | 'long'
  /** `summary`: requests the summary that replaces a conversation. Not sent; the demo model answers it differently. */
  purpose?: 'summary'
  /** No later request starts with this one, so its end need not be cached. */
  isOneOff?: true
  /** Stable per session, for providers that route caches by it. */
  cacheKey?: string
  /** Called whenever bytes of the answer arrive, including keep-alives without content. Cheap; must not throw. */
  alive?: () => void
  /** Called when the whole request has been sent, before or at the first byte of the answer. Cheap; must not throw. */
  sent?: () => void
}

/**
 * One piece of an answer. Deltas of a part come in order; `text.end`/`thinking.end` close a part and carry its
 * metadata. A `tool.call` is complete: `input` is the raw JSON text exactly as written (it may not parse). `finish` is
 * last and comes exactly once: a stream that ends without it has failed, and the adapter throws `model.incomplete`.
 */
export type ModelChunk =
  | { type: 'text'; text: string }
  | { type: 'text.end'; metadata?: ProviderMetadata }
  | { type: 'thinking'; text: string }
  | { type: 'thinking.end'; metadata?: ProviderMetadata }
  | { type: 'tool.draft'; callId: string; name: string; /** Further characters of its input. */ text: string }
  | { type: 'tool.call'; callId: string; name: string; input: string; metadata?: ProviderMetadata }
  | { type: 'finish'; reason: FinishReason; usage?: Usage }

/**
 * Calls models. `stream` makes exactly one request: no retries (the loop retries), no time limit (the loop detects
 * stalls). It throws a `CodedError` with a `model.*` code, and stops immediately when `signal` aborts.
 */
export interface Provider {
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelChunk>
}

/** A model the user can choose. */
export interface ModelInfo {
  /** `provider/model`, as in config.toml. */
  id: string
  /** What the provider calls it. */
  model: string
  /** What the interface shows. */
  label: string
  providerId: string
  /** Tokens. */
  contextWindow: number
  maxOutputTokens?: number
  toolCalls: boolean
  imagesIn: boolean
  thinking: boolean
  traits?: ModelTraits
  /** The level used unless the session, its agent or a turn names another; absent: the vendor's. */
  effort?: Effort
  /** Where these facts are from. `guess`: nothing is known about the model, so they are safe assumptions. */
  knownFrom?: 'config' | 'provider' | 'table' | 'guess'
  /** The source of its prices; absent: unknown. */
  pricesFrom?: PriceSource
  /** Not a model: plays a script. Shown wherever its name appears. */
  scripted?: boolean
  /**
   * `found`: a local server answered on its usual port; `configured`: in config.toml; `built-in`: the demo; `client`: a
   * client makes the calls.
   */
  origin: 'configured' | 'found' | 'built-in' | 'client'
}
