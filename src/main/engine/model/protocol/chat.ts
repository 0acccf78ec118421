import { CodedError } from '../../../../shared/errors'
import type { ProviderMetadata, Usage } from '../../../../shared/model/turn/message'
import { fieldOf, isRecord, type JsonObject } from '../../../../shared/json-fields'
import { neededThinkingField, requestedThinking } from '../thinking'
import { chatThinking, isMistral, MISTRAL_RULES, moonshotSchema } from './chat-dialects'
import { ChatBodies } from './chat-bodies'
import type { AnswerPieces } from './event-stream'
import { chatCallId, type Inspector, type ModelProtocol, type ProtocolSettings } from './protocol'

const OPENAI_URL = 'https://api.openai.com/v1'
const MOONSHOT_URL = 'https://api.moonshot.ai/v1'

/**
 * OpenAI Chat Completions, which almost every server supports, and Moonshot's dialect of it. The compatible package is
 * used for both: unlike Moonshot's, it accepts `reasoning` as well as `reasoning_content`, can send back an empty one,
 * and accepts chunks with unknown fields.
 */
export async function chatProtocol(settings: ProtocolSettings, dialect: 'plain' | 'moonshot'): Promise<ModelProtocol> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const baseURL = settings.baseUrl ?? (dialect === 'moonshot' ? MOONSHOT_URL : OPENAI_URL)
  const isOpenAi = hostOf(baseURL) === 'api.openai.com'
  const isMistralHost = hostOf(baseURL) === 'api.mistral.ai'
  // These two renamed it for their thinking models; servers that copied the older protocol know only `max_tokens`.
  const renamesLimit = isOpenAi || dialect === 'moonshot'
  const type = dialect === 'moonshot' ? 'moonshot' : 'openai-compatible'
  const bodies = new ChatBodies()
  return {
    announcesStart: false,
    rules: {
      metadataKey: 'chat',
      imagesInResults: false,
      marksErrors: false,
      video: true,
      rawInput: true,
      cacheMarks: false,
      callId: chatCallId,
      thinking: 'message-field',
      // Thinking is sent back even if thinking is off now, so that the conversation stays as it was sent.
      thinkingReplay: (request) =>
        requestedThinking(type, request).thinks ? { neededField: neededThinkingField(request.model) } : {},
      isSigned: () => false,
      // Mistral's own server and others that serve its models validate conversations the same way.
      forModel: (model) => (isMistralHost || isMistral(model) ? MISTRAL_RULES : undefined),
    },
    readable: () => chatEvent,
    pieces: chatPieces,
    model: (id, fetch) =>
      createOpenAICompatible({
        name: 'chat',
        baseURL,
        apiKey: settings.key,
        fetch,
        // Mistral's server rejects the field, and always reports usage.
        includeUsage: !isMistralHost,
        transformRequestBody: (args) => {
          const body = bodies.withMarks(args)
          if (!renamesLimit || body['max_tokens'] === undefined) return body
          const { max_tokens: limit, ...rest } = body
          return { ...rest, max_completion_tokens: limit }
        },
      }).chatModel(id),
    options: (request) => ({
      includeRawChunks: true,
      // Options under the package's name are copied into the body.
      providerOptions: {
        chat: {
          ...((isOpenAi || dialect === 'moonshot') &&
            request.cacheKey !== undefined && { prompt_cache_key: request.cacheKey }),
          ...chatThinking(type, request),
        },
      },
    }),
    ...(dialect === 'moonshot' && { schema: (tool) => moonshotSchema(tool.schema) }),
    inspector: () => new ChatInspector(),
    shorten: (prompt, tools) => bodies.shorten(prompt, tools),
  }
}

class ChatInspector implements Inspector {
  usage: Usage | undefined
  #started = false
  #argumentChars = 0
  #thinkingField: 'reasoning_content' | 'reasoning' | undefined
  #thinkingChars = 0

  see(event: unknown): void {
    const choices = fieldOf(event, 'choices')
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
    const usage = fieldOf(event, 'usage') ?? fieldOf(choice, 'usage') ?? fieldOf(fieldOf(event, 'x_groq'), 'usage')
    if (typeof usage === 'object' && usage !== null) this.usage = usageOf(usage)
    const delta = fieldOf(choice, 'delta')
    if (typeof delta !== 'object' || delta === null) return
    if (!this.#started) {
      // The first delta names its author: if it doesn't, the start of the answer is missing.
      if (typeof fieldOf(delta, 'role') !== 'string')
        throw new CodedError('model.incomplete', 'The answer began in the middle: its first piece has no role.')
      this.#started = true
    }
    this.#seeThinking(delta)
    const calls = fieldOf(delta, 'tool_calls')
    if (!Array.isArray(calls)) return
    for (const call of calls) {
      const text = fieldOf(fieldOf(call, 'function'), 'arguments')
      if (typeof text === 'string') this.#argumentChars += text.length
    }
  }

  check(passedArguments: number): void {
    if (passedArguments !== this.#argumentChars) {
      throw new CodedError(
        'model.incomplete',
        'The server mixed up the arguments of several tool calls: it is not clear which belong to which.',
      )
    }
  }

  get thinkingMetadata(): ProviderMetadata | undefined {
    return this.#thinkingField && { chat: { field: this.#thinkingField } }
  }

  get emptyThinking(): boolean {
    return this.#thinkingField !== undefined && this.#thinkingChars === 0
  }

  #seeThinking(delta: object): void {
    for (const field of ['reasoning_content', 'reasoning'] as const) {
      const text = fieldOf(delta, field)
      if (typeof text !== 'string') continue
      this.#thinkingField ??= field
      this.#thinkingChars += text.length
    }
  }
}

function usageOf(usage: object): Usage {
  const input = tokens(usage, 'prompt_tokens')
  const cached =
    tokens(usage, 'cached_tokens') ||
    tokens(fieldOf(usage, 'prompt_tokens_details'), 'cached_tokens') ||
    tokens(usage, 'prompt_cache_hit_tokens')
  const thinking = tokens(fieldOf(usage, 'completion_tokens_details'), 'reasoning_tokens')
  return { input, output: tokens(usage, 'completion_tokens'), cached, thinking }
}

function tokens(holder: unknown, name: string): number {
  const value = fieldOf(holder, name)
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : ''
}

const DELTA = ['role', 'content', 'refusal', 'reasoning_content', 'reasoning', 'tool_calls']

/** An event of Chat Completions without unknown parts that the package would reject; undefined if nothing is left. */
function chatEvent(event: JsonObject): JsonObject | undefined {
  if (event['error'] !== undefined && event['error'] !== null) return event
  const { id, model, usage, choices, x_groq } = event
  const kept = Array.isArray(choices) ? choices.flatMap((choice: unknown) => choiceOf(choice)) : []
  if (kept.length === 0 && !isRecord(usage) && !isRecord(x_groq)) return undefined
  return {
    ...(typeof id === 'string' && { id }),
    ...(typeof model === 'string' && { model }),
    choices: kept,
    ...(isRecord(usage) && { usage }),
    ...(isRecord(x_groq) && { x_groq }),
  }
}

function choiceOf(choice: unknown): JsonObject[] {
  if (!isRecord(choice)) return []
  const { finish_reason: reason, usage } = choice
  const delta = deltaOf(choice['delta'])
  if (!delta && typeof reason !== 'string' && !isRecord(usage)) return []
  return [
    {
      ...(delta && { delta }),
      ...(typeof reason === 'string' && { finish_reason: reason }),
      ...(isRecord(usage) && { usage }),
    },
  ]
}

/** Undefined if it contains nothing known. */
function deltaOf(delta: unknown): JsonObject | undefined {
  if (!isRecord(delta)) return undefined
  const entries = DELTA.flatMap((name): [string, unknown][] => {
    const value = name === 'tool_calls' ? callsOf(delta[name]) : delta[name]
    return isReadable(name, value) ? [[name, name === 'role' && value !== '' ? 'assistant' : value]] : []
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

function callsOf(calls: unknown): unknown {
  if (!Array.isArray(calls)) return undefined
  const functions = calls.filter((call) => isRecord(call) && isRecord(call['function']))
  return functions.length === 0 ? undefined : functions
}

function isReadable(name: string, value: unknown): boolean {
  if (name === 'tool_calls') return value !== undefined
  if (typeof value === 'string') return true
  return (
    name === 'content' &&
    Array.isArray(value) &&
    value.every((part) => isRecord(part) && typeof part['type'] === 'string')
  )
}

const chatPieces: AnswerPieces = {
  of({ id, model, usage, choices, x_groq: more }) {
    if (usage !== undefined || more !== undefined || !Array.isArray(choices) || choices.length !== 1) return undefined
    const { delta, finish_reason: reason, usage: counts } = choices[0] as JsonObject
    if (reason !== undefined || counts !== undefined || !isRecord(delta)) return undefined
    const [field, ...others] = Object.keys(delta)
    const said = field && delta[field]
    if (others.length > 0 || field === 'role' || !(typeof said === 'string' || Array.isArray(said))) return undefined
    // Content in parts is a complete list and is not joined.
    if (Array.isArray(said) && field !== 'tool_calls') return undefined
    return { kind: `${field} ${String(id)} ${String(model)}`, said }
  },
  withAll(event, said) {
    const [{ delta }] = event['choices'] as [{ delta: JsonObject }]
    return { ...event, choices: [{ delta: { [Object.keys(delta)[0]!]: said } }] }
  },
}
