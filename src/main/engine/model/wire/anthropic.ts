import type { Message } from '../../../../shared/model/message'
import { beginsWithThinking } from '../thinking/kept-thinking'
import { askedThinking } from '../thinking/thinking-facts'
import { anthropicThinking } from './anthropic-thinking'
import { plainCallId, type PromptRules, type Wire, type WireSettings } from './wire'
import { withVersion } from './with-version'
import { anthropicEvents } from './anthropic-events'

/** Anthropic Messages. */
export async function anthropicWire(settings: WireSettings): Promise<Wire> {
  const { createAnthropic } = await import('@ai-sdk/anthropic')
  const baseURL = withVersion(settings.baseUrl ?? 'https://api.anthropic.com', 'v1')
  const isOfficial = baseURL.startsWith('https://api.anthropic.com/')
  const rules: PromptRules = {
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
    thinkingBack: (request) => askedThinking('anthropic', request),
  }
  return {
    announcesStart: true,
    rules,
    readable: anthropicEvents,
    model: (id, fetch) => createAnthropic({ baseURL, apiKey: settings.key, fetch }).messages(id),
    options: (request) => {
      const isProven = (message: Message): boolean => beginsWithThinking(message, request, rules)
      const { options, maxOutputTokens } = anthropicThinking(request, isProven)
      return {
        ...(maxOutputTokens !== undefined && { maxOutputTokens }),
        // Without it the arguments of a long Write come in one burst after minutes of silence; other servers may not know the field.
        providerOptions: { anthropic: { toolStreaming: isOfficial, ...options } },
      }
    },
  }
}
