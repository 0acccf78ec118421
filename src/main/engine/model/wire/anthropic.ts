import type { ModelRequest } from '../provider'
import { plainCallId, type Wire, type WireSettings } from './wire'
import { withVersion } from './with-version'

/** What a model may write when the package does not know it and nothing is configured. */
const DEFAULT_MAX_OUTPUT = 32_000
/** Where so much is left, what the package takes for the longest answer of one of Anthropic's models fits. */
const CLAUDE_MAX_OUTPUT = 130_000
/** What the package reserves for thinking at most where it knows nothing of the model, and a little more. */
const LEAST_BUDGET = 2000

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
      rawInput: false,
      cacheMarks: true,
      callId: plainCallId,
      thinking: 'signed-parts',
      isSigned: (metadata) => typeof metadata['signature'] === 'string' || typeof metadata['redactedData'] === 'string',
    },
    model: (id, fetch) => createAnthropic({ baseURL, apiKey: settings.key, fetch }).messages(id),
    options: (request) => ({
      ...(request.thinking && { reasoning: 'medium' }),
      ...longestAnswer(request),
      // Without it the arguments of a long Write come in one burst after minutes of silence; other servers may not know the field.
      providerOptions: { anthropic: { toolStreaming: isOfficial } },
    }),
  }
}

/** The protocol demands a limit. The package adds the tokens of thinking to it, and knows those of Anthropic's models itself. */
function longestAnswer({ model, thinking, maxOutputTokens, answerRoom = Number.POSITIVE_INFINITY }: ModelRequest): {
  maxOutputTokens?: number
} {
  const own = thinking ? LEAST_BUDGET : 0
  if (maxOutputTokens !== undefined) return { maxOutputTokens: Math.max(LEAST_BUDGET, maxOutputTokens - own) }
  if (model.includes('claude-') && answerRoom > CLAUDE_MAX_OUTPUT) return {}
  return { maxOutputTokens: Math.max(LEAST_BUDGET, Math.min(DEFAULT_MAX_OUTPUT, answerRoom - own)) }
}
