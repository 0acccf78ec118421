import { CodedError } from '../../../../shared/model/errors'
import type { ProviderMetadata, Usage } from '../../../../shared/model/message'
import { fieldOf } from '../field-of'
import { neededThinkingField } from '../thinking/model-family'
import { askedThinking } from '../thinking/thinking-facts'
import { ChatBodies } from './chat-bodies'
import { chatThinking } from './chat-thinking'
import { moonshotSchema } from './moonshot'
import type { Inspector, Wire, WireSettings } from './wire'
import { chatEvent } from './chat-events'

const OPENAI_URL = 'https://api.openai.com/v1'
const MOONSHOT_URL = 'https://api.moonshot.ai/v1'

/**
 * OpenAI Chat Completions, as almost every server speaks it, and Moonshot's dialect of it. The compatible package is used for both: unlike the
 * one for Moonshot it accepts `reasoning` beside `reasoning_content`, lets an empty one go back, and does not refuse chunks with fields it does not know.
 */
export async function chatWire(settings: WireSettings, dialect: 'plain' | 'moonshot'): Promise<Wire> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const baseURL = settings.baseUrl ?? (dialect === 'moonshot' ? MOONSHOT_URL : OPENAI_URL)
  const isOpenAi = hostOf(baseURL) === 'api.openai.com'
  // These two name it differently since their models think; servers that copied the older protocol know only `max_tokens`.
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
      // Kimi's ids (`functions.Read:0`) have to go back as they came.
      callId: (id) => id,
      thinking: 'message-field',
      // What was thought goes back also where thinking is off now: the conversation stays as it was sent.
      thinkingBack: (request) => (askedThinking(type, request).thinks ? { neededField: neededThinkingField(request.model) } : {}),
      isSigned: () => false,
    },
    readable: () => chatEvent,
    model: (id, fetch) =>
      createOpenAICompatible({
        name: 'chat',
        baseURL,
        apiKey: settings.key,
        fetch,
        includeUsage: true,
        transformRequestBody: (args) => {
          const body = bodies.withoutMessages(args)
          if (!renamesLimit || body['max_tokens'] === undefined) return body
          const { max_tokens: limit, ...rest } = body
          return { ...rest, max_completion_tokens: limit }
        },
      }).chatModel(id),
    options: (request) => ({
      includeRawChunks: true,
      // What stands under the package's name goes into the body as it is.
      providerOptions: {
        chat: {
          ...((isOpenAi || dialect === 'moonshot') && request.cacheKey !== undefined && { prompt_cache_key: request.cacheKey }),
          ...chatThinking(type, request),
        },
      },
    }),
    ...(dialect === 'moonshot' && { schema: (tool) => moonshotSchema(tool.schema) }),
    inspector: () => new ChatInspector(),
    shorten: (prompt) => bodies.shorten(prompt),
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
      // The first delta names its author: without it the beginning of the answer is missing.
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
