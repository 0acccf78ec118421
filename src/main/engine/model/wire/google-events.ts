import { isFields, type Fields } from '../field-of'

/** An event of Gemini without what the package refuses because it does not know it; undefined when nothing is left. */
export function googleEvent(event: Fields): Fields | undefined {
  if (isFields(event['error'])) return event
  const { responseId, candidates, usageMetadata, promptFeedback } = event
  const kept = Array.isArray(candidates) ? candidates.filter(isFields).map(candidateOf) : undefined
  const blocked = isFields(promptFeedback) ? promptFeedback['blockReason'] : undefined
  if (!kept && !isFields(usageMetadata) && typeof blocked !== 'string') return undefined
  return {
    ...(typeof responseId === 'string' && { responseId }),
    ...(kept && { candidates: kept }),
    ...(isFields(usageMetadata) && { usageMetadata: countsOf(usageMetadata) }),
    ...(typeof blocked === 'string' && { promptFeedback: { blockReason: blocked } }),
  }
}

/** Ratings, grounding and what else stands beside an answer is of no use here, and takes many forms. */
function candidateOf({ content, finishReason, finishMessage, continuationToken }: Fields): Fields {
  const parts = isFields(content) && Array.isArray(content['parts']) ? content['parts'].filter(isKnownPart) : undefined
  return {
    ...(parts && { content: { parts } }),
    ...(typeof finishReason === 'string' && { finishReason }),
    ...(typeof finishMessage === 'string' && { finishMessage }),
    ...(typeof continuationToken === 'string' && { continuationToken }),
  }
}

function isKnownPart(part: unknown): boolean {
  if (!isFields(part)) return false
  if ('functionCall' in part) return isFields(part['functionCall'])
  return typeof part['text'] === 'string' || (typeof part['thoughtSignature'] === 'string' && Object.keys(part).length === 1)
}

/** Details by kind of content come and go; the counts themselves are numbers. */
function countsOf(usage: Fields): Fields {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => typeof value === 'number'))
}
