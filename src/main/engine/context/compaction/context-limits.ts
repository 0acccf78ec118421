import type { ModelInfo } from '../../model/provider'

/**
 * Share of the window at which old results are trimmed. The higher it is, the less often a trim is needed and paid for.
 */
const TRIM_THRESHOLD = 0.96
/**
 * The compaction threshold: above it, the conversation is compacted if trimming results would not be enough. The
 * summary must fit in the rest.
 */
const COMPACTION_THRESHOLD = 0.88
/**
 * Share of the window still in use after a trim: a conversation never goes below 60%, and the rest allows for
 * estimation errors.
 */
const TRIM_TARGET = 0.615
/**
 * If estimates have been off, this part of the error is added to the target, up to the second number.
 */
const [PART_OF_ERROR, MAX_FOR_ERROR] = [0.35, 0.035]
/**
 * A trim invalidates the provider's cache, so it must free at least this share of the range between threshold and
 * target.
 */
const MIN_TRIM_SHARE = 0.6
/**
 * Share of the window to reserve for an answer (at least `MIN_OUTPUT_TOKENS`, but no more than the model can write),
 * and the maximum share for small windows.
 */
const [MIN_RESERVE, MAX_RESERVE] = [0.04, 0.25]
/** If a provider's input limit is below the window, the limit counts as this share of a smaller window. */
const INPUT_SHARE = 0.97
/** Minimum tokens for a useful answer. */
const MIN_OUTPUT_TOKENS = 4000
/** Tokens of conversation that are always sent; with a tiny window, the provider decides. */
const MIN_CONVERSATION_TOKENS = 2000

/** How far a window is filled and emptied, in tokens. */
export interface ContextLimits {
  /** The model's effective window. */
  window: number
  /** At this size, space is freed. */
  trimThreshold: number
  /** The compaction threshold: at this size, the conversation is compacted if a trim is not enough. */
  compactionThreshold: number
  /** Target size of a trim. */
  trimTarget: number
  /** A trim that leaves more than this is not worthwhile; the conversation is compacted instead. */
  enough: number
  /** Never exceeded, even if space was freed just before. */
  hardLimit: number
}

/** The properties of a model that determine how far its window is filled. */
export type WindowUse = Pick<ModelInfo, 'maxOutputTokens' | 'traits'>

/**
 * Computes the limits. `fixed`: tokens of instructions and tools; `error`: average relative error of estimates.
 */
export function contextLimits(
  whole: number,
  { maxOutputTokens, traits: { inputLimit = whole } = {} }: WindowUse,
  fixed: number,
  error = 0,
): ContextLimits {
  // The rest is for the answer alone.
  const window = Math.min(whole, inputLimit / INPUT_SHARE)
  const wanted = Math.max(MIN_OUTPUT_TOKENS, window * MIN_RESERVE)
  const reserve = Math.min(maxOutputTokens ?? wanted, wanted, window * MAX_RESERVE)
  const full = Math.min(
    window * TRIM_THRESHOLD,
    window - reserve,
    availableTokens(window) - Math.min(reserve, MIN_OUTPUT_TOKENS),
  )
  const trimThreshold = Math.max(fixed + MIN_CONVERSATION_TOKENS, full)
  const target = TRIM_TARGET + Math.min(error * PART_OF_ERROR, MAX_FOR_ERROR)
  const trimTarget = Math.min(window * target, trimThreshold * 0.9)
  return {
    window,
    trimThreshold,
    compactionThreshold: Math.min(window * COMPACTION_THRESHOLD, trimThreshold),
    trimTarget,
    enough: trimThreshold - (trimThreshold - trimTarget) * MIN_TRIM_SHARE,
    hardLimit: Math.max(trimThreshold * 1.02, Math.min(window * 0.98, window - reserve / 2)),
  }
}

/**
 * The longest answer to ask for when `used` tokens are in use: many providers refuse a request whose answer might not
 * fit. Undefined when the model's output limit is unknown: then the provider, or the protocol adapter, decides.
 */
export function outputLimit(window: number, used: number, maxOutputTokens: number | undefined): number | undefined {
  if (maxOutputTokens === undefined) return undefined
  const room = availableOutputTokens(window, used)
  let limit = maxOutputTokens
  // Halved each time: if the limit also sets the thinking budget, each change invalidates the provider's cache.
  while (limit > room && limit > MIN_OUTPUT_TOKENS) limit = Math.ceil(limit / 2)
  return limit
}

/** Tokens left in the window for an answer. */
export function availableOutputTokens(window: number, used: number): number {
  return Math.max(Math.min(MIN_OUTPUT_TOKENS, window * MIN_RESERVE), Math.floor(availableTokens(window) - used))
}

/** The window minus a margin for estimates below the provider's count. */
function availableTokens(window: number): number {
  return window * 0.99
}

/** A number of tokens in a message. */
export function tokenCount(tokens: number): string {
  return Math.round(tokens).toLocaleString('en-US')
}
