import type { ModelInfo } from '../model/provider'

/** Of the window, the share that is used before old results are left out and the conversation is compacted. */
const FULL = 0.85
/** An answer's tokens are kept free, up to this share of the window. */
const MOST_RESERVE = 0.25
/** Tokens of conversation that are let through in any case: with a tiny window the provider decides. */
const LEAST = 2000

export interface WindowLimits {
  /** Tokens the model takes. */
  window: number
  /** From here on room is made. */
  limit: number
  /** Nothing goes beyond this, even when room was made only just before. */
  last: number
}

/** How far a window is filled. `fixed`: tokens of instructions and tools. */
export function windowLimits(window: number, { maxOutputTokens }: Pick<ModelInfo, 'maxOutputTokens'>, fixed: number): WindowLimits {
  const reserve = Math.min(maxOutputTokens ?? 0, window * MOST_RESERVE)
  const limit = Math.max(fixed + LEAST, Math.min(window * FULL, window - reserve))
  return { window, limit, last: Math.max(limit * 1.02, Math.min(window * 0.92, window - reserve / 2)) }
}
