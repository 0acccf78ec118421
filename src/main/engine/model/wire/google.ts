import type { GoogleLanguageModelOptions } from '@ai-sdk/google'
import type { Effort } from '../../../../shared/model/effort'
import type { ModelRequest } from '../provider'
import { askedThinking } from '../thinking/thinking-facts'
import type { Wire, WireSettings } from './wire'
import { withVersion } from './with-version'
import { googleEvent } from './google-events'

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
      // The package puts the documented value in place of a signature that another model would have had to give.
      thinkingBack: () => ({}),
      isSigned: (metadata) => typeof metadata['thoughtSignature'] === 'string',
    },
    readable: () => googleEvent,
    model: (id, fetch) => createGoogle({ baseURL, apiKey: settings.key, fetch }).languageModel(id),
    options: (request) => {
      const thinkingConfig = thinkingOf(request)
      return { providerOptions: { google: thinkingConfig ? { thinkingConfig } : {} } }
    },
  }
}

/** Tokens of thinking for models that know budgets instead of levels. */
const BUDGETS: Readonly<Partial<Record<Effort, number>>> = { none: 0, low: 4096, medium: 10_240, high: 24_576 }

function thinkingOf(request: ModelRequest): GoogleLanguageModelOptions['thinkingConfig'] {
  const { control, effort, thinks } = askedThinking('google', request)
  if (control === 'budget' && effort !== undefined)
    return { ...(thinks && { includeThoughts: true }), thinkingBudget: BUDGETS[effort] ?? BUDGETS.high }
  const level = control === 'effort' && effort !== undefined && effort !== 'none' && effort !== 'max' ? { thinkingLevel: effort } : {}
  return thinks ? { includeThoughts: true, ...level } : undefined
}
