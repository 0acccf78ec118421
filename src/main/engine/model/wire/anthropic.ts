import { plainCallId, type Wire, type WireSettings } from './wire'
import { withVersion } from './with-version'

/** What a model may write when the package does not know it and nothing is configured. */
const DEFAULT_MAX_OUTPUT = 32_000

/** Anthropic Messages. */
export async function anthropicWire(settings: WireSettings): Promise<Wire> {
  const { createAnthropic } = await import('@ai-sdk/anthropic')
  const baseURL = withVersion(settings.baseUrl ?? 'https://api.anthropic.com', 'v1')
  const isOfficial = baseURL.startsWith('https://api.anthropic.com/')
  return {
    announcesStart: true,
    rules: {
      metadataKey: 'anthropic',
      imagesInResults: true,
      marksErrors: true,
      video: false,
      pdf: 'everywhere',
      rawInput: false,
      cacheMarks: true,
      callId: plainCallId,
      thinking: 'signed-parts',
      isSigned: (metadata) => typeof metadata['signature'] === 'string' || typeof metadata['redactedData'] === 'string',
    },
    model: (id, fetch) => createAnthropic({ baseURL, apiKey: settings.key, fetch }).messages(id),
    options: (request) => ({
      ...(request.thinking && { reasoning: 'medium' }),
      ...(request.maxOutputTokens === undefined && !request.model.includes('claude-') && { maxOutputTokens: DEFAULT_MAX_OUTPUT }),
      // Without it the arguments of a long Write come in one burst after minutes of silence; other servers may not know the field.
      providerOptions: { anthropic: { toolStreaming: isOfficial } },
    }),
  }
}
