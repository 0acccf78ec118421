import type { GoogleLanguageModelOptions } from '@ai-sdk/google'
import type { Effort } from '../../../../shared/model/turn/effort'
import type { ModelRequest } from '../provider'
import { requestedThinking } from '../thinking'
import type { AnswerPieces } from './event-stream'
import { type ModelProtocol, type ProtocolSettings, withVersion } from './protocol'
import { isRecord, type JsonObject } from '../../../../shared/json-fields'

/** Google Gemini (`streamGenerateContent`). */
export async function googleProtocol(settings: ProtocolSettings): Promise<ModelProtocol> {
  const { createGoogle } = await import('@ai-sdk/google')
  const baseURL = withVersion(settings.baseUrl ?? 'https://generativelanguage.googleapis.com', 'v1beta')
  return {
    announcesStart: false,
    rules: {
      metadataKey: 'google',
      imagesInResults: true,
      marksErrors: true,
      video: true,
      // Only the newest models accept documents in results.
      pdf: 'prompts',
      rawInput: false,
      cacheMarks: false,
      callId: (id) => id,
      thinking: 'signed-parts',
      // The package replaces a signature that is not sent back with the documented placeholder.
      thinkingReplay: () => ({ losesStale: true }),
      isSigned: (metadata) => typeof metadata['thoughtSignature'] === 'string',
    },
    readable: () => googleEvent,
    pieces: googlePieces,
    model: (id, fetch) => createGoogle({ baseURL, apiKey: settings.key, fetch }).languageModel(id),
    options: (request) => {
      const thinkingConfig = thinkingOf(request)
      return { providerOptions: { google: thinkingConfig ? { thinkingConfig } : {} } }
    },
  }
}

/** Tokens of thinking for models that use budgets instead of levels. */
const BUDGETS: Readonly<Partial<Record<Effort, number>>> = { none: 0, low: 4096, medium: 10_240, high: 24_576 }

function thinkingOf(request: ModelRequest): GoogleLanguageModelOptions['thinkingConfig'] {
  const { control, effort, thinks } = requestedThinking('google', request)
  if (control === 'budget' && effort !== undefined)
    return { ...(thinks && { includeThoughts: true }), thinkingBudget: BUDGETS[effort] ?? BUDGETS.high }
  const level =
    control === 'effort' && effort !== undefined && effort !== 'none' && effort !== 'max'
      ? { thinkingLevel: effort }
      : {}
  return thinks ? { includeThoughts: true, ...level } : undefined
}

/** An event of Gemini without unknown parts that the package would reject; undefined if nothing is left. */
function googleEvent(event: JsonObject): JsonObject | undefined {
  if (isRecord(event['error'])) return event
  const { responseId, candidates, usageMetadata, promptFeedback } = event
  const kept = Array.isArray(candidates) ? candidates.filter(isRecord).map(candidateOf) : undefined
  const blocked = isRecord(promptFeedback) ? promptFeedback['blockReason'] : undefined
  if (!kept && !isRecord(usageMetadata) && typeof blocked !== 'string') return undefined
  return {
    ...(typeof responseId === 'string' && { responseId }),
    ...(kept && { candidates: kept }),
    ...(isRecord(usageMetadata) && { usageMetadata: countsOf(usageMetadata) }),
    ...(typeof blocked === 'string' && { promptFeedback: { blockReason: blocked } }),
  }
}

/** Ratings, grounding and other data about an answer are not used here, and vary in form. */
function candidateOf({ content, finishReason, finishMessage, continuationToken }: JsonObject): JsonObject {
  const parts = isRecord(content) && Array.isArray(content['parts']) ? content['parts'].filter(isKnownPart) : undefined
  return {
    ...(parts && { content: { parts } }),
    ...(typeof finishReason === 'string' && { finishReason }),
    ...(typeof finishMessage === 'string' && { finishMessage }),
    ...(typeof continuationToken === 'string' && { continuationToken }),
  }
}

function isKnownPart(part: unknown): boolean {
  if (!isRecord(part)) return false
  if ('functionCall' in part) return isRecord(part['functionCall'])
  return (
    typeof part['text'] === 'string' || (typeof part['thoughtSignature'] === 'string' && Object.keys(part).length === 1)
  )
}

/** Keeps only the counts themselves, which are numbers; the details by kind of content change often. */
function countsOf(usage: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => typeof value === 'number'))
}

/** A piece is one part of one candidate. Its counts are cumulative, so those of the last piece are kept. */
const googlePieces: AnswerPieces = {
  of({ responseId, candidates, usageMetadata, promptFeedback }) {
    if (promptFeedback !== undefined || !Array.isArray(candidates) || candidates.length !== 1) return undefined
    const [{ content, ...more }] = candidates as [JsonObject]
    const parts = isRecord(content) ? content['parts'] : undefined
    if (Object.keys(more).length > 0 || !Array.isArray(parts) || parts.length !== 1) return undefined
    const { text: said, thought, ...others } = parts[0] as JsonObject
    if (typeof said !== 'string' || said === '' || Object.keys(others).length > 0) return undefined
    return { kind: `${thought === true} ${usageMetadata !== undefined} ${String(responseId)}`, said }
  },
  withAll(event, text) {
    const [{ content }] = event['candidates'] as [{ content: { parts: [JsonObject] } }]
    return { ...event, candidates: [{ content: { parts: [{ ...content.parts[0], text }] } }] }
  },
}
