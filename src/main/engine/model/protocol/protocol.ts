import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { ProviderMetadata, Usage, Message } from '../../../../shared/model/turn/message'
import type { EventFilter, AnswerPieces } from './event-stream'
import type { ModelRequest, ToolSchema } from '../provider'
import { modelFamily } from '../thinking'
import type { Fetch } from '../../network/http-fetch'
import { createHash } from 'node:crypto'

/** Where and as whom a wire calls. */
export interface ProtocolSettings {
  /** Without a trailing slash; the provider's own when undefined. */
  baseUrl: string | undefined
  /** Empty: none is sent. */
  key: string
}

/** A provider's metadata of one part. */
export type Metadata = Readonly<Record<string, unknown>>

/** What of a request says how thinking is dealt with. */
export type ThinkingRequest = Pick<ModelRequest, 'model' | 'thinking' | 'traits' | 'effort'>

/** What of earlier thinking a request may carry. */
export interface ThinkingReplay {
  /** Thinking is switched off, and then none goes back. */
  isOff?: boolean
  /** Thinking whose beginning has changed since must not go back. */
  losesStale?: boolean
  /** For `message-field`: the field that every message with calls must have, if need be empty. */
  neededField?: string | undefined
}

/** How a conversation has to be put for a wire. */
export interface PromptRules {
  /** The key of the metadata that this wire wrote and wants back; that of other wires is not sent. */
  metadataKey: string
  /** Whether a tool result may contain images; otherwise they follow as a user message. */
  imagesInResults: boolean
  /** Whether the protocol marks a result as an error; otherwise its text says so. */
  marksErrors: boolean
  /** Media types besides images that may be sent. */
  video: boolean
  /**
   * Where a PDF may be sent as it is: everywhere an image may, or only in what a user says. Absent: nowhere, its text
   * is sent.
   */
  pdf?: 'everywhere' | 'prompts'
  /** Whether the arguments of earlier calls go back as the text they were written in; otherwise as an object. */
  rawInput: boolean
  /** Whether to mark the end of the stable part of the conversation for the provider's cache. */
  cacheMarks: boolean
  /** A call id as this wire accepts it. `isOwn`: the model that is asked has made the call. */
  callId(id: string, isOwn: boolean): string
  /** How thinking goes back: as a part, inside the message's options, or not at all. */
  thinking: 'signed-parts' | 'message-field'
  /** What of earlier thinking a request may carry. */
  thinkingReplay(request: ThinkingRequest): ThinkingReplay
  /** What of a part's metadata other models of the wire understand, too; default: nothing. */
  shared?(metadata: Metadata): Metadata | undefined
  /**
   * For `signed-parts`: whether this metadata proves the thought to the provider. `all`: that of every thought of the
   * answer.
   */
  isSigned(metadata: Metadata, all: readonly Metadata[]): boolean
  /** An answer inserted between results and a user message, for servers that refuse two in a row. */
  answerAfterResults?: string
  /** What is different for a model whose server is stricter than the protocol. */
  forModel?(model: string): Partial<PromptRules> | undefined
}

/** Looks at each event as it was on the wire, for what the package does not pass on. */
export interface Inspector {
  /** Throws a `CodedError` when the stream cannot be trusted. */
  see(event: unknown): void
  /**
   * Called before `finish`, with the characters of arguments that were passed on. Throws when the stream was not what
   * it seemed.
   */
  check(passedArguments: number): void
  readonly usage: Usage | undefined
  /** What thinking needs to go back as it came. */
  readonly thinkingMetadata: ProviderMetadata | undefined
  /** Whether thinking came but was empty, and has to go back so. */
  readonly emptyThinking: boolean
}

/** One provider protocol: what differs between them, around the package that speaks it. */
export interface ModelProtocol {
  rules: PromptRules
  /** Whether an answer without the event that opens a message has lost its beginning. */
  announcesStart: boolean
  /**
   * Names the package gives to calls of tools defined by the provider: not ours to run unless a tool of that name was
   * offered.
   */
  providerTools?: ReadonlySet<string>
  /** The package's model object; serves any number of requests. */
  model(id: string, fetch: Fetch): LanguageModelV4
  /** What this request adds to the common call options. */
  options(request: ModelRequest): Partial<LanguageModelV4CallOptions>
  /** The schema of a tool as this wire accepts it. */
  schema?(tool: ToolSchema): Record<string, unknown>
  /** For one answer: its events without what the package refuses because it does not know it. */
  readable(): EventFilter
  /** How its streams bring answers in pieces. */
  pieces?: AnswerPieces
  inspector?(): Inspector
  /** Whatever the package would convert and write as JSON at every request although it has not changed, taken out. */
  shorten?(prompt: LanguageModelV4Prompt, tools: readonly ToolSchema[]): ShortPrompt
}

/** A prompt without the messages that went out before. */
export interface ShortPrompt {
  prompt: LanguageModelV4Prompt
  /** The body as it would be for the whole prompt, in pieces, from what the package made of the short one. */
  complete(body: string): readonly Uint8Array<ArrayBuffer>[]
}

const MAX_CALL_ID = 64
/** Ids of Chat Completions: OpenAI refuses longer ones. */
const MAX_CHAT_CALL_ID = 40

/**
 * Call ids of other wires may contain anything; these accept letters, digits, `_` and `-`, at most 64 of them. A hash
 * replaces what is lost, so that two ids are never sent as one: providers refuse every request of such a conversation.
 */
export function plainCallId(id: string): string {
  return plainId(id, MAX_CALL_ID)
}

/**
 * The same for Chat Completions. What a model has called goes back to it as it came: Kimi's ids have to
 * (`functions.Read:0`), and in some a server keeps signed thoughts. Of other models, long ids are replaced.
 */
export function chatCallId(id: string, isOwn: boolean): string {
  return isOwn || id.length <= MAX_CHAT_CALL_ID ? id : plainId(id, MAX_CHAT_CALL_ID)
}

function plainId(id: string, most: number): string {
  const plain = id.replace(/[^\w-]/g, '_')
  if (plain === id && id.length <= most) return id
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 10)
  return `${plain.slice(0, most - hash.length - 1)}_${hash}`
}

type AssistantMessage = Extract<Message, { role: 'assistant' }>
type Asked = Pick<ModelRequest, 'model' | 'modelId'>

/**
 * Whether the model that is asked gets back what belongs to its thinking in this answer. Signed thinking is the
 * business of the model that wrote it; plain text in a field is good for its whole family.
 */
export function replaysThinking(
  message: AssistantMessage,
  asked: Asked,
  kind: PromptRules['thinking'],
  back: ThinkingReplay,
): boolean {
  if (message.thinkingDropped || back.isOff || (message.staleThinking && back.losesStale)) return false
  if (message.model === undefined || asked.modelId === undefined || message.model === asked.modelId) return true
  if (kind === 'signed-parts') return false
  const family = modelFamily(message.model)
  return family === modelFamily(asked.modelId) || family === modelFamily(asked.model)
}

/** Whether a provider has proven that this thought is its own. `all`: the metadata of every thought of the answer. */
export function isThinkingSigned(
  metadata: ProviderMetadata | undefined,
  all: readonly Metadata[],
  rules: PromptRules,
): boolean {
  const own = metadata?.[rules.metadataKey]
  return own !== undefined && rules.isSigned(own, all)
}

/** The metadata of the thoughts of an answer. */
export function thinkingMetadataOf({ parts }: AssistantMessage, key: string): Metadata[] {
  return parts.flatMap((part): Metadata[] => (part.type === 'thinking' ? [part.metadata?.[key] ?? {}] : []))
}

/** Whether an answer goes back beginning with its thinking. */
export function beginsWithThinking(message: Message, request: ModelRequest, rules: PromptRules): boolean {
  if (message.role !== 'assistant' || !replaysThinking(message, request, rules.thinking, rules.thinkingReplay(request)))
    return false
  const first = message.parts.find((part) => part.type !== 'text' || part.text.trim() !== '')
  return (
    first?.type === 'thinking' &&
    isThinkingSigned(first.metadata, thinkingMetadataOf(message, rules.metadataKey), rules)
  )
}

/**
 * A base URL with the protocol's version as its last segment, added when none is there: the makers' own libraries leave
 * it out, the packages used here want it, and people write both.
 */
export function withVersion(baseUrl: string, version: string): string {
  const trimmed = baseUrl.replace(/\/+$/, '')
  return /\/v\d+[a-z0-9]*$/i.test(trimmed) ? trimmed : `${trimmed}/${version}`
}
