import { CodedError, failureOf } from '../../../../shared/errors'
import { EFFORTS, type Effort } from '../../../../shared/model/turn/effort'
import type { ClientModel, ModelCallPush } from '../../../../shared/model/place/client-model'
import type { Catalog } from '../../model/catalog/catalog'
import type { Message } from '../../../../shared/model/turn/message'
import type { ModelChunk, ModelRequest, ToolSchema } from '../../model/provider'
import type { WireLink } from '../remote/wire-link'

/** Maximum number of concurrent calls for one place. */
const MAX_CALLS = 16
/** Maximum number of chunks in one message. */
const MAX_CHUNKS = 1000

export interface ServeModelsDeps {
  catalog: Pick<Catalog, 'list' | 'resolve' | 'defaultModel'>
  /** The model for small work, if it is set. */
  smallModel(): string | undefined
  log(message: string): void
  /** Also offers models that this engine itself gets from its client. */
  passesOn?: boolean
}

/**
 * Makes the model calls of a place while the connection lasts, so that keys stay on this machine. The place can choose
 * among the user's models and gets their answers, nothing else.
 */
export async function serveModels(
  link: WireLink,
  { catalog, smallModel, log, passesOn = false }: ServeModelsDeps,
  signal: AbortSignal,
): Promise<void> {
  const models = catalog.list().flatMap((info): ClientModel[] =>
    info.scripted || (info.origin === 'client' && !passesOn)
      ? []
      : [
          {
            id: info.id,
            label: info.label,
            contextWindow: info.contextWindow,
            ...(info.maxOutputTokens !== undefined && { maxOutputTokens: info.maxOutputTokens }),
            toolCalls: info.toolCalls,
            imagesIn: info.imagesIn,
            thinking: info.thinking,
            ...(info.traits && { traits: { ...info.traits } }),
          },
        ],
  )
  if (models.length === 0) return
  const offered = new Set(models.map(({ id }) => id))
  const [defaultModel, small] = [catalog.defaultModel(), smallModel()]
  const running = new Map<string, AbortController>()
  const pushes = link.subscribe(
    'place.serveModels',
    {
      models,
      ...(defaultModel !== undefined && offered.has(defaultModel) && { defaultModel }),
      ...(small !== undefined && offered.has(small) && { smallModel: small }),
    },
    signal,
  )
  const answer = async ({ callId, modelId, request }: Extract<ModelCallPush, { type: 'call' }>): Promise<void> => {
    const controller = new AbortController()
    running.set(callId, controller)
    try {
      if (!offered.has(modelId)) throw new CodedError('model.not_found', `The model "${modelId}" was not offered.`)
      const { info, provider } = await catalog.resolve(modelId)
      const chunks = provider.stream(requestFor(request, info), controller.signal)
      await sendChunks(link, callId, chunks)
    } catch (error) {
      if (controller.signal.aborted || link.reason) return
      await link
        .call('place.modelReply', { callId, chunks: [], failure: { ...failureOf(error) } })
        .catch(() => undefined)
    } finally {
      running.delete(callId)
    }
  }
  try {
    for await (const push of pushes) {
      const call = push as { type?: unknown; callId?: unknown; modelId?: unknown; request?: unknown }
      if (typeof call.callId !== 'string') continue
      if (call.type === 'cancel') running.get(call.callId)?.abort()
      else if (
        typeof call.modelId === 'string' &&
        typeof call.request === 'object' &&
        call.request !== null &&
        !running.has(call.callId)
      ) {
        if (running.size < MAX_CALLS) void answer(call as Extract<ModelCallPush, { type: 'call' }>)
        else
          void link
            .call('place.modelReply', {
              callId: call.callId,
              chunks: [],
              failure: new CodedError(
                'model.rate_limited',
                `At most ${MAX_CALLS} calls of a place can run at the same time.`,
              ).failure,
            })
            .catch(() => undefined)
      }
    }
  } catch (error) {
    // An older engine there has only its own models.
    if (!(error instanceof CodedError && ['connection.lost', 'request.invalid'].includes(error.code)))
      log(`model calls of a place: ${failureOf(error).message}`)
  } finally {
    for (const controller of running.values()) controller.abort()
  }
}

/** Sends chunks as they arrive; while a message is being sent, collects further chunks for the next one. */
async function sendChunks(link: WireLink, callId: string, chunks: AsyncIterable<ModelChunk>): Promise<void> {
  let waiting: ModelChunk[] = []
  let isOver = false as boolean
  let failure: unknown
  let waker: (() => void) | undefined
  const wake = (): void => waker?.()
  const reading = (async () => {
    try {
      for await (const chunk of chunks) {
        waiting.push(chunk)
        wake()
      }
    } catch (error) {
      failure = error
    }
    isOver = true
    wake()
  })()
  for (;;) {
    if (waiting.length === 0 && !isOver) await new Promise<void>((resolve) => (waker = resolve))
    const part = waiting.slice(0, MAX_CHUNKS)
    waiting = waiting.slice(part.length)
    const isLast = isOver && waiting.length === 0
    await link.call('place.modelReply', {
      callId,
      chunks: part,
      ...(isLast && (failure === undefined ? { done: true } : { failure: failureOf(failure) })),
    })
    if (isLast) break
  }
  await reading
}

/** The request for our own provider: only its text and tools come from the place. */
function requestFor(
  given: Record<string, unknown>,
  info: Awaited<ReturnType<Catalog['resolve']>>['info'],
): ModelRequest {
  const { system, messages, tools, toolChoice, cache, purpose, isOneOff, cacheKey, effort } = given
  const { maxOutputTokens, availableOutputTokens, thinking } = given
  return {
    model: info.model,
    modelId: info.id,
    system: typeof system === 'string' ? system : '',
    messages: Array.isArray(messages) ? (messages as Message[]) : [],
    tools: Array.isArray(tools) ? (tools as ToolSchema[]) : [],
    imagesIn: info.imagesIn,
    thinking: info.thinking && thinking === true,
    ...(info.traits && { traits: info.traits }),
    ...(isEffort(effort) && { effort }),
    ...(typeof maxOutputTokens === 'number' && { maxOutputTokens }),
    ...(typeof availableOutputTokens === 'number' && { availableOutputTokens }),
    ...(toolChoice === 'none' && { toolChoice: 'none' as const }),
    ...(isCache(cache) && { cache }),
    ...(purpose === 'summary' && { purpose: 'summary' as const }),
    ...(isOneOff === true && { isOneOff: true as const }),
    ...(typeof cacheKey === 'string' && { cacheKey }),
  }
}

function isCache(value: unknown): value is 'none' | 'short' | 'long' {
  return value === 'none' || value === 'short' || value === 'long'
}

function isEffort(value: unknown): value is Effort {
  return EFFORTS.some((effort) => effort === value)
}
