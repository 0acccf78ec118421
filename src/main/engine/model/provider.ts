import type { FinishReason } from '../../../shared/model/event'
import type { Message, ProviderMetadata, Usage } from '../../../shared/model/message'

/** A tool as the model is told about it. `schema` is JSON Schema. */
export interface ToolSchema {
  name: string
  description: string
  schema: Record<string, unknown>
}

/** One request to a model. */
export interface ModelRequest {
  /** What the provider calls the model. */
  model: string
  system: string
  /** None of them changes after it was sent: what was made of it is used again. A message that has to differ is another object. */
  messages: readonly Message[]
  /** Empty: the model must answer in text. */
  tools: readonly ToolSchema[]
  maxOutputTokens?: number
  /** Whether media parts may be sent; otherwise they are named in text. */
  imagesIn: boolean
  thinking: boolean
  /** Stable per session, for providers that route caches by it. */
  cacheKey?: string
  /** Called whenever bytes of the answer arrive, also keep-alives without content. Cheap; must not throw. */
  alive?: () => void
}

/**
 * One piece of an answer. Deltas of a part come in order; `text.end`/`thinking.end` close a part and carry its metadata. A `tool.call` is complete:
 * `input` is the raw JSON text exactly as written (it may not parse). `finish` is last and comes exactly once: a stream that ends
 * without it has failed, and the adapter throws `model.incomplete`.
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
 * A way to ask a model. `stream` makes exactly one request: no retries (the loop retries), no time limit (the loop
 * watches for silence). It throws a `CodedError` with a `model.*` code, and stops at once when `signal` aborts.
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
  /** Not a model at all: plays a script. Said wherever its name appears. */
  scripted?: boolean
  /** `found`: a local server answered on its usual port; `configured`: in config.toml; `built-in`: the demo. */
  origin: 'configured' | 'found' | 'built-in'
}
