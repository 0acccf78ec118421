import type { ModelInfo } from '../../model/provider'

/**
 * Of the window, the most that is used before old results are left out: the fuller it may be, the seldomer that is
 * needed and paid for.
 */
const TRIM_THRESHOLD = 0.96
/**
 * The compaction threshold: from here on the conversation is compacted if leaving out results would not do. The summary
 * has to fit in the rest.
 */
const COMPACTION_THRESHOLD = 0.88
/**
 * After a trim so much of the window is still in use: 60 % is what a conversation never goes below, the rest is for the
 * error of estimates.
 */
const TRIM_TARGET = 0.615
/**
 * Where estimates have been wrong by a share, so much of that share is left in use in addition, up to the second
 * number.
 */
const [PART_OF_ERROR, MAX_FOR_ERROR] = [0.35, 0.035]
/**
 * A trim is worth the new beginning it makes for the provider's cache when it frees this share of what lies between.
 */
const MIN_TRIM_SHARE = 0.6
/** An answer's tokens are kept free: what the model may write, but no more than these shares of the window. */
const [MIN_RESERVE, MAX_RESERVE] = [0.04, 0.25]
/** Where a request may have less than the window, it is filled as one of which that is this share. */
const INPUT_SHARE = 0.97
/** Fewer tokens than this are no answer. */
const MIN_OUTPUT_TOKENS = 4000
/** Tokens of conversation that are always let through: with a tiny window the provider decides. */
const MIN_CONVERSATION_TOKENS = 2000

/** How far a window is filled, and how far it is emptied. All in tokens. */
export interface ContextLimits {
  /** What the model takes. */
  window: number
  /** From here on room is made. */
  trimThreshold: number
  /** The compaction threshold: from here on there is a compaction, if room could not be made otherwise. */
  compactionThreshold: number
  /** What a trim leaves. */
  trimTarget: number
  /** A trim that leaves more than this is not worth it: it is time to compact. */
  enough: number
  /** Nothing goes beyond this, even when room was made only just before. */
  hardLimit: number
}

/** What of a model decides how far its window is filled. */
export type WindowUse = Pick<ModelInfo, 'maxOutputTokens' | 'traits'>

/**
 * How far a window is filled. `fixed`: tokens of instructions and tools; `error`: by which share estimates have been
 * wrong.
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
  // By halves: where the limit also sets the thinking budget, each change invalidates the provider's cache.
  while (limit > room && limit > MIN_OUTPUT_TOKENS) limit = Math.ceil(limit / 2)
  return limit
}

/** Tokens of an answer that fit into the rest of the window. */
export function availableOutputTokens(window: number, used: number): number {
  return Math.max(Math.min(MIN_OUTPUT_TOKENS, window * MIN_RESERVE), Math.floor(availableTokens(window) - used))
}

/** The window without what an estimate may be short of the provider's count. */
function availableTokens(window: number): number {
  return window * 0.99
}

/** A number of tokens in a message. */
export function tokenCount(tokens: number): string {
  return Math.round(tokens).toLocaleString('en-US')
}
