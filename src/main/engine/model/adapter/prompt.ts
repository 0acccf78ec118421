import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import type {
  AssistantPart,
  MediaPart,
  Message,
  ProviderMetadata,
  ResultPart,
  ToolMessage,
  UserPart,
} from '../../../../shared/model/turn/message'
import type { ModelRequest } from '../provider'
import {
  replaysThinking,
  isThinkingSigned,
  thinkingMetadataOf,
  type Metadata,
  type PromptRules,
  type ThinkingReplay,
  type ThinkingRequest,
} from '../protocol/protocol'

const MARKS: Readonly<Record<'short' | 'long', SharedV4ProviderOptions>> = {
  short: { anthropic: { cacheControl: { type: 'ephemeral' } } },
  long: { anthropic: { cacheControl: { type: 'ephemeral', ttl: '1h' } } },
}

/** Marks the end of a part for the provider to cache; empty if nothing should be cached. */
export function cacheMark({ cache = 'short' }: Pick<ModelRequest, 'cache'>): {
  providerOptions?: SharedV4ProviderOptions
} {
  return cache === 'none' ? {} : { providerOptions: MARKS[cache] }
}

/** A failed command ends with its exit code. */
const STATES_STATUS = /(?:^|\n)Exit code \d+[^\n]*$/

/** Call ids up to this length are accepted everywhere. */
const SHORT_CALL_ID = 40

const MAX_DOCUMENT_PAGES = 100
const MAX_DOCUMENT_BASE64 = 24_000_000

type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content']
type TargetModel = ThinkingRequest & Pick<ModelRequest, 'modelId'>

/** The model that earlier answers are sent back to. */
type Reader = Pick<ModelRequest, 'model' | 'modelId'> & { back: ThinkingReplay }

type AssistantMessage = Extract<Message, { role: 'assistant' }>

/**
 * Cache of converted messages. A step adds two messages to a history of hundreds, and only these are converted. An
 * entry lives as long as its message; messages in a history are never changed, only replaced.
 */
export type PromptPieces = WeakMap<Message, Piece>

interface Piece {
  /** The properties of the request that it depends on. */
  variant: string
  /** For a user's or the model's message; undefined if no part of it can be sent back. */
  message?: LanguageModelV4Message | undefined
  /** For a tool message, with the media that must follow it. */
  result?: LanguageModelV4ToolResultPart
  following?: readonly UserPart[]
  /** The message made of these media and those of other results of its step. */
  follower?: { of: readonly Piece[]; message: LanguageModelV4Message }
}

/**
 * The conversation in the format of the provider packages. Cached `pieces` are returned as the same objects; they must
 * not be changed.
 */
export function buildPrompt(
  request: Pick<ModelRequest, 'system' | 'messages' | 'imagesIn' | 'cache' | 'isOneOff' | 'traits'> & TargetModel,
  usual: PromptRules,
  pieces: PromptPieces = new WeakMap(),
): LanguageModelV4Prompt {
  const rules: PromptRules = { ...usual, ...usual.forModel?.(request.model) }
  const prompt: LanguageModelV4Prompt = []
  if (request.system)
    prompt.push({ role: 'system', content: request.system, ...(rules.cacheMarks && cacheMark(request)) })
  // Unless known otherwise, a model that accepts images also accepts documents.
  const pdfIn = rules.pdf !== undefined && (request.traits?.pdfIn ?? request.imagesIn)
  // Most models that accept images don't accept video, so it is sent only to those known to.
  const videoIn = rules.video && (request.traits?.videoIn ?? false)
  const canSend = (part: MediaPart): boolean =>
    isPdf(part)
      ? pdfIn && isSmallEnough(part)
      : part.mediaType.startsWith('video/')
        ? videoIn
        : request.imagesIn && part.mediaType.startsWith('image/')
  const back = rules.thinkingReplay(request)
  const { model, modelId } = request
  const present = JSON.stringify([
    request.imagesIn,
    pdfIn,
    videoIn,
    model,
    modelId,
    back.isOff,
    back.losesStale,
    back.neededField,
  ])
  // Reuse the string of the earlier pieces, so that all pieces of a conversation share one.
  const [first] = request.messages
  const before = first && pieces.get(first)?.variant
  const variant = before === present ? before : present
  const pieceOf = (message: Message): Piece => {
    let piece = pieces.get(message)
    if (piece?.variant !== variant) {
      piece = {
        variant,
        ...newPiece(
          message,
          rules,
          canSend,
          { model, ...(modelId !== undefined && { modelId }), back },
          request.messages,
        ),
      }
      pieces.set(message, piece)
    }
    return piece
  }
  /**
   * Media of the results just added, for wires whose results contain only text; they follow after all results of the
   * step.
   */
  let following: Piece[] = []
  const add = (message: LanguageModelV4Message): void => {
    if (rules.answerAfterResults !== undefined && message.role === 'user' && prompt.at(-1)?.role === 'tool')
      prompt.push({ role: 'assistant', content: [{ type: 'text', text: rules.answerAfterResults }] })
    prompt.push(message)
  }
  const flush = (): void => {
    if (following.length > 0) add(followerOf(following, canSend))
    following = []
  }
  for (const message of request.messages) {
    const piece = pieceOf(message)
    if (message.role !== 'tool') flush()
    if (piece.message) add(piece.message)
    if (!piece.result) continue
    if (piece.following && piece.following.length > 0) following.push(piece)
    // The results of one step become one message: Gemini requires it, and the others accept it.
    const last = prompt.at(-1)
    if (last?.role === 'tool') last.content.push(piece.result)
    else prompt.push({ role: 'tool', content: [piece.result] })
  }
  flush()
  if (rules.cacheMarks) markEnds(prompt, request)
  return prompt
}

function newPiece(
  message: Message,
  rules: PromptRules,
  canSend: (part: MediaPart) => boolean,
  reader: Reader,
  all: readonly Message[],
): Omit<Piece, 'variant'> {
  if (message.role === 'user') return { message: { role: 'user', content: userContent(message.parts, canSend) } }
  if (message.role === 'assistant') return { message: assistantMessage(message, rules, reader) }
  return toolResult(message, rules, canSend, isCallOfReader(message.callId, all, reader))
}

/** Whether the target model made a call; checked only for ids that some servers don't accept. */
function isCallOfReader(callId: string, all: readonly Message[], reader: Reader): boolean {
  if (callId.length <= SHORT_CALL_ID) return true
  const caller = all.find(
    (message): message is AssistantMessage =>
      message.role === 'assistant' && message.parts.some((part) => part.type === 'tool_call' && part.callId === callId),
  )
  return caller === undefined || isBy(caller, reader)
}

function isBy({ model }: AssistantMessage, { modelId }: Reader): boolean {
  return model === undefined || modelId === undefined || model === modelId
}

function followerOf(of: readonly Piece[], canSend: (part: MediaPart) => boolean): LanguageModelV4Message {
  const [first] = of
  if (first?.follower?.of.length === of.length && first.follower.of.every((piece, index) => piece === of[index]))
    return first.follower.message
  const media = of.flatMap((piece) => piece.following ?? [])
  const message: LanguageModelV4Message = { role: 'user', content: userContent(media, canSend) }
  if (first) first.follower = { of, message }
  return message
}

/**
 * Marks the last message and the one before the latest answer, so that this request finds what the previous one cached.
 */
function markEnds(prompt: LanguageModelV4Prompt, request: Pick<ModelRequest, 'cache' | 'isOneOff'>): void {
  const lastAnswer = prompt.findLastIndex((message) => message.role === 'assistant')
  for (const index of request.isOneOff ? [lastAnswer - 1] : [prompt.length - 1, lastAnswer - 1]) {
    const message = prompt[index]
    if (message?.role === 'user' || message?.role === 'tool') prompt[index] = { ...message, ...cacheMark(request) }
  }
}

function userContent(
  parts: readonly UserPart[],
  canSend: (part: MediaPart) => boolean,
): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] {
  const content = parts.flatMap((part): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] => {
    if (part.type === 'media') return [canSend(part) ? filePart(part) : { type: 'text', text: notSent(part) }]
    return part.text === '' ? [] : [{ type: 'text', text: part.text }]
  })
  return content.length > 0 ? content : [{ type: 'text', text: '(empty message)' }]
}

function filePart(part: MediaPart): LanguageModelV4FilePart {
  return {
    type: 'file',
    mediaType: part.mediaType,
    data: { type: 'data', data: part.data },
    ...(part.name !== undefined && { filename: part.name }),
  }
}

/** Whether all providers accept it in one request; larger documents are sent as text. */
function isSmallEnough({ pages = 0, data }: MediaPart): boolean {
  return pages <= MAX_DOCUMENT_PAGES && data.length <= MAX_DOCUMENT_BASE64
}

function isPdf(part: MediaPart): boolean {
  return part.mediaType === 'application/pdf'
}

function notSent(part: MediaPart): string {
  if (part.text !== undefined)
    return `[${part.name ?? 'PDF'}: a PDF of ${part.pages ?? 'some'} pages, as text]\n${part.text}`
  const kilobytes = Math.max(1, Math.round((part.data.length * 3) / 4 / 1024))
  return (
    `[${part.name ?? 'attachment'}: ${part.mediaType}, ` +
    `${kilobytes} KB, not sent because this model cannot take it]`
  )
}

/** The answer as sent back; undefined if no part can be sent: every API rejects an answer that is only thinking. */
function assistantMessage(
  message: AssistantMessage,
  rules: PromptRules,
  reader: Reader,
): LanguageModelV4Message | undefined {
  const hasCalls = message.parts.some((part) => part.type === 'tool_call')
  const content: AssistantContent = []
  /** The length of `content` up to the last part that can end a message. */
  let solid = 0
  const isOwn = replaysThinking(message, reader, rules.thinking, reader.back)
  const thoughts = isOwn ? thinkingMetadataOf(message, rules.metadataKey) : undefined
  for (const part of message.parts) {
    const item = assistantPart(part, rules, thoughts, isBy(message, reader))
    if (!item) continue
    content.push(item)
    if (item.type !== 'reasoning') solid = content.length
  }
  content.length = solid
  const isBlank = content.every((item) => item.type !== 'text' || item.text.trim() === '')
  if (solid === 0 || (isBlank && !hasCalls && !content.some((item) => item.providerOptions))) return undefined
  const said = rules.thinking === 'message-field' && isOwn ? thinkingField(message.parts, rules.metadataKey) : undefined
  const field =
    said ?? (hasCalls && reader.back.neededField !== undefined ? { [reader.back.neededField]: '' } : undefined)
  return { role: 'assistant', content, ...(field && { providerOptions: { openaiCompatible: field } }) }
}

/** `thoughts`: the metadata of all thoughts of the answer; undefined if they are not sent back. */
function assistantPart(
  part: AssistantPart,
  rules: PromptRules,
  thoughts: readonly Metadata[] | undefined,
  isCaller: boolean,
): AssistantContent[number] | undefined {
  const own = ownMetadata(part.metadata, rules, thoughts !== undefined)
  if (part.type === 'text') {
    // Blank text is rejected next to tool calls, but Gemini signs some empty parts, which must be sent back.
    return part.text.trim() === '' && !own
      ? undefined
      : { type: 'text', text: part.text, ...(own && { providerOptions: own }) }
  }
  if (part.type === 'thinking') {
    const goesBack =
      rules.thinking === 'signed-parts' && own && thoughts && isThinkingSigned(part.metadata, thoughts, rules)
    return goesBack ? { type: 'reasoning', text: part.text, providerOptions: own } : undefined
  }
  const written = part.sentAs ?? part
  const input = argumentsOf(written.input)
  return {
    type: 'tool-call',
    toolCallId: rules.callId(part.callId, isCaller),
    toolName: written.name,
    input: rules.rawInput ? input.text : input.object,
    ...(own && { providerOptions: own }),
  }
}

/** Arguments that didn't parse are sent back as `{}`: their result tells the model what was wrong. */
function argumentsOf(text: string): { text: string; object: unknown } {
  try {
    const object: unknown = JSON.parse(text)
    if (typeof object === 'object' && object !== null && !Array.isArray(object)) return { text, object }
  } catch {
    // Falls through.
  }
  return { text: '{}', object: {} }
}

/** Thinking as a field of the message, under the name the server used, even if it was empty. */
function thinkingField(parts: readonly AssistantPart[], key: string): Record<string, string> | undefined {
  let field: string | undefined
  let text = ''
  for (const part of parts) {
    const name = part.type === 'thinking' ? part.metadata?.[key]?.['field'] : undefined
    if (part.type !== 'thinking' || typeof name !== 'string') continue
    field ??= name
    text += part.text
  }
  return field === undefined ? undefined : { [field]: text }
}

/**
 * The metadata of a part to send back: all of it to the model that wrote it (`isOwn`), to others only what they share.
 */
function ownMetadata(
  metadata: ProviderMetadata | undefined,
  { metadataKey, shared }: PromptRules,
  isOwn: boolean,
): SharedV4ProviderOptions | undefined {
  const written = metadata?.[metadataKey]
  const own = isOwn ? written : written && shared?.(written)
  return own && ({ [metadataKey]: own } as SharedV4ProviderOptions)
}

function toolResult(
  message: ToolMessage,
  rules: PromptRules,
  canSend: (part: MediaPart) => boolean,
  isCaller: boolean,
): { result: LanguageModelV4ToolResultPart; following: UserPart[] } {
  const media = message.content.filter((part): part is MediaPart => part.type === 'media' && canSend(part))
  const text = resultText(message.content, canSend)
  const said =
    text ||
    (media.length > 0 ? `(${media.length === 1 ? 'one attachment' : `${media.length} attachments`})` : '(no output)')
  const base = {
    type: 'tool-result' as const,
    toolCallId: rules.callId(message.callId, isCaller),
    toolName: message.sentAs ?? message.name,
  }
  // A result with attachments cannot carry the protocol's error flag. The status is a separate line, so that the output
  // stays unchanged.
  const spoken =
    message.isError && (!rules.marksErrors || media.length > 0) && !STATES_STATUS.test(said)
      ? `[failed]\n${said}`
      : said
  const inResult = media.filter((part) => rules.imagesInResults && (!isPdf(part) || rules.pdf === 'everywhere'))
  const later = media.filter((part) => !inResult.includes(part))
  const names = later.map((part) => part.name ?? part.mediaType).join(', ')
  const value = later.length > 0 ? `${spoken}\n(The attachment follows in the next message: ${names})` : spoken
  const following: UserPart[] =
    later.length > 0 ? [{ type: 'text', text: `Attachment of the ${message.name} result: ${names}` }, ...later] : []
  if (inResult.length > 0)
    return {
      result: {
        ...base,
        output: { type: 'content', value: [{ type: 'text', text: value }, ...inResult.map(filePart)] },
      },
      following,
    }
  return {
    result: { ...base, output: { type: message.isError && rules.marksErrors ? 'error-text' : 'text', value } },
    following,
  }
}

function resultText(content: readonly ResultPart[], canSend: (part: MediaPart) => boolean): string {
  return content
    .flatMap((part) =>
      part.type === 'text' ? (part.text === '' ? [] : [part.text]) : canSend(part) ? [] : [notSent(part)],
    )
    .join('\n')
}
