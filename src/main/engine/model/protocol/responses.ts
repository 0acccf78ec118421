import { requestedThinking } from '../thinking'
import type { AnswerPieces } from './event-stream'
import { plainCallId, type ModelProtocol, type ProtocolSettings } from './protocol'
import { isRecord, type JsonObject } from '../../../../shared/json-fields'

const PROVIDER_TOOLS: ReadonlySet<string> = new Set([
  'tool_search',
  'computer',
  'shell',
  'local_shell',
  'apply_patch',
  'programmatic_tool_calling',
])

/** OpenAI Responses, stateless: nothing is stored there, so encrypted reasoning is requested and sent back. */
export async function responsesProtocol(settings: ProtocolSettings): Promise<ModelProtocol> {
  const { createOpenAI } = await import('@ai-sdk/openai')
  return {
    announcesStart: true,
    providerTools: PROVIDER_TOOLS,
    rules: {
      metadataKey: 'openai',
      imagesInResults: true,
      marksErrors: false,
      video: false,
      pdf: 'everywhere',
      rawInput: true,
      cacheMarks: false,
      callId: plainCallId,
      thinking: 'signed-parts',
      thinkingReplay: () => ({ losesStale: true }),
      // Item ids belong to the reasoning of the model that created them; whether a text was commentary or the final
      // answer is useful to all models.
      shared: ({ phase }) => (phase === undefined || phase === null ? undefined : { phase }),
      // Without its encrypted content, a reasoning item is useless to a server that stored nothing. One of the item's
      // parts has the content.
      isSigned: (metadata, all) =>
        all.some(
          (other) => other['itemId'] === metadata['itemId'] && typeof other['reasoningEncryptedContent'] === 'string',
        ),
    },
    readable: () => responsesEvent,
    pieces: responsesPieces,
    model: (id, fetch) =>
      createOpenAI({ baseURL: settings.baseUrl ?? 'https://api.openai.com/v1', apiKey: settings.key, fetch }).responses(
        id,
      ),
    options: (request) => {
      const { thinks, effort } = requestedThinking('openai-responses', request)
      return {
        providerOptions: {
          openai: {
            store: false,
            // Every server understands it; OpenAI treats it as `developer` where that matters.
            systemMessageMode: 'system',
            ...(request.cacheKey !== undefined && { promptCacheKey: request.cacheKey }),
            ...((thinks || effort !== undefined) && { forceReasoning: true }),
            ...(thinks && { reasoningSummary: 'auto', include: ['reasoning.encrypted_content'] }),
            ...(effort !== undefined && { reasoningEffort: effort }),
          },
        },
      }
    },
  }
}

const ITEMS: ReadonlySet<unknown> = new Set(['message', 'reasoning', 'function_call', 'custom_tool_call'])
const PHASES: ReadonlySet<unknown> = new Set(['commentary', 'final_answer'])

/** Sources and pieces of images and code: we don't request any, and their formats keep changing. */
const LEFT_OUT: ReadonlySet<unknown> = new Set([
  'response.output_text.annotation.added',
  'response.image_generation_call.partial_image',
  'response.code_interpreter_call_code.delta',
  'response.code_interpreter_call_code.done',
  'response.apply_patch_call_operation_diff.delta',
  'response.apply_patch_call_operation_diff.done',
])

/**
 * An event of OpenAI's Responses without unknown parts that the package would reject. The package itself ignores
 * unknown events.
 */
function responsesEvent(event: JsonObject): JsonObject | undefined {
  const { type, item } = event
  if (typeof type !== 'string') return isRecord(event['error']) ? event : undefined
  if (LEFT_OUT.has(type)) return undefined
  if (type !== 'response.output_item.added' && type !== 'response.output_item.done') return event
  if (!isRecord(item) || !ITEMS.has(item['type'])) return undefined
  const { phase, ...rest } = item
  return phase === undefined || phase === null || PHASES.has(phase) ? event : { ...event, item: rest }
}

const TEXT_DELTAS: ReadonlySet<unknown> = new Set([
  'response.output_text.delta',
  'response.reasoning_summary_text.delta',
  'response.function_call_arguments.delta',
])
/** Where a piece belongs. */
const PLACES = ['item_id', 'output_index', 'content_index', 'summary_index']

const responsesPieces: AnswerPieces = {
  of(event) {
    const { type, delta: said, logprobs } = event
    if (!TEXT_DELTAS.has(type) || typeof said !== 'string') return undefined
    if (Array.isArray(logprobs) && logprobs.length > 0) return undefined
    return { kind: [type, ...PLACES.map((name) => event[name])].join(' '), said }
  },
  withAll: (event, said) => ({ ...event, delta: said }),
}
