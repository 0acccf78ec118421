import { type ProtocolName, providerFacts } from '../../../../shared/configuration/provider-types'
import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { z } from 'zod'
import type { ProviderSettings } from '../../config/settings/settings'
import { ChunkMapper } from './chunk-mapper'
import { modelError } from '../errors/model-errors'
import { httpFetch, type Fetch } from '../../network/http-fetch'
import { modelFetch, type RequestHooks } from './model-fetch'
import { buildPrompt, cacheMark, type PromptPieces } from './prompt'
import type { ModelChunk, ModelRequest, Provider } from '../provider'
import type { ModelProtocol, ProtocolSettings } from '../protocol/protocol'

/** How long reading the rest of a finished stream can take before its connection is dropped instead of reused. */
const DRAIN_LIMIT_MS = 1000

/**
 * A provider over the AI SDK package of its protocol, which is loaded on demand to keep startup fast. Calls the
 * package's model object directly, so the package doesn't retry, repair or limit anything without the loop knowing.
 */
export async function createProvider(
  settings: ProviderSettings,
  options: { key?: string | undefined; fetch?: Fetch } = {},
): Promise<Provider> {
  const key = options.key ?? ''
  const headers = settings.headers ?? {}
  const secrets = [key, ...Object.values(headers)].filter((secret) => secret !== '')
  // The packages check each event of an answer with zod. Compiling their schemas would add 4 ms to the first answer and
  // gain nothing even over 20,000 events.
  z.config({ jitless: true })
  const wire = await PROTOCOLS[providerFacts(settings.type).protocol]({
    baseUrl: settings.baseUrl?.replace(/\/+$/, ''),
    key,
  })
  const hooks = new WeakMap<AbortSignal, RequestHooks>()
  const fetch = modelFetch({
    fetch: options.fetch ?? httpFetch,
    headers,
    secrets,
    hooks,
    readable: () => wire.readable(),
    pieces: wire.pieces,
  })
  // Cached, because the packages build their response schemas for each model object: 0.2 ms.
  const models = new Map<string, LanguageModelV4>()
  const modelOf = (id: string): LanguageModelV4 => {
    const model = models.get(id) ?? wire.model(id, fetch)
    models.set(id, model)
    return model
  }
  const context: RequestContext = { protocol: wire, modelOf, hooks, pieces: new WeakMap(), secrets }
  return { stream: (request, signal) => chunksOf(context, request, signal) }
}

/** What all requests of a provider share. */
interface RequestContext {
  protocol: ModelProtocol
  modelOf(id: string): LanguageModelV4
  hooks: WeakMap<AbortSignal, RequestHooks>
  pieces: PromptPieces
  secrets: readonly string[]
}

const PROTOCOLS: Readonly<Record<ProtocolName, (settings: ProtocolSettings) => Promise<ModelProtocol>>> = {
  chat: async (settings) => (await import('../protocol/chat')).chatProtocol(settings, 'plain'),
  moonshot: async (settings) => (await import('../protocol/chat')).chatProtocol(settings, 'moonshot'),
  responses: async (settings) => (await import('../protocol/responses')).responsesProtocol(settings),
  anthropic: async (settings) => (await import('../protocol/anthropic')).anthropicProtocol(settings),
  google: async (settings) => (await import('../protocol/google')).googleProtocol(settings),
}

async function* chunksOf(
  context: RequestContext,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelChunk> {
  const { protocol: wire, secrets } = context
  signal.throwIfAborted()
  // A separate controller, so that leaving this generator in any way closes the connection, even if a package keeps
  // reading in the background.
  const connection = new AbortController()
  const abort = (): void => connection.abort(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  let reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | undefined
  const mapper = new ChunkMapper(
    wire,
    request.tools.map((tool) => tool.name),
    secrets,
  )
  try {
    reader = (await opened(context, request, connection.signal)).getReader()
    const out: ModelChunk[] = []
    while (!mapper.finished) {
      const { done, value } = await read(reader, signal, secrets)
      signal.throwIfAborted()
      if (done) mapper.end()
      else mapper.add(value, out)
      for (const chunk of out) yield chunk
      out.length = 0
    }
  } finally {
    signal.removeEventListener('abort', abort)
    if (reader && mapper.finished && !signal.aborted) void drain(reader, connection)
    else connection.abort()
  }
}

async function opened(
  { protocol: wire, modelOf, hooks, pieces, secrets }: RequestContext,
  request: ModelRequest,
  abortSignal: AbortSignal,
): Promise<ReadableStream<LanguageModelV4StreamPart>> {
  const whole = buildPrompt(request, wire.rules, pieces)
  const short = wire.shorten?.(whole, request.tools)
  hooks.set(abortSignal, {
    alive: request.alive,
    sent: request.sent,
    complete: short && ((body) => short.complete(body)),
  })
  const common = {
    prompt: short?.prompt ?? whole,
    abortSignal,
    ...(request.maxOutputTokens !== undefined && { maxOutputTokens: request.maxOutputTokens }),
    ...(request.tools.length > 0 && { tools: toolsOf(wire, request) }),
    ...(request.tools.length > 0 && request.toolChoice === 'none' && { toolChoice: { type: 'none' as const } }),
  }
  try {
    return (await modelOf(request.model).doStream({ ...common, ...wire.options(request) })).stream
  } catch (error) {
    if (abortSignal.aborted) throw abortSignal.reason
    throw modelError(error, secrets)
  }
}

function toolsOf(wire: ModelProtocol, request: ModelRequest) {
  return request.tools.map((tool, index) => ({
    type: 'function' as const,
    name: tool.name,
    description: tool.description,
    inputSchema: wire.schema?.(tool) ?? tool.schema,
    // Tools come first in the cached prefix, so a mark on the last tool covers all of them.
    ...(wire.rules.cacheMarks && index === request.tools.length - 1 && cacheMark(request)),
  }))
}

async function read(
  reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>,
  signal: AbortSignal,
  secrets: readonly string[],
) {
  try {
    return await reader.read()
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw modelError(error, secrets)
  }
}

/**
 * Reads what follows the end marker, so that the connection can be reused; drops the connection if that takes too long.
 */
async function drain(
  reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>,
  connection: AbortController,
): Promise<void> {
  const timer = setTimeout(() => connection.abort(), DRAIN_LIMIT_MS)
  timer.unref()
  try {
    while (!(await reader.read()).done);
  } catch {
    // The answer was complete, so a failure of its connection doesn't matter.
  } finally {
    clearTimeout(timer)
  }
}
