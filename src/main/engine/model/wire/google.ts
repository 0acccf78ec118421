import type { Wire, WireSettings } from './wire'
import { withVersion } from './with-version'

/** Google Gemini (`streamGenerateContent`). */
export async function googleWire(settings: WireSettings): Promise<Wire> {
  const { createGoogle } = await import('@ai-sdk/google')
  const baseURL = withVersion(settings.baseUrl ?? 'https://generativelanguage.googleapis.com', 'v1beta')
  return {
    announcesStart: false,
    rules: {
      metadataKey: 'google',
      imagesInResults: true,
      marksErrors: true,
      video: true,
      // Only the newest models take documents in results.
      pdf: 'prompts',
      rawInput: false,
      cacheMarks: false,
      callId: (id) => id,
      thinking: 'signed-parts',
      isSigned: (metadata) => typeof metadata['thoughtSignature'] === 'string',
    },
    model: (id, fetch) => createGoogle({ baseURL, apiKey: settings.key, fetch }).languageModel(id),
    options: (request) => ({
      providerOptions: { google: request.thinking ? { thinkingConfig: { includeThoughts: true } } : {} },
    }),
  }
}
