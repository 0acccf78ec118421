import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { ProviderMetadata, Usage, Message } from '../../../../shared/model/turn/message'
import type { EventFilter, AnswerPieces } from './event-stream'
import type { ModelRequest, ToolSchema } from '../provider'
import { modelFamily } from '../thinking'
import type { Fetch } from '../../network/http-fetch'
import { createHash } from 'node:crypto'

/** The address and key that a wire uses. */
export interface ProtocolSettings {
  /** Without a trailing slash; undefined: the provider's default. */
  baseUrl: string | undefined
  /** Empty: no key is sent. */
  key: string
}

/** A provider's metadata of one part. */
export type Metadata = Readonly<Record<string, unknown>>

/** The properties of a request that determine how thinking is handled. */
export type ThinkingRequest = Pick<ModelRequest, 'model' | 'thinking' | 'traits' | 'effort'>

/** Which earlier thinking can be part of a request. */
export interface ThinkingReplay {
  /** Thinking is off, so none is sent back. */
  isOff?: boolean
  /** Thinking must not be sent back if anything before it has changed. */
  losesStale?: boolean
  /** For `message-field`: the field that every message with calls must have, even if empty. */
  neededField?: string | undefined
}

/** How a conversation must be written for a wire. */
export interface PromptRules {
  /** The key of the metadata that this wire wrote and gets back; metadata of other wires is not sent. */
  metadataKey: string
  /** Whether a tool result can contain images; otherwise they follow as a user message. */
  imagesInResults: boolean
  /** Whether the protocol marks a result as an error; otherwise its text says so. */
  marksErrors: boolean
  /** Whether video can be sent. */
  video: boolean
  /**
   * Where a PDF can be sent as a file: wherever an image can, or only in user messages. Absent: nowhere; its text is
   * sent.
   */
  pdf?: 'everywhere' | 'prompts'
  /** Whether the arguments of earlier calls are sent back as the original text; otherwise as an object. */
  rawInput: boolean
  /** Whether to mark the end of the stable part of the conversation for the provider's cache. */
  cacheMarks: boolean
  /** A call id in a form that this wire accepts. `isOwn`: the target model made the call. */
  callId(id: string, isOwn: boolean): string
  /** How thinking is sent back: as signed parts, or in a field of the message. */
  thinking: 'signed-parts' | 'message-field'
  /** Which earlier thinking can be part of a request. */
  thinkingReplay(request: ThinkingRequest): ThinkingReplay
  /** The part of the metadata that other models of the wire also understand; default: nothing. */
  shared?(metadata: Metadata): Metadata | undefined
  /**
   * For `signed-parts`: whether this metadata proves the thought to the provider. `all`: the metadata of every
   * thought of the answer.
   */
  isSigned(metadata: Metadata, all: readonly Metadata[]): boolean
  /** An answer inserted between results and a user message, for servers that reject one right after the other. */
  answerAfterResults?: string
  /** Exceptions for models whose servers are stricter than the protocol. */
  forModel?(model: string): Partial<PromptRules> | undefined
}

/** Inspects each raw event for information that the package does not pass on. */
export interface Inspector {
  /** Throws a `CodedError` if the stream cannot be trusted. */
  see(event: unknown): void
  /** Called before `finish`, with the characters of arguments that were passed on. Throws if the stream was invalid. */
  check(passedArguments: number): void
  readonly usage: Usage | undefined
  /** The metadata needed to send thinking back unchanged. */
  readonly thinkingMetadata: ProviderMetadata | undefined
  /** Whether empty thinking was received and must be sent back as empty. */
  readonly emptyThinking: boolean
}

/** One provider protocol: the differences between protocols, on top of the package that implements each. */
export interface ModelProtocol {
  rules: PromptRules
  /** Whether an answer is incomplete if the event that opens a message is missing. */
  announcesStart: boolean
  /**
   * Names the package gives to calls of tools defined by the provider: we run them only if a tool of that name was
   * offered.
   */
  providerTools?: ReadonlySet<string>
  /** The package's model object; serves any number of requests. */
  model(id: string, fetch: Fetch): LanguageModelV4
  /** Options that this request adds to the common call options. */
  options(request: ModelRequest): Partial<LanguageModelV4CallOptions>
  /** The schema of a tool in a form that this wire accepts. */
  schema?(tool: ToolSchema): Record<string, unknown>
  /** Creates a filter for the events of one answer that removes unknown parts the package would reject. */
  readable(): EventFilter
  /** How its streams split answers into pieces. */
  pieces?: AnswerPieces
  inspector?(): Inspector
  /** Removes unchanged parts, which the package would otherwise convert and serialize again with every request. */
  shorten?(prompt: LanguageModelV4Prompt, tools: readonly ToolSchema[]): ShortPrompt
}

/** A prompt without the messages that were sent before. */
export interface ShortPrompt {
  prompt: LanguageModelV4Prompt
  /** The body for the whole prompt, in pieces, built from the package's body for the short one. */
  complete(body: string): readonly Uint8Array<ArrayBuffer>[]
}

const MAX_CALL_ID = 64
/** Maximum length of ids in Chat Completions: OpenAI rejects longer ones. */
const MAX_CHAT_CALL_ID = 40

/**
 * Call ids of other wires can contain anything; these wires accept at most 64 letters, digits, `_` and `-`. A hash
 * replaces what is lost, so that two ids are never sent as the same one: providers would reject every request of such a
 * conversation.
 */
export function plainCallId(id: string): string {
  return plainId(id, MAX_CALL_ID)
}

/**
 * The same for Chat Completions. A model gets its own ids back unchanged: Kimi requires it (`functions.Read:0`), and
 * some servers store signed thoughts in them. Long ids of other models are replaced.
 */
export function chatCallId(id: string, isOwn: boolean): string {
  return isOwn || id.length <= MAX_CHAT_CALL_ID ? id : plainId(id, MAX_CHAT_CALL_ID)
}

function plainId(id: string, maxLength: number): string {
  const plain = id.replace(/[^\w-]/g, '_')
  if (plain === id && id.length <= maxLength) return id
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 10)
  return `${plain.slice(0, maxLength - hash.length - 1)}_${hash}`
}

type AssistantMessage = Extract<Message, { role: 'assistant' }>
type TargetModel = Pick<ModelRequest, 'model' | 'modelId'>

/**
 * Whether the target model gets back the thinking of this answer. Signed thinking goes only to the model that wrote it;
 * plain text in a field goes to its whole family.
 */
export function replaysThinking(
  message: AssistantMessage,
  target: TargetModel,
  kind: PromptRules['thinking'],
  back: ThinkingReplay,
): boolean {
  if (message.thinkingDropped || back.isOff || (message.staleThinking && back.losesStale)) return false
  if (message.model === undefined || target.modelId === undefined || message.model === target.modelId) return true
  if (kind === 'signed-parts') return false
  const family = modelFamily(message.model)
  return family === modelFamily(target.modelId) || family === modelFamily(target.model)
}

/** Whether a provider has signed this thought as its own. `all`: the metadata of every thought of the answer. */
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

/** Whether an answer is sent back starting with its thinking. */
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
 * A base URL with the protocol's version as its last segment, added if missing: the vendors' own libraries omit it, the
 * packages used here require it, and users write either.
 */
export function withVersion(baseUrl: string, version: string): string {
  const trimmed = baseUrl.replace(/\/+$/, '')
  return /\/v\d+[a-z0-9]*$/i.test(trimmed) ? trimmed : `${trimmed}/${version}`
}
