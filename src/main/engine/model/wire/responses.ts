import { plainCallId, type Wire, type WireSettings } from './wire'

/** OpenAI Responses, stateless: nothing is stored there, so encrypted reasoning is asked for and sent back. */
export async function responsesWire(settings: WireSettings): Promise<Wire> {
  const { createOpenAI } = await import('@ai-sdk/openai')
  return {
    announcesStart: true,
    rules: {
      metadataKey: 'openai',
      imagesInResults: true,
      marksErrors: false,
      video: false,
      rawInput: true,
      cacheMarks: false,
      callId: plainCallId,
      thinking: 'signed-parts',
      // Without its encrypted content a reasoning item means nothing to a server that stored nothing.
      isSigned: (metadata) => typeof metadata['reasoningEncryptedContent'] === 'string',
    },
    model: (id, fetch) =>
      createOpenAI({ baseURL: settings.baseUrl ?? 'https://api.openai.com/v1', apiKey: settings.key, fetch }).responses(id),
    options: (request) => ({
      ...(request.thinking && { reasoning: 'medium' }),
      providerOptions: {
        openai: {
          store: false,
          // Every server understands it; OpenAI reads it as `developer` where that matters.
          systemMessageMode: 'system',
          ...(request.cacheKey !== undefined && { promptCacheKey: request.cacheKey }),
          ...(request.thinking && { forceReasoning: true, reasoningSummary: 'auto', include: ['reasoning.encrypted_content'] }),
        },
      },
    }),
  }
}
