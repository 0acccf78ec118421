import { askedThinking } from '../thinking/thinking-facts'
import { plainCallId, type Wire, type WireSettings } from './wire'
import { responsesEvent } from './responses-events'

const PROVIDER_TOOLS: ReadonlySet<string> = new Set([
  'tool_search',
  'computer',
  'shell',
  'local_shell',
  'apply_patch',
  'programmatic_tool_calling',
])

/** OpenAI Responses, stateless: nothing is stored there, so encrypted reasoning is asked for and sent back. */
export async function responsesWire(settings: WireSettings): Promise<Wire> {
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
      thinkingBack: () => ({}),
      // Item ids belong to the reasoning of the model that made them; whether a text was the answer or said on the way is good for all.
      shared: ({ phase }) => (phase === undefined || phase === null ? undefined : { phase }),
      // Without its encrypted content a reasoning item means nothing to a server that stored nothing. The content comes with one of the item's parts.
      isSigned: (metadata, all) =>
        all.some((other) => other['itemId'] === metadata['itemId'] && typeof other['reasoningEncryptedContent'] === 'string'),
    },
    readable: () => responsesEvent,
    model: (id, fetch) =>
      createOpenAI({ baseURL: settings.baseUrl ?? 'https://api.openai.com/v1', apiKey: settings.key, fetch }).responses(id),
    options: (request) => {
      const { thinks, effort } = askedThinking('openai-responses', request)
      return {
        providerOptions: {
          openai: {
            store: false,
            // Every server understands it; OpenAI reads it as `developer` where that matters.
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
